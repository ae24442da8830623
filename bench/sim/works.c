/* SPDX-License-Identifier: MIT */
/*
 * Programs for bench/sim/run, which compares the simulator with this machine. Compiled three times: serially (the time
 * of a unit of work), with the runtime, and for the simulator (WORKS_SIMULATED), where the same code runs and each unit
 * costs what it has cost serially.
 *
 *     works NAME long|short [PS SPAWN_PS]
 *
 * prints: units of work, nanoseconds, steals, suspensions. The simulator counts the units, for the others as well. Its
 * last two arguments: what a unit and a spawn cost, in picoseconds.
 */
#ifdef WORKS_SIMULATED
#include <wsfj/sim.h>

#include "calls.h"
#define main sim_main
#define nanosleep(...) engine_sleep(__VA_ARGS__)
#else
#include <wsfj.h>
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t units;
static long is_short; /* a few milliseconds: on a machine with other work, some run is not interrupted */

#ifdef WORKS_SIMULATED
#define CHARGED_NS 16 /* what is less waits for more: a point costs a simulation about a microsecond */

static uint64_t unit_ps, spawn_ps, owed_ps;

static void did(uint64_t n, uint64_t spawned)
{
    units += n;
    owed_ps += n * unit_ps + spawned * spawn_ps;
    if (owed_ps >= CHARGED_NS * 1000) {
        uint64_t ns = owed_ps / 1000;

        owed_ps %= 1000;
        sim_work(ns);
    }
}
static uint64_t now(void)
{
    return sim_time();
}
#else
static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
#define did(n, spawned) ((void)(n), (void)(spawned))
#endif

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
    did(n, 0);
}

/* Nothing but spawns: what one costs. */
WS_TASK(long, nothing, long, n)
{
    __asm__ volatile("");
    return n;
}

WS_TASK(long, empty, long, n)
{
    long x, sum = 0;

    for (long i = 0; i < n; i++) {
        ws_spawn(nothing, &x, i);
        ws_sync();
        sum += x;
        did(1, 1);
    }
    return sum;
}

WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2) {
        __asm__ volatile("");
        did(1, 0);
        return n;
    }
    did(1, 1);
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

/* Queens in the rows that are left; below the depth of 4 serially. */
#define ROWS_MOST 11

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
        did(nodes, 0);
        return sum;
    }
    for (unsigned free = all & ~(columns | left | right), bit; free; free &= ~bit) {
        bit = free & -free;
        ws_spawn(nqueens, &n[k++], depth + 1, columns | bit, ((left | bit) << 1) & all, (right | bit) >> 1);
    }
    ws_sync();
    did(1, k);
    while (k)
        sum += n[--k];
    return sum;
}

/* A tree whose shape only a hash tells: a node has 0 to 5 children, fewer the deeper it is. */
#define UTS_ROUNDS 100

WS_TASK(long, uts, uint64_t, node, long, depth)
{
    uint64_t drawn = hash(node, UTS_ROUNDS);
    unsigned most = depth == 0 ? 64 : depth < (is_short ? 9 : 12) ? (unsigned)(drawn >> 40) % 5 : 0, k = 0;
    long n[64], sum = 1;

    if (depth && drawn % 8 < 1)
        most = 0;
    did(1, most);
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
        did(n * 11, 0); /* 11 levels */
        return;
    }
    ws_spawn(mergesort, a, spare, n / 2);
    ws_call(mergesort, a + n / 2, spare + n / 2, n - n / 2);
    ws_sync();
    memcpy(spare, a, n * sizeof *a);
    merge(a, spare, n / 2, spare + n / 2, n - n / 2);
    did(n, 1);
}

WS_TASK_VOID(sorts, size_t, n)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint32_t)hash(i, 2);
    did(n, 0);
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
    long result;

    rows = is_short ? 9 : ROWS_MOST;
    if (strcmp(name, "empty") == 0)
        return ws_run(empty, &result, 1000000);
    if (strcmp(name, "fib") == 0)
        return ws_run(fib, &result, is_short ? 26 : 32);
    if (strcmp(name, "nqueens") == 0)
        return ws_run(nqueens, &result, 0, 0u, 0u, 0u);
    if (strcmp(name, "uts") == 0)
        return ws_run(uts, &result, (uint64_t)47, 0);
    if (strcmp(name, "mergesort") == 0)
        return ws_run(sorts, (size_t)(is_short ? KEYS_MOST / 8 : KEYS_MOST));
    if (strcmp(name, "loop") == 0)
        return ws_run(loop, is_short ? 250u : 1000u);
    if (strcmp(name, "flood") == 0)
        return ws_run(flood, is_short ? 500u : 5000u);
    if (strcmp(name, "blocking") == 0)
        return ws_run(blocking, is_short ? 10u : 100u);
    fprintf(stderr, "works: no program '%s'\n", name);
    exit(2);
}

/* The second of two runs counts: the first one makes threads, stacks and caches. */
int main(int argc, char **argv)
{
    struct ws_stats before = {.size = sizeof before}, after = before;
    uint64_t start;
    int error;

    if (argc < 3)
        return 2;
    is_short = strcmp(argv[2], "short") == 0;
#ifdef WORKS_SIMULATED
    unit_ps = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    spawn_ps = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
#endif
    error = run(argv[1]);
    (void)ws_stats_get(&before);
    units = 0;
    start = now();
    error |= run(argv[1]);
    start = now() - start;
    (void)ws_stats_get(&after);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", units, start, after.steals - before.steals,
           after.suspensions - before.suspensions);
    return error != 0;
}
