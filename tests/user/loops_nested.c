/* SPDX-License-Identifier: MIT */
/*
 * Loops within tasks and tasks within loops: spawned, called, run, declared in another file, nested, with children and
 * syncs in their bodies, and where there is no more room for their pieces. Neighbour: loops.c.
 */
#include "loops.h"

static loops_hits hits;

#define RUNS 4

static WS_TASK_VOID(hit, unsigned char *, h)
{
    loops_hit(h);
}

static WS_TASK(long, hit_and_tell, unsigned char *, h)
{
    loops_hit(h);
    return 1;
}

static WS_LOOP(simple, long, i, unsigned char *, h)
{
    loops_hit(&h[i]);
}

static WS_LOOP_STATIC(slices, long, i, unsigned char *, h)
{
    loops_hit(&h[i]);
}

/* Of three kinds: children with a sync, children that the end of the body waits for, calls. Returns early. */
static WS_LOOP(with_children, long, i, unsigned char *, h)
{
    long told = 0;

    if (i % 3 == 0) {
        ws_call(hit, &h[i]);
        return;
    }
    if (i % 3 == 1) {
        ws_spawn(hit, &h[i]);
        return;
    }
    ws_spawn(hit_and_tell, &told, &h[i]);
    ws_sync();
    if (told != 1)
        loops_hit(&h[i]);
}

static WS_RANGE(rows, long, from, to, unsigned char *, h, long, width)
{
    for (; from < to; from++)
        ws_spawn(simple, from * width, (from + 1) * width, h);
    ws_sync();
}

static WS_LOOP_STATIC(static_rows, long, i, unsigned char *, h, long, width)
{
    if (i % 2)
        ws_call(slices, i * width, (i + 1) * width, h);
    else
        (void)ws_for(simple, i * width, (i + 1) * width, h);
}

static WS_LOOP2(tiles, long, i, long, j, unsigned char *, h, long, width)
{
    long at = (i * 10 + j) * width;

    (void)ws_for(with_children, at, at + width, h);
}

static WS_TASK_VOID(all_ways, unsigned char *, h)
{
    ws_spawn(simple, 0, 1000, h);
    ws_spawn(slices, 1000, 2000, h);
    ws_call(with_children, 2000, 3000, h);
    with_children(3000, 4000, h);
    (void)ws_run(rows, 40, 50, h, 100);
    (void)ws_for(loops_far, 5000, 6000, h);
    ws_spawn(loops_far, 6000, 7000, h);
    ws_spawn(tiles, 7, 8, 0, 10, h, 100);
    if (ws_worker_id() >= 0)
        ws_spawn(static_rows, 8, 10, h, 1000);
    ws_sync();
}

