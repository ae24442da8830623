/* SPDX-License-Identifier: MIT */
/*
 * Loops: each iteration runs exactly once, for each kind of loop, type of index and number of workers, and wherever it
 * is started. Neighbours: loops_where.c, loops in threads, sections and children of fork(); reductions.c, their values;
 * campaigns/soak, loops in random programs.
 */
#include "loops.h"

#include <limits.h>
#include <stdint.h>

static loops_hits hits;

/* Each loop runs several times: with an unknown pace, a known one, and as a short loop. */
#define RUNS 4

static WS_LOOP(each, long, i, unsigned char *, h)
{
    loops_hit(&h[i]);
}

static WS_RANGE(ranges, unsigned, from, to, unsigned char *, h)
{
    if (from >= to)
        loops_hit(&h[LOOPS_MOST - 1]); /* an empty range must not come here */
    for (; from < to; from++)
        loops_hit(&h[from]);
}

WS_LOOP_GRAIN(1000, grained, long, i, unsigned char *, h)
{
    loops_hit(&h[i]);
}

static WS_LOOP_STATIC(slices, long, i, unsigned char *, h)
{
    loops_hit(&h[i]);
}

static WS_LOOP2(plane, int, i, unsigned short, j, unsigned char *, h, int, width)
{
    loops_hit(&h[i * width + j]);
}

static WS_LOOP3(box, int, i, long, j, short, k, unsigned char *, h, int, width)
{
    loops_hit(&h[(i * width + j) * width + k]);
}

/* Without captures. */
WS_LOOP(alone, int, i)
{
    loops_hit(&hits[i]);
}
static WS_RANGE(alone_ranges, size_t, from, to)
{
    for (; from < to; from++)
        loops_hit(&hits[from]);
}
static WS_LOOP_STATIC(alone_slices, size_t, i)
{
    loops_hit(&hits[i]);
}
static WS_LOOP2(alone_plane, int, i, int, j)
{
    loops_hit(&hits[i * 10 + j]);
}
static WS_LOOP3(alone_box, int, i, int, j, int, k)
{
    loops_hit(&hits[(i * 10 + j) * 10 + k]);
}

