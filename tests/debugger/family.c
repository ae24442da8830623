/* SPDX-License-Identifier: MIT */
/*
 * family WAY [abort]: three generations of stolen tasks, stopped at reached(), for build/gdb.sh and build/perf.sh. On
 * any machine each of the three workers runs a given task. The program repeats until a child's stack lies above its
 * parent's (or gives up after many attempts): gdb takes that for an error unless it is told otherwise.
 *
 *   waits   elder and child wait at their syncs; each of their workers runs a witness
 *   runs    the elder runs, the child waits; the child's worker runs a witness
 *   guest   as runs, with the elder in the thread that has called ws_run()
 *   idle    nothing runs, the workers sleep
 *   spins   as waits; the grandchild works until a time is over, for a profiler
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <wsfj.h>

#define WORKERS 3
#define REHEARSALS 1000

static int children, witnesses, wanted, occupied, settled, taken, submitted, finished;
static const char *way;
static ws_group others = WS_GROUP_INIT;
static int aborts, rehearsals;
static const char *stack_of[WORKERS]; /* one for each generation */

static void await(const int *count, int value)
{
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < value)
        sched_yield();
}

static void count(int *what)
{
    __atomic_add_fetch(what, 1, __ATOMIC_ACQ_REL);
}

/* gdb stops here, or the process does. */
__attribute__((noinline)) void reached(void)
{
    if (aborts)
        abort();
    __asm__ volatile("" ::: "memory");
}

/* For a profiler: runs for this many milliseconds of the thread's own time, so there are samples whatever else runs. */
__attribute__((noinline)) double work(long milliseconds)
{
    struct timespec t;
    double sum = 0;

    do {
        for (int i = 0; i < 10000; i++)
            sum += i % 7;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < milliseconds);
    return sum;
}

/* The address of the caller's stack. */
__attribute__((noinline)) static void note_stack(int generation)
{
    stack_of[generation] = __builtin_frame_address(0);
}

static int is_way(const char *name)
{
    return strcmp(way, name) == 0;
}

/* Whether this round is the one that stops. */
static int is_stop(void)
{
    return is_way("guest") || stack_of[1] > stack_of[0] || stack_of[2] > stack_of[1] || rehearsals == REHEARSALS;
}

static void late(void *arg)
{
    (void)arg;
}

/* Keeps a worker busy. The first witness leaves two tasks in its worker's run queue, where no worker is free to take
 * them. */
static void witness(void *arg)
{
    (void)arg;
    count(&witnesses);
    await(&settled, 1);
    if (!__atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL)) {
        ws_group_submit(&others, late, NULL);
        ws_group_submit(&others, late, NULL);
        count(&submitted);
    }
    await(&finished, 1);
}

WS_TASK_VOID(leaf)
{
}

WS_TASK(long, grandchild, long, n) /* task grandchild */
{
    note_stack(2);
    count(&children);
    await(&witnesses, wanted);
    await(&occupied, is_way("runs") || is_way("guest"));
    ws_spawn(leaf);
    ws_spawn(leaf);
    count(&settled);
    await(&submitted, 1);
    if (is_stop())
        reached();
    else
        rehearsals++;
    if (is_way("spins"))
        n += work(300) < 0;
    count(&finished);
    ws_sync();
    return n + 1;
}

WS_TASK(long, child, long, n) /* task child */
{
    long result;

    note_stack(1);
    count(&children);
    ws_spawn(grandchild, &result, n + 1);
    await(&children, 2);
    ws_sync(); /* the child's sync */
    return result + 1;
}

/* What a parent does while it does not wait. */
__attribute__((noinline)) static void busy(void)
{
    count(&occupied);
    await(&finished, 1);
}

WS_TASK(long, elder, long, n) /* task elder */
{
    long result, mine = n * 2;

    __asm__("" : "+r"(mine)); /* in a register from here on, over the slow-path exit of the sync */
    note_stack(0);
    ws_spawn(child, &result, n + 1);
    await(&children, 2);
    for (int i = 0; i < wanted; i++)
        ws_group_submit(&others, witness, NULL);
    if (is_way("runs") || is_way("guest"))
        busy();
    ws_sync(); /* the elder's sync */
    return result + mine;
}

/* Keeps a few numbers over the call: in all registers that a call preserves. */
__attribute__((noinline)) static long begin(long n, long more)
{
    long result = 0, one = more, two = more + 1, three = more + 2, four = more + 3;
    int error;

    __asm__("" : "+r"(one), "+r"(two), "+r"(three), "+r"(four));
    error = ws_run(elder, &result, n); /* the region */
    if (error) {
        fprintf(stderr, "family: %s\n", ws_strerror(error));
        exit(1);
    }
    __asm__("" : "+r"(one), "+r"(two), "+r"(three), "+r"(four));
    return result + one - two - three + four;
}

/* At the start: waits until all workers sleep. */
static void await_sleep(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    while (ws_stats_get(&stats) == 0 && stats.parks < WORKERS)
        sched_yield();
}

int main(int argc, char **argv)
{
    ws_config config;
    long result;

    way = argc > 1 ? argv[1] : "waits";
    aborts = argc > 2;
    wanted = is_way("runs") || is_way("guest") ? WORKERS - 2 : WORKERS - 1;
    ws_config_default(&config);
    config.num_workers = WORKERS;
    config.bind = WS_BIND_NONE; /* a caller of ws_run() then takes a sleeper's slot on any processor */
    if (ws_init(&config) != 0)
        return 1;
    if (is_way("idle") || is_way("guest"))
        await_sleep();
    if (is_way("idle")) {
        reached();
        return 0;
    }
    do {
        children = witnesses = occupied = settled = taken = submitted = finished = 0;
        result = begin(39, 5 + (argc > 1)); /* 42 and 78 */
        ws_group_wait(&others);
    } while (!is_stop());
    printf("%ld\n", result);
    return 0;
}