/* Catches: a loop that loses its pieces or its caller's children, a sync in a body that takes the loop's other children. */
START_TEST(loops_and_tasks_compose)
{
    start(workers[_i]);
    for (int run = 0; run < 10 * RUNS; run++) {
        ck_assert_int_eq(ws_run(all_ways, hits), 0);
        loops_expect(hits, 10000);
        ck_assert_int_eq(ws_for(rows, 0, 200, hits, 200), 0);
        loops_expect(hits, 40000);
        ck_assert_int_eq(ws_run(static_rows, 0, 40, hits, 1000), 0);
        loops_expect(hits, 40000);
        ck_assert_int_eq(ws_run(tiles, 0, 10, 0, 10, hits, 300), 0);
        loops_expect(hits, 30000);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a declared loop that does not link, or that another file calls in another way. */
START_TEST(loops_of_another_file_run)
{
    static int values[10000];
    long sum;

    for (int i = 0; i < 10000; i++)
        values[i] = i;
    start(workers[_i]);
    for (int run = 0; run < RUNS; run++) {
        ck_assert_int_eq(ws_for(loops_far, 0, 100000, hits), 0);
        loops_expect(hits, 100000);
        sum = 0;
        ck_assert_int_eq(ws_for(loops_far_sum, &sum, 0, 10000, values), 0);
        ck_assert_int_eq(sum, 10000 * 9999 / 2);
        ck_assert_int_eq(loops_far_sum(0, 100, values), 100 * 99 / 2);
        loops_far(0, 1000, hits);
        loops_expect(hits, 1000);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Pieces with arguments in the area: of 1000 bytes, so that a small stack's area holds 60. */
struct large {
    long words[125];
};

static WS_LOOP(last, long, i, struct large, l, unsigned char *, h)
{
    take_time(i);
    if (l.words[124] == 124)
        loops_hit(&h[i]);
}
static WS_LOOP2(last_plane, long, i, long, j, struct large, l, unsigned char *, h)
{
    take_time(j);
    if (l.words[124] == 124)
        loops_hit(&h[i * 40 + j]);
}
static WS_LOOP_STATIC(last_slices, long, i, struct large, l, unsigned char *, h)
{
    take_time(i);
    if (l.words[124] == 124)
        loops_hit(&h[i]);
}
static WS_REDUCE(long, 0, WS_ADD, last_sum, long, i, struct large, l, unsigned char *, h)
{
    take_time(i);
    if (l.words[124] == 124)
        loops_hit(&h[i]);
    return i;
}
static WS_REDUCE_ANY(long, 0, WS_ADD, last_any, long, i, struct large, l, unsigned char *, h)
{
    take_time(i);
    if (l.words[124] == 124)
        loops_hit(&h[i]);
    return i;
}

static WS_TASK(long, take, struct large, l)
{
    return l.words[3];
}

/* Fills the area but for some blocks, then runs loops that are long enough to be divided. */
static WS_TASK(long, in_a_full_area, int, fill, struct large, l, unsigned char *, h)
{
    long taken[80] = {0}, sum = 0, any = 0, wrong = 0;

    for (int k = 0; k < fill; k++)
        ws_spawn(take, &taken[k], l);
    last(0, 1000, l, h);
    last_plane(25, 50, 0, 40, l, h);
    last_slices(2000, 3000, l, h);
    sum = last_sum(3000, 4000, l, h);
    any = last_any(4000, 5000, l, h);
    ws_sync();
    for (int k = 0; k < fill; k++)
        wrong += taken[k] != 3;
    return wrong + (sum != 3499500) + (any != 4499500);
}

/* Catches: a loop that continues at the wrong place when there was room for some of its pieces and the others had to
 * be called. */
START_TEST(loops_run_where_there_is_no_room_for_arguments)
{
    struct large l;
    long wrong = -1;

    for (int k = 0; k < 125; k++)
        l.words[k] = k;
    start_runtime(workers[_i], 256 << 10, WS_SPIN_DEFAULT);
    for (int fill = 40; fill < 70; fill++) {
        ck_assert_int_eq(ws_run(in_a_full_area, &wrong, fill, l, hits), 0);
        loops_expect(hits, 5000);
        ck_assert_int_eq(wrong, 0);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#ifndef WSFJ_RACE /* a serial program has no area */
/* The bytes of the area that a loop keeps. */
static WS_TASK(long, kept_by_a_loop, struct large, l, unsigned char *, h)
{
    const char *before = wsfj_self()->wsfj_area;

    last(0, 5000, l, h);
    return wsfj_self()->wsfj_area - before;
}

/* Catches: a piece that the driver takes back, and whose arguments stay in the area: a long loop would fill it. */
START_TEST(a_loop_gives_the_area_back)
{
    struct large l;
    long kept = -1;

    for (int k = 0; k < 125; k++)
        l.words[k] = k;
    start(workers[_i]);
    for (int run = 0; run < RUNS; run++) {
        ck_assert_int_eq(ws_run(kept_by_a_loop, &kept, l, hits), 0);
        loops_expect(hits, 5000);
        ck_assert_int_eq(kept, 0);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST
#endif

/* More pending children than a loop may have, before and in each iteration. */
static WS_LOOP(in_a_long_deque, long, i, unsigned char *, h)
{
    for (int k = 0; k < 10; k++)
        ws_spawn(hit, &h[i * 10 + k]);
    ws_sync();
}

static WS_TASK_VOID(fill_the_deque, long, n, unsigned char *, h)
{
    for (long k = 0; k < n; k++)
        ws_spawn(hit, &h[k]);
    in_a_long_deque(n / 10, n / 10 + 1000, h);
    simple(n + 10000, n + 20000, h);
    ws_sync();
}

/* Catches: children that are called for lack of room and run again, or not at all. */
START_TEST(loops_run_where_there_is_no_room_for_tasks)
{
    start_runtime(workers[_i], 64 << 10, WS_SPIN_DEFAULT);
    for (int run = 0; run < RUNS; run++) {
        ck_assert_int_eq(ws_run(fill_the_deque, 100000, hits), 0);
        loops_expect(hits, 120000);
        ck_assert_int_eq(ws_run(fill_the_deque, 65500 / 10 * 10, hits), 0);
        loops_expect(hits, 65500 + 20000);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("loops_nested");

    tcase_add_loop_test(tcase, loops_and_tasks_compose, 0, WORKERS);
    tcase_add_loop_test(tcase, loops_of_another_file_run, 0, WORKERS);
    tcase_add_loop_test(tcase, loops_run_where_there_is_no_room_for_arguments, 0, WORKERS);
#ifndef WSFJ_RACE
    tcase_add_loop_test(tcase, a_loop_gives_the_area_back, 0, WORKERS);
#endif
    tcase_add_loop_test(tcase, loops_run_where_there_is_no_room_for_tasks, 0, WORKERS);
    return run_case("loops_nested", tcase);
}
