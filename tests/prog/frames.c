/* SPDX-License-Identifier: MIT */
/* What a task may do with its children: several, of one kind or many, in loops, with several syncs or none, in blocks of
 * ordinary functions. Tasks count what is wrong; the main thread asserts. */
#include "lure.h"
#include "workers.h"

#include <pthread.h>
#include <string.h>

#define REPEATS 4

static WS_TASK(long, child, long, n)
{
    lure_in();
    lure_out();
    return n;
}

static WS_TASK(double, real, double, x)
{
    lure_in();
    lure_out();
    return x / 2;
}

struct big {
    long v[20];
};

static WS_TASK(struct big, large, long, n)
{
    struct big b;

    lure_in();
    for (int i = 0; i < 20; i++)
        b.v[i] = n + i;
    lure_out();
    return b;
}

static long noted;

static WS_TASK_VOID(note, long, n)
{
    lure_in();
    (void)__atomic_fetch_add(&noted, n, __ATOMIC_RELAXED);
    lure_out();
}

static long wrong_big(const struct big *b, long n)
{
    long wrong = 0;

    for (int i = 0; i < 20; i++)
        wrong += b->v[i] != n + i;
    return wrong;
}

/* One kind, one to five children. */
static WS_TASK(long, same_kind)
{
    long a = 0, b = 0, c = 0, d = 0, e = 0;

    ws_spawn(child, &a, 1);
    lure_wait(1);
    ws_sync();
    ws_spawn(child, &b, 2);
    ws_spawn(child, &c, 3);
    ws_spawn(child, &d, 4);
    ws_spawn(child, &e, 5);
    lure_wait(2);
    ws_sync();
    return (a != 1) + (b != 2) + (c != 3) + (d != 4) + (e != 5);
}

/* Every kind at once. */
static WS_TASK(long, mixed_kinds)
{
    long a = 0, z = 0;
    double x = 0;
    struct big b;

    memset(&b, 0, sizeof b);
    ws_spawn(child, &a, 1);
    ws_spawn(real, &x, 3.0);
    ws_spawn(large, &b, 7);
    ws_spawn(note, 5);
    ws_spawn(child, &z, 26);
    lure_wait(2);
    ws_sync();
    return (a != 1) + (x != 1.5) + wrong_big(&b, 7) + (z != 26);
}

/* One kind in a loop; more children than are stolen, of which some are. */
static WS_TASK(long, loop)
{
    long r[100], wrong = 0;

    for (long i = 0; i < 100; i++)
        ws_spawn(child, &r[i], i);
    lure_wait(3);
    ws_sync();
    for (long i = 0; i < 100; i++)
        wrong += r[i] != i;
    return wrong;
}

static WS_TASK(long, mixed_loop)
{
    long r[60], wrong = 0;
    struct big b[60];

    for (long i = 0; i < 60; i++) {
        ws_spawn(child, &r[i], i);
        if (i % 2)
            ws_spawn(note, i);
        if (i % 3 == 0)
            ws_spawn(large, &b[i], i);
    }
    lure_wait(3);
    ws_sync();
    for (long i = 0; i < 60; i++)
        wrong += (r[i] != i) + (i % 3 == 0 ? wrong_big(&b[i], i) : 0);
    return wrong;
}

/* Spawns and syncs in turn, a result used between them, an empty sync. */
static WS_TASK(long, several_syncs)
{
    long sum = 0;

    ws_sync();
    for (long i = 0; i < 5; i++) {
        long a = 0, b = 0;

        lure_begin(lure.mode);
        ws_spawn(child, &a, sum + 1);
        ws_spawn(child, &b, i);
        lure_wait(1);
        ws_sync();
        ws_sync();
        sum = a + b - i;
    }
    return sum != 5;
}

/* Children with children, called and spawned. */
static WS_TASK(long, nested, long, n)
{
    long a = 0, b = 0, c;

    if (n == 0) {
        lure_in();
        lure_out();
        return 1;
    }
    ws_spawn(nested, &a, n - 1);
    ws_spawn(nested, &b, n - 1);
    if (n == 6)
        lure_wait(1);
    c = ws_call(nested, n - 1) + nested(n - 1);
    ws_sync();
    return a + b + c;
}

