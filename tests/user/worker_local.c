/* SPDX-License-Identifier: MIT */
/*
 * WS_LOCAL: data of which each worker has its own. Also built as the elision and profiled (worker_local_serial,
 * worker_local_profile).
 *
 * Catches: two workers with one slot, whose counts get lost; a slot that does not begin as zero bytes or is badly
 * aligned; a slot that is forgotten between runtimes or counted twice; one that survives ws_local_free().
 */
#include "workers.h"

#include <pthread.h>

#if defined WSFJ_SERIAL || defined WSFJ_RACE
#define SETS 1
#else
#define SETS WORKERS
#endif

struct counts {
    long visits, sum;
};

static WS_LOCAL(struct counts, tally);
WS_LOCAL(long[5], five);
static WS_LOCAL(char, small);
static struct aligned {
    _Alignas(512) char c;
} wide;
static WS_LOCAL(struct aligned, aligned);

static WS_TASK_VOID(visit, int, depth)
{
    struct counts *mine = ws_local(&tally);
    long *more = *ws_local(&five);

    mine->visits++; /* without atomics */
    mine->sum += depth;
    more[4] += 2;
    if (depth > 0) {
        ws_spawn(visit, depth - 1);
        ws_call(visit, depth - 1);
        ws_sync();
        ws_local(&tally)->sum++; /* perhaps another slot than before */
    }
    WS_BLOCKING
    {
        if (depth == 8)
            __atomic_add_fetch(&ws_local(&tally)->visits, 1, __ATOMIC_RELAXED); /* all others' */
    }
}

static struct counts total(size_t *slots)
{
    struct counts sum = {0, 0};
    long fives = 0;

    *slots = 0;
    ws_local_each(&tally, p)
    {
        sum.visits += p->visits;
        sum.sum += p->sum;
        ++*slots;
    }
    ws_local_each(&five, p) fives += (*p)[4];
    ck_assert_int_eq(fives, 2 * ((1 << 13) - 1));
    return sum;
}

START_TEST(nothing_is_lost)
{
    size_t slots;
    struct counts sum;

    start(workers[_i]);
    ck_assert_int_eq(ws_run(visit, 12), 0);
    sum = total(&slots);
    ck_assert_int_eq(sum.visits, (1 << 13) - 1 + (1 << 4));
    ck_assert_int_eq(sum.sum, (1 << 13) - 14 + (1 << 12) - 1); /* the depths of all, and 1 for each that has children */
    ck_assert_uint_ge(slots, 1);
    ck_assert_uint_le(slots, ws_num_workers() + 1);
    stop_runtime();
    ws_local_free(&tally);
    ws_local_free(&five);
}
END_TEST

START_TEST(a_slot_is_zero_and_aligned)
{
    size_t slots = 0;

    start(workers[_i]);
    ck_assert_uint_eq((uintptr_t)ws_local(&aligned) % _Alignof(struct aligned), 0);
    ck_assert_int_eq(ws_local(&aligned)->c, wide.c);
    ck_assert_ptr_eq(ws_local(&aligned), ws_local(&aligned));
    ws_local_each(&small, p) /* nobody has asked for one */
        slots++;
    ck_assert_uint_eq(slots, 0);
    *ws_local(&small) = 'x';
    ck_assert_int_eq(*ws_local(&small), 'x');
    ws_local_each(&small, p)
    {
        ck_assert_int_eq(*p, 'x');
        slots++;
        if (slots)
            continue;
        break;
    }
    ck_assert_uint_eq(slots, 1);
    ws_local_free(&small);
    ws_local_each(&small, p) slots++;
    ck_assert_uint_eq(slots, 1);
    ck_assert_int_eq(*ws_local(&small), 0);
    ws_local_free(&small);
    ws_local_free(&small); /* of nothing */
    ws_local_free(&aligned);
    stop_runtime();
}
END_TEST

/* Before, between and after runtimes, with another number of workers each time. */
START_TEST(values_outlive_the_runtime)
{
    size_t slots;
    struct counts sum = {0, 0};
    const int runs = SETS;

    ws_local(&tally)->visits = 1000000;
    for (int i = 0; i < runs; i++) {
        start(workers[runs - 1 - i]);
        ck_assert_int_eq(ws_run(visit, 12), 0);
        stop_runtime();
        sum = total(&slots);
        ck_assert_int_eq(sum.visits, 1000000 + (i + 1) * ((1 << 13) - 1 + (1 << 4)));
        ws_local_free(&five);
    }
    ck_assert_int_eq(ws_local(&tally)->visits >= 1000000, 1);
    ws_local_free(&tally);
}
END_TEST

#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE && !defined WSFJ_RACE
static void *asks(void *at)
{
    *(struct counts **)at = ws_local(&tally);
    return NULL;
}

/* Each of eight tasks is on another worker: they wait for each other. */
static WS_TASK_VOID(meet, int *, there, struct counts **, slot)
{
    *slot = ws_local(&tally);
    __atomic_add_fetch(there, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(there, __ATOMIC_ACQUIRE) < 8)
        sched_yield();
}

static WS_TASK_VOID(meeting, struct counts **, slot)
{
    int there = 0;

    for (int i = 0; i < 8; i++)
        ws_spawn(meet, &there, &slot[i]);
    ws_sync();
}

START_TEST(a_worker_has_one_and_all_others_share_one)
{
    struct counts *slot[11];
    pthread_t thread;

    start(8);
    ck_assert_int_eq(ws_run(meeting, slot), 0);
    slot[8] = ws_local(&tally);
    ck_assert_int_eq(pthread_create(&thread, NULL, asks, &slot[9]), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    stop_runtime();
    slot[10] = ws_local(&tally);
    ck_assert_ptr_eq(slot[8], slot[9]);
    ck_assert_ptr_eq(slot[8], slot[10]);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < i; k++) {
            ptrdiff_t apart = (char *)slot[i] - (char *)slot[k];

            ck_assert(apart >= 128 || apart <= -128);
        }
    ws_local_free(&tally);
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("worker_local");

    tcase_add_loop_test(tcase, nothing_is_lost, 0, SETS);
    tcase_add_loop_test(tcase, a_slot_is_zero_and_aligned, 0, SETS);
    tcase_add_test(tcase, values_outlive_the_runtime);
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE && !defined WSFJ_RACE
    tcase_add_test(tcase, a_worker_has_one_and_all_others_share_one);
#endif
    return run_case("worker_local", tcase);
}
