/* SPDX-License-Identifier: MIT */
/*
 * The slots of WS_LOCAL for all workers that there may be.
 *
 * Catches: two workers with one place, at the border of two segments; one that ws_local_each() leaves out; a slot that two
 * threads make at once, or whose second copy stays; a crash without memory; what ws_local_free() does not free.
 */
#include "api/local.h"

#include "config/parse.h"

#include "../support/run.h"
#include "../support/sanitizer.h"
#include "guarded.h"
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

/* Which call another thread overtakes: it makes the same. */
enum { NONE, SEGMENT, SLOT };
static int overtaken;
static void *faster;
static int blocks; /* of memory that are not freed */

static void overtake(int call)
{
    if (overtaken != call)
        return;
    overtaken = NONE;
    faster = wsfj_local_of(&raced.wsfj_slots, 0);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);

void *__wrap_calloc(size_t n, size_t size)
{
    overtake(SEGMENT);
    __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
    return __real_calloc(n, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    overtake(SLOT);
    __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
    return guarded_alloc(align, size);
}

void __wrap_free(void *block)
{
    __atomic_fetch_sub(&blocks, block != NULL, __ATOMIC_RELAXED);
    __real_free(block);
}

START_TEST(nothing_stays_after_a_race_and_a_free)
{
    for (int call = SEGMENT; call <= SLOT; call++) {
        int before = blocks, made, left; /* of Check's blocks, only some are counted */
        void *slot, *far;

        overtaken = call;
        slot = wsfj_local_of(&raced.wsfj_slots, 0);
        far = wsfj_local_of(&raced.wsfj_slots, WSFJ_WORKERS_MOST - 2); /* the last of its segment */
        made = blocks - before;
        ws_local_free(&raced);
        left = blocks - before;
        ck_assert_int_eq(overtaken, NONE);
        ck_assert(far && slot == faster);
        ck_assert_int_eq(made, 4); /* two slots in two segments */
        ck_assert_int_eq(left, 0);
    }
}
END_TEST

/* Catches: a slot whose number, behind the value, does not fit into its block; one that is not zero or not aligned. */
START_TEST(a_slot_of_any_size_has_room_for_its_number)
{
    for (size_t align = 1; align <= 512; align *= 8) {
        for (size_t i = 0; i < GUARDED_SIZES; i++) {
            struct wsfj_local local = {.wsfj_size = guarded_sizes[i], .wsfj_align = align};
            char *slot = wsfj_local_of(&local, 2);

            ck_assert_msg(guard_holds(slot, guarded_sizes[i] + sizeof(size_t)), "%zu bytes", guarded_sizes[i]);
            ck_assert_uint_eq((uintptr_t)slot % (align > 128 ? align : 128), 0);
            for (size_t k = 0; k < guarded_sizes[i]; k++)
                ck_assert_int_eq(slot[k], 0);
            memset(slot, 1, guarded_sizes[i]);
            ck_assert_ptr_eq(wsfj_local_next(&local, NULL), slot);
            ck_assert_ptr_null(wsfj_local_next(&local, slot));
            wsfj_local_free(&local);
        }
    }
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
    tcase_add_test(tcase, nothing_stays_after_a_race_and_a_free);
    tcase_add_test(tcase, a_slot_of_any_size_has_room_for_its_number);
    tcase_add_test(tcase, one_slot_if_two_threads_make_it);
#if !SANITIZED
    tcase_add_test(tcase, no_memory_is_null);
#endif
    return run_case("local", tcase);
}
