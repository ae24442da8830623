/* SPDX-License-Identifier: MIT */
/*
 * For frames.c and blocks.c: children of several kinds, and roots that spawn them and return the number of errors.
 * Tasks count errors; the main thread asserts.
 */
#ifndef TESTS_USER_CHILDREN_H
#define TESTS_USER_CHILDREN_H

#include "steals.h"
#include "workers.h"

#define REPEATS 4

static WS_TASK(long, child, long, n)
{
    steals_in();
    steals_out();
    return n;
}

static WS_TASK(double, real, double, x)
{
    steals_in();
    steals_out();
    return x / 2;
}

struct big {
    long v[20];
};

static WS_TASK(struct big, large, long, n)
{
    struct big b;

    steals_in();
    for (int i = 0; i < 20; i++)
        b.v[i] = n + i;
    steals_out();
    return b;
}

static long noted;

static WS_TASK_VOID(note, long, n)
{
    steals_in();
    (void)__atomic_fetch_add(&noted, n, __ATOMIC_RELAXED);
    steals_out();
}

static long wrong_big(const struct big *b, long n)
{
    long wrong = 0;

    for (int i = 0; i < 20; i++)
        wrong += b->v[i] != n + i;
    return wrong;
}

/* Children with children, called and spawned. */
static WS_TASK(long, nested, long, n)
{
    long a = 0, b = 0, c;

    if (n == 0) {
        steals_in();
        steals_out();
        return 1;
    }
    ws_spawn(nested, &a, n - 1);
    ws_spawn(nested, &b, n - 1);
    if (n == 6)
        steals_wait(1);
    c = ws_call(nested, n - 1) + nested(n - 1);
    ws_sync();
    return a + b + c;
}

static long finished;

static WS_TASK(long, slow, long, n)
{
    steals_in();
    for (int i = 0; i < 3; i++)
        sched_yield();
    (void)__atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    steals_out();
    return n;
}

/* A task `long name(void)` as a plain function and as the root of a region. */
struct root {
    const char *name;
    long (*plain)(void);
    int (*run)(long *wrong);
};

/* The table `roots` of a list of such tasks, and its length. */
#define ROOT_TABLE(LIST)                                                                                               \
    LIST(ROOT_RUN)                                                                                                     \
    static const struct root roots[] = {LIST(ROOT_ENTRY)};                                                             \
    enum { NUM_ROOTS = sizeof roots / sizeof *roots }
#define ROOT_RUN(name)                                                                                                 \
    static int run_##name(long *wrong)                                                                                 \
    {                                                                                                                  \
        return ws_run(name, wrong);                                                                                    \
    }
#define ROOT_ENTRY(name) {#name, name, run_##name},

static inline void check_in_regions(const struct root *root)
{
    for (unsigned mode = 0; mode < STEALS_MODES; mode++) {
        for (int i = 0; i < REPEATS; i++) {
            long wrong = -1;

            steals_begin((enum steals_mode)mode);
            ck_assert_int_eq(root->run(&wrong), 0);
            ck_assert_msg(wrong == 0, "%s: %ld wrong in mode %u", root->name, wrong, mode);
        }
    }
    ck_assert(steals() > 0 || ws_num_workers() == 1);
}

/* Before the runtime has started, while it runs, and after. */
static inline void in_each_phase(void (*check)(void))
{
    steals_begin(STEALS_NONE);
    for (int phase = 0; phase < 3; phase++) {
        check();
        if (phase == 0)
            start(2);
        else
            ck_assert_int_eq(ws_fini(), 0);
    }
}

static inline void check_plainly(const struct root *roots, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_msg(roots[i].plain() == 0, "%s", roots[i].name);
}

#endif
