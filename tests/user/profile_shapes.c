/* SPDX-License-Identifier: MIT */
/* Shapes of fork/join in units, where each task costs 1: syncs, blocks, early returns, regions in regions. Neighbour:
 * profile.c. */
#undef WSFJ_DEBUG /* some shapes return without ws_sync(), which it reports */

#include "profile_fib.h"

/* n leaves in a row. */
static WS_TASK(long, chain, long, n)
{
    for (long i = 1; i < n; i++)
        ws_call(leaf);
    return n;
}
WS_SPAWNABLE(int, abs, int, n);

/* 1 + max(3, 2 + max(4, 1)) + max(5, 2). */
static WS_TASK_VOID(several_syncs)
{
    long r = 0;
    int a = 0;

    ws_spawn(chain, &r, 3);
    (void)chain(2);
    ws_spawn(chain, NULL, 4);
    ws_call(leaf);
    ws_sync();
    ws_sync();
    ws_spawn(chain, &r, 5);
    ws_spawn(abs, &a, -1);
    (void)ws_call(chain, 2);
    ws_sync();
}

/* 1 + (1 + 7): nothing after the early return, but the child's end. */
static WS_TASK_VOID(leaves_early, int, early)
{
    ws_spawn(chain, NULL, 7);
    if (early)
        return;
    ws_call(leaf);
    ws_sync();
}
static WS_TASK_VOID(calls_one_that_leaves_early)
{
    ws_call(leaves_early, 1);
}

/* 1 + max(9, 4 + 2 + 3): a block waits for its own children, not for those around it. */
static WS_TASK_VOID(blocks)
{
    ws_spawn(chain, NULL, 9);
    {
        ws_frame();
        ws_spawn(chain, NULL, 4);
        ws_call(leaf);
    }
    for (int i = 0; i < 1; i++) {
        ws_frame();
        ws_spawn(chain, NULL, 1);
        ws_spawn(chain, NULL, 2);
    }
    {
        ws_frame();
        ws_spawn(chain, NULL, 3);
        ws_sync();
    }
}

/* A function that is no task, in a region: 2 + 2. */
static void plain(void)
{
    ws_frame();
    ws_spawn(chain, NULL, 2);
    ws_sync();
    ws_spawn(chain, NULL, 2);
}
static WS_TASK_VOID(calls_plain)
{
    plain();
}

/* ws_run() in a region is a call. */
static WS_TASK_VOID(runs_inside)
{
    ws_spawn(chain, NULL, 5);
    (void)ws_run(leaves_early, 1);
    ws_sync();
}

static int run_several(long i)
{
    (void)i;
    return ws_run(several_syncs);
}
static int run_early(long i)
{
    (void)i;
    return ws_run(calls_one_that_leaves_early);
}
static int run_blocks(long i)
{
    (void)i;
    return ws_run(blocks);
}
static int run_plain(long i)
{
    (void)i;
    return ws_run(calls_plain);
}
static int run_inside(long i)
{
    (void)i;
    return ws_run(runs_inside);
}

static const struct {
    int (*run)(long);
    double work, span;
    unsigned long long spawns;
} shapes[] = {
    {run_several, 1 + 3 + 2 + 4 + 1 + 5 + 2, 1 + 2 + 4 + 5, 4},
    {run_early, 1 + 1 + 7, 1 + 1 + 7, 1},
    {run_blocks, 1 + 9 + 4 + 1 + 1 + 2 + 3, 1 + 9, 5},
    {run_plain, 1 + 2 + 2, 1 + 2 + 2, 2},
    {run_inside, 1 + 5 + 1 + 7, 1 + 1 + 7, 2},
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

/* Each spawn is in a line of its own. Catches: a sync that waits for too few or too many, a block or a task whose end is no
 * sync, a region in a region, lines that count as one site. */
START_TEST(each_shape_has_its_work_and_span)
{
    struct profile p = units_of(shapes[_i].run, 0);

    ck_assert_double_eq(p.row[0].work, shapes[_i].work);
    ck_assert_double_eq(p.row[0].span, shapes[_i].span);
    ck_assert_uint_eq(p.row[0].count, shapes[_i].spawns);
    ck_assert_int_eq(p.rows, 1 + (int)shapes[_i].spawns);
    ck_assert_uint_eq(p.row[0].regions, 1);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_shapes");

    tcase_add_loop_test(tcase, each_shape_has_its_work_and_span, 0, SHAPES);
    return run_case("profile_shapes", tcase);
}
