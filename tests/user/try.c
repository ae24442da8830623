/* SPDX-License-Identifier: MIT */
/*
 * WS_TRY: the first iteration that fails. Also built as the elision and profiled (try_serial, try_profile).
 *
 * Catches: an iteration before the failure that does not run or runs twice; a later failure that wins; a loop that goes on
 * after a failure; an index type whose order is wrong; pieces that cannot run at once.
 */
#include "workers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if defined WSFJ_SERIAL || defined WSFJ_RACE
#define SETS 1
#else
#define SETS WORKERS
#endif
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE && !defined WSFJ_RACE
#define PARALLEL 1
#else
#define PARALLEL 0
#endif

#define MOST 5000
static unsigned char ran[MOST];

/* Fails where `fails` says so. */
static WS_TRY(step, int, i, const signed char *, fails)
{
    __atomic_add_fetch(&ran[i], 1, __ATOMIC_RELAXED);
    return fails[i];
}

static uint64_t seed;

START_TEST(the_first_failure_wins)
{
    static signed char fails[MOST];

    start(workers[_i]);
    for (int round = 0; round < 300; round++) {
        ws_rng rng = ws_rng_at(++seed, (uint64_t)_i);
        int n = (int)ws_rng_below(&rng, MOST + 1), lo = (int)ws_rng_below(&rng, 3), first = n > lo ? n : lo;
        int wrong = 0;
        WS_TRIED(int) r = {-1, -1};

        memset(ran, 0, sizeof ran);
        memset(fails, 0, sizeof fails);
        for (uint64_t k = ws_rng_below(&rng, 6); k > 0 && n > lo; k--) {
            int at = lo + (int)ws_rng_below(&rng, (uint64_t)(n - lo));

            fails[at] = (signed char)(at % 100 - 100);
            first = at < first ? at : first;
        }
        ck_assert_int_eq(ws_for(step, &r, lo, n, fails), 0);
        ck_assert_int_eq(r.at, lo < n ? first : n);
        ck_assert_int_eq(r.status, lo < n && first < n ? first % 100 - 100 : 0);
        for (int i = 0; i < MOST; i++) {
            int inside = i >= lo && i < n, must = inside && i <= first;

            wrong += ran[i] > inside || ran[i] < must || (workers[_i] == 1 && ran[i] != must);
        }
        ck_assert_int_eq(wrong, 0);
    }
    stop_runtime();
}
END_TEST

static int count;

static WS_TRY(schars, signed char, i, int, last)
{
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return i == last;
}

static WS_TRY(uchars, unsigned char, i, int, last)
{
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return i == last;
}

static WS_TRY(longs, long, i, long, last)
{
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return i == last ? 7 : 0;
}

static WS_TRY(ulongs, unsigned long, i, unsigned long, last)
{
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return i == last;
}

#define TRIES(f, I, lo, hi, last, its)                                                                                 \
    do {                                                                                                               \
        WS_TRIED(I) r;                                                                                                 \
        count = 0;                                                                                                     \
        ck_assert_int_eq(ws_for(f, &r, lo, hi, last), 0);                                                              \
        ck_assert(r.at == ((last) < (hi) ? (last) : (hi)));                                                            \
        ck_assert_int_eq(!!r.status, (last) < (hi));                                                                   \
        ck_assert_int_eq(count, its);                                                                                  \
    } while (0)

/* The last iteration fails, or none: so each has run. */
START_TEST(every_type_of_index)
{
    start(workers[_i]);
    for (int k = 0; k < 10; k++) {
        TRIES(schars, signed char, SCHAR_MIN, SCHAR_MAX, SCHAR_MAX - 1, 255);
        TRIES(schars, signed char, SCHAR_MIN, SCHAR_MAX, SCHAR_MAX, 255);
        TRIES(uchars, unsigned char, 0, UCHAR_MAX, UCHAR_MAX - 1, 255);
        TRIES(uchars, unsigned char, 100, UCHAR_MAX, UCHAR_MAX, 155);
        TRIES(longs, long, LONG_MAX - 1000, LONG_MAX, LONG_MAX, 1000);
        TRIES(longs, long, LONG_MIN, LONG_MIN + 1000, LONG_MIN + 999, 1000);
        TRIES(longs, long, -500L, 500L, 499L, 1000);
        TRIES(ulongs, unsigned long, ULONG_MAX - 1000, ULONG_MAX, ULONG_MAX - 1, 1000);
        TRIES(ulongs, unsigned long, 0, 1000, 1000, 1000);
        TRIES(longs, long, 5L, 5L, 9L, 0);
        TRIES(longs, long, LONG_MAX, LONG_MIN, LONG_MAX, 0);
    }
    ck_assert_int_eq(longs(0, 10, 3).at, 3); /* outside a region */
    stop_runtime();
}
END_TEST

