/* SPDX-License-Identifier: MIT */
/* What a task may do with its children: several, of one kind or many, in loops, with several syncs or none. Neighbour:
 * blocks.c, spawns and calls in other contexts. */
#include "children.h"

#include <string.h>

/* One kind, one to five children. */
static WS_TASK(long, same_kind)
{
    long a = 0, b = 0, c = 0, d = 0, e = 0;

    ws_spawn(child, &a, 1);
    steals_wait(1);
    ws_sync();
    ws_spawn(child, &b, 2);
    ws_spawn(child, &c, 3);
    ws_spawn(child, &d, 4);
    ws_spawn(child, &e, 5);
    steals_wait(2);
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
    steals_wait(2);
    ws_sync();
    return (a != 1) + (x != 1.5) + wrong_big(&b, 7) + (z != 26);
}

/* One kind in a loop, with more children than can be stolen. */
static WS_TASK(long, loop)
{
    long r[100], wrong = 0;

    for (long i = 0; i < 100; i++)
        ws_spawn(child, &r[i], i);
    steals_wait(3);
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
    steals_wait(3);
    ws_sync();
    for (long i = 0; i < 60; i++)
        wrong += (r[i] != i) + (i % 3 == 0 ? wrong_big(&b[i], i) : 0);
    return wrong;
}

/* Spawns and syncs alternate; a result is used between them; one sync is empty. */
static WS_TASK(long, several_syncs)
{
    long sum = 0;

    ws_sync();
    for (long i = 0; i < 5; i++) {
        long a = 0, b = 0;

        steals_begin(steals_state.mode);
        ws_spawn(child, &a, sum + 1);
        ws_spawn(child, &b, i);
        steals_wait(1);
        ws_sync();
        ws_sync();
        sum = a + b - i;
    }
    return sum != 5;
}

static WS_TASK(long, tree)
{
    return ws_call(nested, 6) != 4096;
}

static WS_TASK(long, leaves_early, long, n)
{
    long dropped;

    for (long i = 0; i < n; i++)
        ws_spawn(slow, &dropped, i);
    ws_spawn(note, 1);
    steals_wait(2);
    return 7;
}

/* A task that returns without a sync has waited for its children; their results are dropped. */
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
    steals_wait(2);
    ws_sync();
    return (a != 2) + wrong_big(&b, 4);
}

#define ROOTS(X) X(same_kind) X(mixed_kinds) X(loop) X(mixed_loop) X(several_syncs) X(tree) X(no_sync) X(null_results)
ROOT_TABLE(ROOTS);

/* Catches: a frame that confuses its children: a result in the wrong variable; a child lost, run twice or not waited
 * for; when none, some or all of them are stolen. */
START_TEST(a_frame_gets_the_results_of_its_children)
{
    start(workers[_i % WORKERS]);
    check_in_regions(&roots[_i / WORKERS]);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static void check_outside(void)
{
    check_plainly(roots, NUM_ROOTS);
}

/* Catches: a task that needs a region: a plain call outside any region runs serially, before the runtime has started,
 * while it runs, and after. */
START_TEST(outside_any_region_tasks_are_plain_functions)
{
    in_each_phase(check_outside);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("frames");

    tcase_add_loop_test(tcase, a_frame_gets_the_results_of_its_children, 0, NUM_ROOTS * WORKERS);
    tcase_add_test(tcase, outside_any_region_tasks_are_plain_functions);
    return run_case("frames", tcase);
}
