/* SPDX-License-Identifier: MIT */
/*
 * Programs for bench/sim/run, which compares the simulator with this machine. Compiled three times: serially (the time
 * of a unit of work), with the runtime, and for the simulator (WORKS_SIMULATED), where the same code runs and each unit
 * costs what it has cost.
 *
 *     works NAME short|middle|long [PS]
 *
 * prints: units of work, nanoseconds, nanoseconds of CPU time, steals, suspensions. The simulator counts the units, for
 * the others as well. PS: what a unit costs there, in picoseconds.
 *
 * Environment, without the simulator: WORKS_BESIDE: a copy of the process runs the same on another CPU meanwhile.
 */
#ifdef WORKS_SIMULATED
#include <wsfj/sim.h>

#include "calls.h"
#define main sim_main
#define nanosleep(...) engine_sleep(__VA_ARGS__)
#else
#include <wsfj.h>

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t units;

/* short: of few milliseconds. On a machine with other work, some run is not interrupted. */
enum size { SHORT, MIDDLE, LONG, SIZES };
static const char *const size_names[SIZES] = {"short", "middle", "long"};
static enum size size;

#ifdef WORKS_SIMULATED
#define CHARGED_NS 16 /* what is less waits for more: a point costs a simulation about a microsecond */

static uint64_t unit_ps, owed_ps;

static void did(uint64_t n)
{
    units += n;
    owed_ps += n * unit_ps;
    if (owed_ps >= CHARGED_NS * 1000) {
        uint64_t ns = owed_ps / 1000;

        owed_ps %= 1000;
        sim_work(ns);
    }
}
#define clock_gettime(...) engine_clock(__VA_ARGS__)
#else
#define did(n) ((void)(n))
#endif

static uint64_t now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t hash(uint64_t x, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        x ^= x >> 32;
    }
    return x;
}

/* So much work, which the compiler cannot leave out. */
static void compute(unsigned n)
{
    volatile uint64_t sink = hash(n, n);

    (void)sink;
    did(n);
}

WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2) {
        __asm__ volatile("");
        did(1);
        return n;
    }
    did(1);
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

/* Queens in the rows that are left; below the depth of 4 serially. */
#define ROWS_MOST 12

static unsigned rows;

static long place(unsigned columns, unsigned left, unsigned right, uint64_t *nodes)
{
    unsigned all = (1u << rows) - 1;
    long n = 0;

    ++*nodes;
    if (columns == all)
        return 1;
    for (unsigned free = all & ~(columns | left | right), bit; free; free &= ~bit) {
        bit = free & -free;
        n += place(columns | bit, ((left | bit) << 1) & all, (right | bit) >> 1, nodes);
    }
    return n;
}

WS_TASK(long, nqueens, long, depth, unsigned, columns, unsigned, left, unsigned, right)
{
    unsigned all = (1u << rows) - 1, k = 0;
    long n[ROWS_MOST], sum = 0;

    if (depth == 4) {
        uint64_t nodes = 0;

        sum = place(columns, left, right, &nodes);
        did(nodes);
        return sum;
    }
    for (unsigned free = all & ~(columns | left | right), bit; free; free &= ~bit) {
        bit = free & -free;
        ws_spawn(nqueens, &n[k++], depth + 1, columns | bit, ((left | bit) << 1) & all, (right | bit) >> 1);
    }
    ws_sync();
    did(1);
    while (k)
        sum += n[--k];
    return sum;
}

/* A tree whose shape only a hash tells: a node has 0 to 5 children, fewer the deeper it is. */
#define UTS_ROUNDS 100

static const long uts_depth[SIZES] = {9, 11, 12};

WS_TASK(long, uts, uint64_t, node, long, depth)
{
    uint64_t drawn = hash(node, UTS_ROUNDS);
    unsigned most = depth == 0 ? 64 : depth < uts_depth[size] ? (unsigned)(drawn >> 40) % 5 : 0, k = 0;
    long n[64], sum = 1;

    if (depth && drawn % 8 < 1)
        most = 0;
    did(1);
    while (k < most) {
        ws_spawn(uts, &n[k], drawn + k, depth + 1);
        k++;
    }
    ws_sync();
    while (k)
        sum += n[--k];
    return sum;
}

#define KEYS_MOST (1 << 18)
#define LEAF 2048

static uint32_t keys[KEYS_MOST], scratch[KEYS_MOST];

static void merge(uint32_t *a, const uint32_t *x, size_t n, const uint32_t *y, size_t m)
{
    while (n && m) {
        if (*x <= *y)
            *a++ = *x++, n--;
        else
            *a++ = *y++, m--;
    }
    memcpy(a, x, n * sizeof *a);
    memcpy(a + n, y, m * sizeof *a);
}