/* Catches: an iteration that runs twice or never: where a piece is cut, a child taken back, a slice begun, a tile cut. */
START_TEST(each_iteration_runs_exactly_once)
{
    start(workers[_i]);
    for (int run = 0; run < (CHAOS ? 1 : RUNS); run++) {
        for (long n = 0; n <= LOOPS_MOST; n = n < 40 ? n + 1 : n * 3 + 1) {
            ck_assert_int_eq(ws_for(each, 0, n, hits), 0);
            loops_expect(hits, (size_t)n);
            ck_assert_int_eq(ws_run(each, 0, n, hits), 0);
            loops_expect(hits, (size_t)n);
            ck_assert_int_eq(ws_run(ranges, 0, (unsigned)n, hits), 0);
            loops_expect(hits, (size_t)n);
            ck_assert_int_eq(ws_run(grained, 0, n, hits), 0);
            loops_expect(hits, (size_t)n);
            ck_assert_int_eq(ws_run(slices, 0, n, hits), 0);
            loops_expect(hits, (size_t)n);
        }
        for (int height = 1; height <= 300; height = height * 3 + 1) {
            for (int width = 1; width <= 1000; width = width * 5 + 2) {
                ck_assert_int_eq(ws_run(plane, 0, height, 0, (unsigned short)width, hits, width), 0);
                loops_expect(hits, (size_t)height * (size_t)width);
            }
        }
        for (int width = 1; width <= 60; width = width * 2 + 1) {
            ck_assert_int_eq(ws_run(box, 0, width, 0, width, 0, (short)width, hits, width), 0);
            loops_expect(hits, (size_t)width * (size_t)width * (size_t)width);
            ck_assert_int_eq(ws_for(box, 0, 2, 0, 1, 0, (short)width, hits, width), 0);
            memset(hits, 0, sizeof hits);
        }
        ck_assert_int_eq(ws_for(alone, 0, 1000), 0);
        loops_expect(hits, 1000);
        ck_assert_int_eq(ws_for(alone_ranges, 0, 1000), 0);
        loops_expect(hits, 1000);
        ck_assert_int_eq(ws_for(alone_slices, 0, 1000), 0);
        loops_expect(hits, 1000);
        ck_assert_int_eq(ws_for(alone_plane, 0, 100, 0, 10), 0);
        loops_expect(hits, 1000);
        ck_assert_int_eq(ws_for(alone_box, 0, 10, 0, 10, 0, 10), 0);
        loops_expect(hits, 1000);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a loop that runs from lo although hi is not above it, in particular hi < lo of an unsigned type. */
START_TEST(an_empty_range_runs_nothing)
{
    start(workers[_i]);
    for (int run = 0; run < RUNS; run++) {
        ck_assert_int_eq(ws_run(each, 5, 5, hits), 0);
        ck_assert_int_eq(ws_run(each, 5, -5, hits), 0);
        ck_assert_int_eq(ws_for(each, LONG_MAX, LONG_MIN, hits), 0);
        ck_assert_int_eq(ws_run(ranges, 10u, 3u, hits), 0);
        ck_assert_int_eq(ws_for(ranges, UINT_MAX, 0u, hits), 0);
        ck_assert_int_eq(ws_run(grained, 1, 0, hits), 0);
        ck_assert_int_eq(ws_run(slices, 9, 2, hits), 0);
        ck_assert_int_eq(ws_run(slices, 9, 9, hits), 0);
        ck_assert_int_eq(ws_run(plane, 0, 100, 7, 7, hits, 1), 0);
        ck_assert_int_eq(ws_run(plane, 3, 2, 0, 100, hits, 1), 0);
        ck_assert_int_eq(ws_run(plane, 3, 2, 5, 4, hits, 1), 0);
        ck_assert_int_eq(ws_run(box, 0, 10, 0, 10, 3, 3, hits, 1), 0);
        ck_assert_int_eq(ws_run(box, 0, 10, 4, 2, 0, 3, hits, 1), 0);
        ck_assert_int_eq(ws_run(box, 5, -10, 0, 10, 0, 3, hits, 1), 0);
        loops_expect(hits, 0);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Loops over a type, the first of whose iterations counts in hits[0]. */
#define OVER(name, I)                                                                                                  \
    static WS_LOOP(loop_##name, I, i, I, first)                                                                        \
    {                                                                                                                  \
        loops_hit(&hits[(uint64_t)i - (uint64_t)first]);                                                               \
    }                                                                                                                  \
    static WS_RANGE(range_##name, I, from, to, I, first)                                                               \
    {                                                                                                                  \
        for (; from < to; from++)                                                                                      \
            loops_hit(&hits[(uint64_t)from - (uint64_t)first]);                                                        \
    }                                                                                                                  \
    static WS_LOOP_STATIC(static_##name, I, i, I, first)                                                               \
    {                                                                                                                  \
        loops_hit(&hits[(uint64_t)i - (uint64_t)first]);                                                               \
    }                                                                                                                  \
    static WS_LOOP2(plane_##name, I, i, I, j, I, first)                                                                \
    {                                                                                                                  \
        loops_hit(&hits[((uint64_t)i - (uint64_t)first) * 100 + ((uint64_t)j - (uint64_t)first)]);                     \
    }                                                                                                                  \
    static WS_LOOP3(box_##name, int, a, I, i, I, j, I, first)                                                          \
    {                                                                                                                  \
        loops_hit(&hits[((uint64_t)i - (uint64_t)first) * 100 + ((uint64_t)j - (uint64_t)first) + (size_t)a]);         \
    }                                                                                                                  \
    static WS_REDUCE_ANY(long, 0, WS_ADD, any_##name, I, i, I, first)                                                  \
    {                                                                                                                  \
        loops_hit(&hits[(uint64_t)i - (uint64_t)first]);                                                               \
        return 1;                                                                                                      \
    }                                                                                                                  \
    static WS_REDUCE(long, 0, WS_ADD, sum_##name, I, i, I, first)                                                      \
    {                                                                                                                  \
        loops_hit(&hits[(uint64_t)i - (uint64_t)first]);                                                               \
        return 1;                                                                                                      \
    }                                                                                                                  \
    static void run_##name(I low, I high)                                                                              \
    {                                                                                                                  \
        const size_t n = (size_t)((uint64_t)high - (uint64_t)low);                                                     \
        long sum = -1;                                                                                                 \
        ck_assert_int_eq(ws_run(loop_##name, low, high, low), 0);                                                      \
        loops_expect(hits, n);                                                                                         \
        ck_assert_int_eq(ws_for(loop_##name, low, high, low), 0);                                                      \
        loops_expect(hits, n);                                                                                         \
        ck_assert_int_eq(ws_run(range_##name, low, high, low), 0);                                                     \
        loops_expect(hits, n);                                                                                         \
        ck_assert_int_eq(ws_run(static_##name, low, high, low), 0);                                                    \
        loops_expect(hits, n);                                                                                         \
        ck_assert_int_eq(ws_run(any_##name, &sum, low, high, low), 0);                                                 \
        loops_expect(hits, n);                                                                                         \
        ck_assert_int_eq(sum, (long)n);                                                                                \
        ck_assert_int_eq(ws_run(sum_##name, &sum, low, high, low), 0);                                                 \
        loops_expect(hits, n);                                                                                         \
        ck_assert_int_eq(sum, (long)n);                                                                                \
        ck_assert_int_eq(ws_for(loop_##name, high, low, low), 0);                                                      \
        ck_assert_int_eq(ws_for(sum_##name, &sum, high, low, low), 0);                                                 \
        ck_assert_int_eq(sum, 0);                                                                                      \
        loops_expect(hits, 0);                                                                                         \
        const I most = n < 100 ? high : (I)((uint64_t)low + 100);                                                      \
        const size_t part = n < 100 ? n : 100;                                                                         \
        if (part == 100) {                                                                                             \
            ck_assert_int_eq(ws_for(plane_##name, low, most, low, most, low), 0);                                      \
            loops_expect(hits, part *part);                                                                            \
            ck_assert_int_eq(ws_run(box_##name, 0, 1, low, most, low, most, low), 0);                                  \
            loops_expect(hits, part *part);                                                                            \
        }                                                                                                              \
    }
OVER(schar, signed char)
OVER(uchar, unsigned char)
OVER(short, short)
OVER(ushort, uint16_t)
OVER(int, int)
OVER(unsigned, unsigned)
OVER(long, long)
OVER(u64, uint64_t)
OVER(huge, unsigned long long)

/* Catches: a count or a middle that overflows, a sign that is lost, an end that is passed. */
START_TEST(all_types_of_index_reach_their_ends)
{
    start(workers[_i]);
    for (int run = 0; run < RUNS; run++) {
        run_schar(-128, 127);
        run_uchar(0, 255);
        run_short(-32768, 32767);
        run_ushort(0, 65535);
        run_int(INT_MIN, INT_MIN + 1000);
        run_int(INT_MAX - 100000, INT_MAX);
        run_unsigned(UINT_MAX - 1000, UINT_MAX);
        run_long(LONG_MIN, LONG_MIN + 500);
        run_long(INT64_MAX - 2000, INT64_MAX);
        run_long(-1000, 1000);
        run_u64(UINT64_MAX - 100000, UINT64_MAX);
        run_u64((UINT64_C(1) << 63) - 500, (UINT64_C(1) << 63) + 500);
        run_huge(ULLONG_MAX - 2, ULLONG_MAX);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#if !defined WSFJ_RACE && !defined WSFJ_SERIAL
#define TELLS_CHILDREN 1 /* how many children a driver has is known */

static struct wsfj_deque *driver; /* whose children are counted */
static struct wsfj_descriptor *before;
static ptrdiff_t most;

static WS_LOOP_GRAIN(100, counted, int, i)
{
    struct wsfj_deque *here = wsfj_self();
    ptrdiff_t n = here == driver ? wsfj_tail(here) - before : 0;

    most = n > most ? n : most;
    (void)i;
}

static WS_TASK(ptrdiff_t, children_of, int, n)
{
    driver = wsfj_self();
    before = wsfj_tail(driver);
    most = 0;
    ws_call(counted, 0, n);
    return most;
}

/* Catches: a grain that is ignored, or that counts something else than iterations. */
START_TEST(no_piece_of_less_than_the_grain_is_spawned)
{
    static const struct {
        int n;
        ptrdiff_t children;
    } loops[] = {{800, 3}, {100, 0}, {199, 0}, {200, 1}, {398, 1}, {400, 2}};

    start(2);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        ptrdiff_t children = -1;

        ck_assert_int_eq(ws_run(children_of, &children, loops[i].n), 0);
        ck_assert_msg(i ? children <= loops[i].children : children == loops[i].children, "%d iterations: %td children",
                      loops[i].n, children);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST
#endif

static uint64_t covered; /* of the pieces' lengths */

static WS_RANGE(all_signed, int64_t, from, to)
{
    (void)__atomic_fetch_add(&covered, (uint64_t)to - (uint64_t)from, __ATOMIC_RELAXED);
}
static WS_RANGE(all_unsigned, uint64_t, from, to)
{
    (void)__atomic_fetch_add(&covered, to - from, __ATOMIC_RELAXED);
}

/* Catches: a driver whose numbers of iterations do not reach 2^64 - 1, or that has no room for so many children. */
START_TEST(ranges_may_be_as_long_as_the_type)
{
    const uint64_t part = UINT64_C(1) << (CHAOS ? 50 : 58),
                   all = _i == 1 && !SANITIZED_THREAD && !CHAOS ? UINT64_MAX : part; /* the whole takes some seconds */

    start(workers[_i]);
    covered = 0;
    ck_assert_int_eq(ws_run(all_signed, INT64_MIN, (int64_t)((uint64_t)INT64_MIN + all)), 0);
    ck_assert(covered == all);
    for (int run = 0; run < RUNS; run++) {
        covered = 0;
        ck_assert_int_eq(ws_run(all_unsigned, UINT64_MAX - part, UINT64_MAX), 0);
        ck_assert(covered == part);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

struct large {
    long words[40];
};

static WS_LOOP(eight, long, i, char, a, short, b, int, c, long, d, float, e, double, f, const struct large *, g,
               unsigned char *, h)
{
    if (a == 1 && b == 2 && c == 3 && d == 4 && e == 5.5f && f == 6.5 && g->words[7] == 7)
        loops_hit(&h[i]);
}

static WS_LOOP(with_large, long, i, struct large, l, unsigned char *, h)
{
    bool right = true;

    for (int k = 0; k < 40; k++)
        right &= l.words[k] == 3 * k;
    if (right)
        loops_hit(&h[i]);
}
static WS_LOOP2(with_large_plane, int, i, int, j, struct large, l, unsigned char *, h)
{
    if (l.words[39] == 117)
        loops_hit(&h[i * 100 + j]);
}
static WS_LOOP_STATIC(with_large_slices, long, i, struct large, l, unsigned char *, h)
{
    if (l.words[39] == 117)
        loops_hit(&h[i]);
}

/* Catches: captures that do not reach each piece of the loop, or at another place. */
START_TEST(captured_values_reach_all_iterations)
{
    struct large l;

    for (int k = 0; k < 40; k++)
        l.words[k] = 3 * k;
    start(workers[_i]);
    for (int run = 0; run < RUNS; run++) {
        struct large seven = {{0, 0, 0, 0, 0, 0, 0, 7}};

        ck_assert_int_eq(ws_for(eight, 0, 100000, 1, 2, 3, 4, 5.5f, 6.5, &seven, hits), 0);
        loops_expect(hits, 100000);
        ck_assert_int_eq(ws_for(with_large, 0, 100000, l, hits), 0);
        loops_expect(hits, 100000);
        ck_assert_int_eq(ws_for(with_large_plane, 0, 500, 0, 100, l, hits), 0);
        loops_expect(hits, 50000);
        ck_assert_int_eq(ws_for(with_large_slices, 0, 100000, l, hits), 0);
        loops_expect(hits, 100000);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("loops");

    tcase_add_loop_test(tcase, each_iteration_runs_exactly_once, 0, WORKERS);
    tcase_add_loop_test(tcase, an_empty_range_runs_nothing, 0, WORKERS);
    tcase_add_loop_test(tcase, all_types_of_index_reach_their_ends, 0, WORKERS);
#ifndef WSFJ_RACE /* its ranges have one number each */
    tcase_add_loop_test(tcase, ranges_may_be_as_long_as_the_type, 0, 3);
#endif
    tcase_add_loop_test(tcase, captured_values_reach_all_iterations, 0, WORKERS);
#ifdef TELLS_CHILDREN
    tcase_add_test(tcase, no_piece_of_less_than_the_grain_is_spawned);
#endif
    return run_case("loops", tcase);
}