static WS_TASK(long, tree)
{
    return ws_call(nested, 6) != 4096;
}

static long finished;

static WS_TASK(long, slow, long, n)
{
    lure_in();
    for (int i = 0; i < 3; i++)
        sched_yield();
    (void)__atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    lure_out();
    return n;
}

static WS_TASK(long, leaves_early, long, n)
{
    long dropped;

    for (long i = 0; i < n; i++)
        ws_spawn(slow, &dropped, i);
    ws_spawn(note, 1);
    lure_wait(2);
    return 7;
}

/* A task that returns without a sync has waited for its children; what they would have written is dropped. */
static WS_TASK(long, no_sync)
{
    long before = __atomic_load_n(&finished, __ATOMIC_ACQUIRE), r = 0;

    r = ws_call(leaves_early, 4);
    return (r != 7) + (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) != before + 4);
}

static WS_TASK(long, null_results)
{
    long a = 0;
    struct big b;

    ws_spawn(child, NULL, 1);
    ws_spawn(child, &a, 2);
    ws_spawn(large, NULL, 3);
    ws_spawn(large, &b, 4);
    ws_spawn(real, NULL, 5.0);
    lure_wait(2);
    ws_sync();
    return (a != 2) + wrong_big(&b, 4);
}

/* An ordinary function with a block of its own. */
__attribute__((noinline)) static long in_a_block(long n)
{
    long a = 0, b = 0;
    struct big c;
    {
        ws_frame();
        ws_spawn(child, &a, n);
        ws_spawn(large, &c, n);
        ws_spawn(child, &b, n + 1);
        lure_wait(1);
        ws_sync();
    }
    return (a != n) + (b != n + 1) + wrong_big(&c, n);
}

/* Leaving a block syncs, on every way out. */
__attribute__((noinline)) static long leaves_a_block(long n)
{
    long before = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);

    for (int i = 0; i < 2; i++) {
        ws_frame();
        ws_spawn(slow, NULL, n);
        ws_spawn(slow, NULL, n);
        if (i == 0)
            continue;
        break;
    }
    return __atomic_load_n(&finished, __ATOMIC_ACQUIRE) != before + 4;
}

static WS_TASK(long, blocks_inside)
{
    long a = 0, b = 0, wrong;

    ws_spawn(child, &a, 1);
    ws_spawn(child, &b, 2);
    lure_wait(1);
    wrong = in_a_block(10) + leaves_a_block(20);
    {
        long c = 0;

        ws_frame();
        ws_spawn(child, &c, 3);
        ws_sync();
        wrong += c != 3;
    }
    ws_sync();
    return wrong + (a != 1) + (b != 2);
}

static WS_TASK(long, calls_plainly)
{
    long (*f)(long) = child;
    long a = 0;

    ws_spawn(child, &a, 1);
    lure_wait(1);

    long b = child(2) + f(3) + nested(2); /* with a child pending */

    ws_sync();
    return (a != 1) + (b != 2 + 3 + 16);
}

static WS_TASK(long, evaluates_once)
{
    long i = 0, r[4] = {-1, -1, -1, -1}, *p = r, error;

    ws_spawn(child, p++, i++);
    ws_spawn(child, p++, i++);
    lure_wait(1);
    ws_sync();

    long c = ws_call(child, i++);

    error = ws_run(child, p++, i++);
    return error + (i != 4) + (p != r + 3) + (r[0] != 0) + (r[1] != 1) + (c != 2) + (r[2] != 3);
}

static long existing(long n)
{
    lure_in();
    lure_out();
    return n + 1;
}

static void existing_void(long n)
{
    (void)__atomic_fetch_add(&noted, n, __ATOMIC_RELAXED);
}

WS_SPAWNABLE(long, existing, long, n);
WS_SPAWNABLE_VOID(existing_void, long, n);