static void sort(uint32_t *a, uint32_t *spare, size_t n)
{
    if (n < 2)
        return;
    sort(a, spare, n / 2);
    sort(a + n / 2, spare + n / 2, n - n / 2);
    memcpy(spare, a, n * sizeof *a);
    merge(a, spare, n / 2, spare + n / 2, n - n / 2);
}

WS_TASK_VOID(mergesort, uint32_t *, a, uint32_t *, spare, size_t, n)
{
    if (n <= LEAF) {
        sort(a, spare, n);
        did(n * 11); /* 11 levels */
        return;
    }
    ws_spawn(mergesort, a, spare, n / 2);
    ws_call(mergesort, a + n / 2, spare + n / 2, n - n / 2);
    ws_sync();
    memcpy(spare, a, n * sizeof *a);
    merge(a, spare, n / 2, spare + n / 2, n - n / 2);
    did(n);
}

WS_TASK_VOID(sorts, size_t, n)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint32_t)hash(i, 2);
    did(n);
    ws_call(mergesort, keys, scratch, n);
}

WS_LOOP(iteration, unsigned, i, long, unused)
{
    (void)unused;
    compute(16 * i);
}

WS_TASK_VOID(loop, unsigned, n)
{
    ws_call(iteration, 0, n, 0);
}

static void drop(void *unused)
{
    (void)unused;
    compute(1000);
}

WS_TASK_VOID(flood, unsigned, n)
{
    ws_group group = WS_GROUP_INIT;

    for (unsigned i = 0; i < n; i++)
        if (ws_group_submit(&group, drop, NULL) != 0)
            drop(NULL);
    (void)ws_group_wait(&group);
}

WS_TASK_VOID(waits, long, unused)
{
    (void)unused;
    compute(50000);
#ifndef WSFJ_SERIAL
    WS_BLOCKING nanosleep(&(struct timespec){0, 500000}, NULL);
#endif
    compute(50000);
}

WS_TASK_VOID(blocking, unsigned, n)
{
    for (unsigned i = 0; i < n; i++)
        ws_spawn(waits, 0);
    ws_sync();
}

static int run(const char *name)
{
    static const long fibs[] = {26, 30, 32};
    static const unsigned rows_of[] = {10, 11, ROWS_MOST}, loops[] = {250, 500, 1000}, floods[] = {500, 2000, 5000},
                          blocks[] = {10, 30, 100}, parts[] = {8, 2, 1};
    long result;

    rows = rows_of[size];
    if (strcmp(name, "fib") == 0)
        return ws_run(fib, &result, fibs[size]);
    if (strcmp(name, "nqueens") == 0)
        return ws_run(nqueens, &result, 0, 0u, 0u, 0u);
    if (strcmp(name, "uts") == 0)
        return ws_run(uts, &result, (uint64_t)47, 0);
    if (strcmp(name, "mergesort") == 0)
        return ws_run(sorts, (size_t)KEYS_MOST / parts[size]);
    if (strcmp(name, "loop") == 0)
        return ws_run(loop, loops[size]);
    if (strcmp(name, "flood") == 0)
        return ws_run(flood, floods[size]);
    if (strcmp(name, "blocking") == 0)
        return ws_run(blocking, blocks[size]);
    fprintf(stderr, "works: no program '%s'\n", name);
    exit(2);
}

#ifndef WORKS_SIMULATED
static void bind_to(int number)
{
    cpu_set_t may, one;

    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may) && number-- == 0)
            CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

/* Two CPUs may share a core's units, a cache and a clock frequency. Before a runtime is started. */
static pid_t begin_beside(const char *name)
{
    pid_t copy = fork();

    bind_to(copy == 0);
    if (copy == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (run(name) == 0)
            continue;
        _exit(1);
    }
    return copy;
}
#endif

/* The second of two runs counts: the first one makes threads, stacks and caches. */
int main(int argc, char **argv)
{
    struct ws_stats before = {.size = sizeof before}, after = before;
    uint64_t start, used;
    int error;

    for (size = SHORT; argc > 2 && size < SIZES && strcmp(argv[2], size_names[size]) != 0; size++)
        continue;
    if (argc < 3 || size == SIZES)
        return 2;
#ifdef WORKS_SIMULATED
    unit_ps = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
#else
    pid_t copy = getenv("WORKS_BESIDE") ? begin_beside(argv[1]) : 0;
#endif
    error = run(argv[1]);
    (void)ws_stats_get(&before);
    units = 0;
    start = now(CLOCK_MONOTONIC);
    used = now(CLOCK_PROCESS_CPUTIME_ID);
    error |= run(argv[1]);
    used = now(CLOCK_PROCESS_CPUTIME_ID) - used;
    start = now(CLOCK_MONOTONIC) - start;
    (void)ws_stats_get(&after);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", units, start, used,
           after.steals - before.steals, after.suspensions - before.suspensions);
#ifndef WORKS_SIMULATED
    if (copy)
        (void)(kill(copy, SIGKILL) + (waitpid(copy, NULL, 0) < 0));
#endif
    return error != 0;
}
