/* SPDX-License-Identifier: MIT */
/*
 * For scope.c and scope_away.c: an owner that spawns children and then waits without a sync leaves all of them to
 * thieves. Roots return how many results or codes are wrong; the main thread asserts.
 */
#ifndef TESTS_USER_SCOPE_H
#define TESTS_USER_SCOPE_H

#include "workers.h"

#include <string.h>

#define N 100 /* few enough for a deque: no child is called where it is spawned */
#define CODE 7

static long ran;       /* children of the root, in all workers */
static uint64_t begun; /* progress of a task that the root waits for */

static inline uint64_t dropped(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    return ws_stats_get(&stats) ? 0 : stats.cancelled;
}

/* Waits until thieves have dropped `n` tasks, or have run one that they should drop. */
static inline void wait_until_dropped(uint64_t n)
{
    while (dropped() < n && !__atomic_load_n(&ran, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* Waits until thieves have run a child, or have dropped one that they should run. */
static inline void wait_until_run(uint64_t before)
{
    while (dropped() == before && !__atomic_load_n(&ran, __ATOMIC_ACQUIRE))
        sched_yield();
}

static inline void wait_until_begun(uint64_t n)
{
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < n)
        sched_yield();
}

static inline void note(void)
{
    (void)__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

static WS_TASK(long, number, long, n)
{
    note();
    return n;
}

/* N children that thieves must drop, or must run, until `n`, as above. Returns how many results are wrong. */
static WS_TASK(long, dropped_numbers, uint64_t, n)
{
    long r[N], wrong = 0;

    memset(r, 0x55, sizeof r);
    for (long i = 0; i < N; i++)
        ws_spawn(number, &r[i], i + 1);
    wait_until_dropped(n);
    ws_sync();
    for (long i = 0; i < N; i++)
        wrong += r[i] != 0;
    return wrong;
}

static WS_TASK(long, run_numbers, uint64_t, n)
{
    long r[N], wrong = 0;

    memset(r, 0x55, sizeof r);
    for (long i = 0; i < N; i++)
        ws_spawn(number, &r[i], i + 1);
    wait_until_run(n);
    ws_sync();
    for (long i = 0; i < N; i++)
        wrong += r[i] != i + 1;
    return wrong;
}

/* A root, and how many tasks thieves drop in it. */
struct root {
    const char *name;
    int (*run)(long *wrong);
    uint64_t drops;
};
#define SOME UINT64_MAX /* the owner may have run them */

/* The table `roots` of a list of roots and drops, and its length. */
#define ROOT_TABLE(LIST)                                                                                               \
    LIST(ROOT_RUN)                                                                                                     \
    static const struct root roots[] = {LIST(ROOT_ENTRY)};                                                             \
    enum { NUM_ROOTS = sizeof roots / sizeof *roots }
#define ROOT_RUN(name, drops)                                                                                          \
    static int run_##name(long *wrong)                                                                                 \
    {                                                                                                                  \
        return ws_run(name, wrong);                                                                                    \
    }
#define ROOT_ENTRY(name, drops) {#name, run_##name, drops},

static inline void check_root(const struct root *root, size_t num_workers, size_t max_stacks)
{
    ws_config config;
    long wrong = -1;

    ws_config_default(&config);
    config.num_workers = num_workers;
    config.max_stacks = max_stacks;
    ck_assert_int_eq(ws_init(&config), 0);
    ran = 0;
    begun = 0;
    ck_assert_int_eq(root->run(&wrong), 0);
    ck_assert_msg(wrong == 0, "%s: %ld wrong with %zu workers", root->name, wrong, num_workers);
    if (root->drops != SOME)
        ck_assert_uint_eq(read_stats().cancelled, root->drops);
    stop_runtime();
}

#endif