static WS_TASK(long, spawns_functions)
{
    long a = 0, b = 0, before = __atomic_load_n(&noted, __ATOMIC_RELAXED);

    ws_spawn(existing, &a, 1);
    ws_spawn(existing_void, 1000);
    ws_spawn(existing, &b, 2);
    lure_wait(1);
    ws_sync();
    return (a != 2) + (b != 3) + (__atomic_load_n(&noted, __ATOMIC_RELAXED) != before + 1000);
}

/* ws_run() in a task is a call: it works with children pending, to any depth. */
static WS_TASK(long, runs_inside)
{
    long a = 0, b = 0, error;
    struct big c;

    ws_spawn(child, &a, 1);
    lure_wait(1);
    error = ws_run(nested, &b, 3) + ws_run(large, &c, 9) + ws_run(note, 0);
    ws_sync();
    return error + (a != 1) + (b != 64) + wrong_big(&c, 9);
}

typedef long root(void);
#define ROOTS(X)                                                                                                       \
    X(same_kind) X(mixed_kinds) X(loop) X(mixed_loop) X(several_syncs) X(tree) X(no_sync) X(null_results)              \
    X(blocks_inside) X(calls_plainly) X(evaluates_once) X(spawns_functions) X(runs_inside)
#define RUN(name)                                                                                                      \
    static int run_##name(long *wrong)                                                                                 \
    {                                                                                                                  \
        return ws_run(name, wrong);                                                                                    \
    }
ROOTS(RUN)
#define ENTRY(name) {#name, name, run_##name},
static const struct {
    const char *name;
    root *plain;
    int (*run)(long *wrong);
} roots[] = {ROOTS(ENTRY)};
#define COUNT ((int)(sizeof roots / sizeof *roots))

/* Catches: a frame that confuses its children: a result in the wrong variable, a child lost, run twice or not waited
 * for, when none, some or all of them are stolen. */
START_TEST(a_frame_gets_the_results_of_its_children)
{
    long wrong;

    start(workers[_i % WORKERS]);
    for (unsigned mode = 0; mode < LURE_MODES; mode++) {
        for (int i = 0; i < REPEATS; i++) {
            lure_begin((enum lure)mode);
            wrong = -1;
            ck_assert_int_eq(roots[_i / WORKERS].run(&wrong), 0);
            ck_assert_msg(wrong == 0, "%s: %ld wrong in mode %u", roots[_i / WORKERS].name, wrong, mode);
        }
    }
    ck_assert(steals() > 0 || ws_num_workers() == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a task that needs a region: called plainly outside of one it runs serially, before the runtime has started,
 * while it runs, and after. */
START_TEST(outside_any_region_tasks_are_plain_functions)
{
    lure_begin(LURE_NONE);
    for (int phase = 0; phase < 3; phase++) {
        for (int i = 0; i < COUNT; i++)
            ck_assert_msg(roots[i].plain() == 0, "%s", roots[i].name);
        ck_assert_int_eq(in_a_block(4), 0);
        ck_assert_int_eq(leaves_a_block(5), 0);
        if (phase == 0)
            start(2);
        else
            ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

static void *blocks_outside(void *argument)
{
    long wrong = 0;

    (void)argument;
    for (int i = 0; i < 200; i++)
        wrong += in_a_block(i) + nested(3) - 64;
    return (void *)(intptr_t)wrong;
}

/* Catches: a deque shared by two threads that are both outside. */
START_TEST(threads_outside_do_not_disturb_each_other)
{
    pthread_t threads[8];
    void *wrong = NULL;

    lure_begin(LURE_NONE);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, blocks_outside, NULL), 0);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("frames");

    tcase_add_loop_test(tcase, a_frame_gets_the_results_of_its_children, 0, COUNT * WORKERS);
    tcase_add_test(tcase, outside_any_region_tasks_are_plain_functions);
    tcase_add_test(tcase, threads_outside_do_not_disturb_each_other);
    return run_case("frames", tcase);
}
