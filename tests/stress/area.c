/* SPDX-License-Identifier: MIT */
/* Arguments and results too large for a descriptor, in loops that fill the argument area. Neighbour: bounds.c. */
#include "stress.h"

#include <string.h>

#define LARGE_LOOP COUNT(100000L, 10000L)
#define ATTEMPTS 200
/* An area of 64 KiB holds some 230 of them. */
#define STEALS 2000L

/* A size that does not divide the area: the last block does not fit. */
#define WORDS 35

struct large {
    long words[WORDS];
};

static WS_TASK(struct large, reversed, struct large, in)
{
    struct large out;

    for (int i = 0; i < WORDS; i++)
        out.words[i] = in.words[WORDS - 1 - i];
    return out;
}

static WS_TASK(long, sum_of, struct large, in)
{
    long sum = 0;

    for (int i = 0; i < WORDS; i++)
        sum += in.words[i];
    return sum;
}

static struct large large_of(long i)
{
    struct large l;

    for (int k = 0; k < WORDS; k++)
        l.words[k] = i * 31 + k;
    return l;
}

static WS_TASK_VOID(sum_large, long, n, long *, sums)
{
    for (long i = 0; i < n; i++)
        ws_spawn(sum_of, &sums[i], large_of(i));
    ws_sync();
}

static WS_TASK_VOID(reverse_large, long, n, struct large *, results)
{
    for (long i = 0; i < n; i++)
        ws_spawn(reversed, &results[i], large_of(i));
    ws_sync();
}

static long wrong_results(long n, const long *sums, const struct large *results)
{
    long wrong = 0;

    for (long i = 0; i < n; i++) {
        wrong += sums[i] != WORDS * 31 * i + WORDS * (WORDS - 1) / 2;
        for (int k = 0; k < WORDS; k++)
            wrong += results[i].words[k] != i * 31 + WORDS - 1 - k;
    }
    return wrong;
}

/* Catches: an argument area that overflows; a block freed while a thief still reads it or before its result is fetched;
 * a child that is called for lack of room and then run again. With two workers, until there were steals. */
START_TEST(large_arguments_and_results_survive_a_full_area)
{
    static const size_t workers[] = {1, 2, 8};
    long *sums = calloc(LARGE_LOOP, sizeof *sums);
    struct large *results = calloc(LARGE_LOOP, sizeof *results);
    uint64_t stolen = 0;

    ck_assert_ptr_nonnull(sums);
    ck_assert_ptr_nonnull(results);
    start_sized(workers[_i], (size_t)64 << 10 << 4 * (_i % 2));
    for (int attempt = 0; attempt < (workers[_i] > 1 && stolen == 0 ? ATTEMPTS : 5); attempt++) {
        memset(sums, 0xff, LARGE_LOOP * sizeof *sums);
        memset(results, 0xff, LARGE_LOOP * sizeof *results);
        ck_assert_int_eq(ws_run(sum_large, LARGE_LOOP, sums), 0);
        ck_assert_int_eq(ws_run(reverse_large, LARGE_LOOP, results), 0);
        ck_assert_int_eq(wrong_results(LARGE_LOOP, sums, results), 0);
        stolen = steals();
    }
    ck_assert(workers[_i] == 1 || stolen > 0);
    ck_assert_int_eq(ws_fini(), 0);
    free(sums);
    free(results);
}
END_TEST

static int child_runs, parent_goes_on, was_called;

/* A child that runs until its parent goes on after the spawn. If the spawn was a call, that never happens. */
static WS_TASK(long, sum_while_parent_runs, struct large, in)
{
    raise_flag(&child_runs);
    if (!wait_flag(&parent_goes_on, LONG_NS))
        was_called = 1;
    return sum_of(in);
}

/* Returns the number of steals before the first spawn that was a call. */
static WS_TASK(long, sum_one_by_one, long, n, long *, sums)
{
    for (long i = 0; i < n; i++) {
        child_runs = parent_goes_on = 0;
        ws_spawn(sum_while_parent_runs, &sums[i], large_of(i));
        raise_flag(&parent_goes_on);
        if (was_called || !wait_flag(&child_runs, LONG_NS))
            n = i;
        ws_sync();
    }
    return n;
}

/* Catches: stolen children that are done but keep their room in the area. The area is full after some hundred of them,
 * and from then on each spawn is a call. */
START_TEST(a_spawn_is_no_call_however_many_were_stolen_before)
{
    long *sums = calloc(STEALS, sizeof *sums), stolen = -1, wrong = 0;

    ck_assert_ptr_nonnull(sums);
    start_sized(2, (size_t)64 << 10);
    ck_assert_int_eq(ws_run(sum_one_by_one, &stolen, STEALS, sums), 0);
    ck_assert_int_eq(stolen, STEALS);
    ck_assert_uint_ge(steals(), (uint64_t)STEALS);
    for (long i = 0; i < STEALS; i++)
        wrong += sums[i] != WORDS * 31 * i + WORDS * (WORDS - 1) / 2;
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
    free(sums);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("area");

    tcase_add_loop_test(tcase, large_arguments_and_results_survive_a_full_area, 0, 3);
    tcase_add_test(tcase, a_spawn_is_no_call_however_many_were_stolen_before);
    return run_case("area", tcase);
}
