/* SPDX-License-Identifier: MIT */
/*
 * The slots of WS_LOCAL for all workers that there may be.
 *
 * Catches: two workers with one place, at the border of two segments; one that ws_local_each() leaves out; a slot that two
 * threads make at once; a crash without memory.
 */
#include "api/local.h"

#include "config/parse.h"

#include "../support/run.h"
#include "../support/sanitizer.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <wsfj.h>

static WS_LOCAL(long, number);
static WS_LOCAL(long, raced);

START_TEST(every_worker_has_a_place)
{
    static bool seen[WSFJ_WORKERS_MOST + 1];
    long before = -2;
    int slots = 0;

    for (int worker = WSFJ_WORKERS_MOST - 1; worker >= -1; worker--)
        *(long *)wsfj_local_of(&number.wsfj_slots, worker) += worker + 1;
    for (int worker = -1; worker < WSFJ_WORKERS_MOST; worker++) {
        long *slot = wsfj_local_of(&number.wsfj_slots, worker);

        ck_assert_int_eq(*slot, worker + 1);
        ck_assert_uint_eq((uintptr_t)slot % 128, 0); /* no two in one pair of cache lines */
    }
    ws_local_each(&number, p)
    {
        ck_assert(*p >= 0 && *p <= WSFJ_WORKERS_MOST && !seen[*p] && *p > before);
        seen[*p] = true;
        before = *p;
        slots++;
    }
    ck_assert_int_eq(slots, WSFJ_WORKERS_MOST + 1);
    ws_local_free(&number);
    ws_local_each(&number, p) slots++;
    ck_assert_int_eq(slots, WSFJ_WORKERS_MOST + 1);
}
END_TEST

/* A few slots far from each other. */
START_TEST(places_without_a_slot_are_passed_over)
{
    static const int some[] = {62, 63, 64, 700, WSFJ_WORKERS_MOST - 1};
    size_t n = 0;

    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        *(long *)wsfj_local_of(&number.wsfj_slots, some[i]) = some[i];
    ws_local_each(&number, p) ck_assert_int_eq(*p, some[n++]);
    ck_assert_uint_eq(n, sizeof some / sizeof *some);
    ws_local_free(&number);
}
END_TEST

static pthread_barrier_t line;

static void *race(void *at)
{
    pthread_barrier_wait(&line);
    *(void **)at = ws_local(&raced);
    return NULL;
}

START_TEST(one_slot_if_two_threads_make_it)
{
    pthread_t thread[8];
    void *slot[8];

    ck_assert_int_eq(pthread_barrier_init(&line, NULL, 8), 0);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 8; i++)
            ck_assert_int_eq(pthread_create(&thread[i], NULL, race, &slot[i]), 0);
        for (int i = 0; i < 8; i++)
            ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
        for (int i = 0; i < 8; i++)
            ck_assert_ptr_eq(slot[i], slot[0]);
        ws_local_free(&raced);
    }
    pthread_barrier_destroy(&line);
}
END_TEST

/* The sanitizers' allocators end the program instead. */
#if !SANITIZED
struct huge {
    char c[(size_t)1 << 50];
};
static WS_LOCAL(struct huge, huge);

START_TEST(no_memory_is_null)
{
    int slots = 0;

    ck_assert_ptr_null(ws_local(&huge));
    ck_assert_ptr_null(ws_local(&huge));
    ws_local_each(&huge, p) slots++;
    ck_assert_int_eq(slots, 0);
    ws_local_free(&huge);
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("local");

    tcase_add_test(tcase, every_worker_has_a_place);
    tcase_add_test(tcase, places_without_a_slot_are_passed_over);
    tcase_add_test(tcase, one_slot_if_two_threads_make_it);
#if !SANITIZED
    tcase_add_test(tcase, no_memory_is_null);
#endif
    return run_case("local", tcase);
}