static WS_TASK_VOID(leaf, int *, n)
{
    __atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

/* Each iteration spawns, and is itself a part of a spawned loop. */
static WS_TRY(nest, int, i, int *, n)
{
    ws_spawn(leaf, n);
    ws_spawn(leaf, n);
    ws_sync();
    return i == 150;
}

static WS_TASK(int, nests)
{
    int n = 0, m = 0;
    WS_TRIED(int) r[2];

    ws_spawn(nest, &r[0], 0, 100, &n);
    r[1] = ws_call(nest, 100, 151, &m);
    ws_sync();
    return r[0].at == 100 && r[0].status == 0 && r[1].at == 150 && r[1].status == 1 ? n + m : -1;
}

START_TEST(a_try_is_a_task)
{
    int r = 0;

    start(workers[_i]);
    for (int k = 0; k < 20; k++) {
        ck_assert_int_eq(ws_run(nests, &r), 0);
        ck_assert_int_eq(r, 302);
    }
    stop_runtime();
}
END_TEST

#if PARALLEL
/* All iterations wait for each other. */
static WS_TRY(meet, int, i, int, n, int *, there, int, least)
{
    __atomic_add_fetch(there, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(there, __ATOMIC_ACQUIRE) < n)
        sched_yield();
    return i >= least ? i + 1 : 0;
}

START_TEST(all_can_run_at_once_and_the_first_wins)
{
    start(8);
    for (int k = 0; k < 60; k++) {
        int there = 0, least = k % 9;
        WS_TRIED(int) r;

        ck_assert_int_eq(ws_for(meet, &r, 0, 8, 8, &there, least), 0);
        ck_assert_int_eq(there, 8);
        ck_assert_int_eq(r.at, least);
        ck_assert_int_eq(r.status, least < 8 ? least + 1 : 0);
    }
    stop_runtime();
}
END_TEST

#define MANY 1000000
static int thief_began, failing;

/* The first iteration fails, but only after a thief has begun with the upper half. */
static WS_TRY(hopeless, int, i)
{
    if (i == 0) {
        while (!__atomic_load_n(&thief_began, __ATOMIC_ACQUIRE))
            sched_yield();
        __atomic_store_n(&failing, 1, __ATOMIC_RELEASE);
        return 1;
    }
    __atomic_store_n(&thief_began, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&failing, __ATOMIC_ACQUIRE))
        sched_yield();
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    sched_yield();
    return 0;
}

START_TEST(what_has_not_begun_is_dropped)
{
    WS_TRIED(int) r;

    start(2);
    count = 0;
    ck_assert_int_eq(ws_for(hopeless, &r, 0, MANY), 0);
    ck_assert_int_eq(r.at, 0);
    ck_assert_int_eq(r.status, 1);
    ck_assert_int_lt(count, MANY / 2 - 1); /* not even the half that was taken */
    stop_runtime();
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("try");

    tcase_add_loop_test(tcase, the_first_failure_wins, 0, SETS);
    tcase_add_loop_test(tcase, every_type_of_index, 0, SETS);
    tcase_add_loop_test(tcase, a_try_is_a_task, 0, SETS);
#if PARALLEL
    tcase_add_test(tcase, all_can_run_at_once_and_the_first_wins);
    tcase_add_test(tcase, what_has_not_begun_is_dropped);
#endif
    return run_case("try", tcase);
}
