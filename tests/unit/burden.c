/* SPDX-License-Identifier: MIT */
/* What a profile takes for a steal and for a suspended join: lib/profile/burden.c. Here the clock is a counter: each
 * reading is a tick later than the last one, of any thread. So a join takes one tick, because nobody reads the clock in
 * the meantime, and what a steal takes is known exactly. */
#include "profile/profile.h"

#include "../support/runtime.h"

#include <stdlib.h>

#define STEALS_MOST 61
#define TRIES 50 /* on a machine too busy for a thief a measurement may fail */

/* The linker's names: __wrap_ is called in place of the library's function. */
uint64_t __wrap_wsfj_clock_read(void);
double __wrap_wsfj_clock_tick(void);
int __real_ws_worker_id(void);
int __wrap_ws_worker_id(void);

static uint64_t readings;
static __thread uint64_t last;
static __thread bool is_parent; /* its next reading is that of a spawn */
static uint64_t spawned;
static int parent;
static double steals_seen[STEALS_MOST];
static size_t num_steals;

uint64_t __wrap_wsfj_clock_read(void)
{
    last = __atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED);
    if (is_parent)
        __atomic_store_n(&spawned, last, __ATOMIC_RELAXED);
    is_parent = false;
    return last;
}

double __wrap_wsfj_clock_tick(void)
{
    return 1;
}

/* The parent asks before its first reading, the child after its own. */
static void note(int id)
{
    bool is_child = spawned != 0;

    if (!is_child) {
        parent = id;
        is_parent = true;
        return;
    }
    if (id != parent && num_steals < STEALS_MOST)
        steals_seen[num_steals++] = (double)(last - spawned);
    spawned = 0;
}

static bool is_measuring;

/* Scenes follow each other: the two calls of a scene are ordered by its spawn. */
int __wrap_ws_worker_id(void)
{
    int id = __real_ws_worker_id();

    if (is_measuring)
        note(id);
    return id;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Catches: a steal or a join that is reported longer or shorter than it was, or swapped with the other; a result
 * without enough scenes. */
START_TEST(what_is_reported_was_measured)
{
    double steal = 0, join = 0;
    bool is_measured = false;

    start_runtime(2, 0, WS_SPIN_DEFAULT);
    is_measuring = true;
    for (int i = 0; i < TRIES && !is_measured; i++) {
        num_steals = 0;
        is_measured = wsfj_burden_measure(&steal, &join);
    }
    ck_assert(is_measured);
    if (num_steals == 0) {
        printf("skipped: link-time optimisation leaves the linker no call to put this program into\n");
        return;
    }
    qsort(steals_seen, num_steals, sizeof *steals_seen, by_size);
    ck_assert_uint_ge(num_steals, 9);
    ck_assert_double_eq(steal, steals_seen[num_steals / 2]);
    ck_assert_double_eq(join, 1);
    stop_runtime();
}
END_TEST

/* Catches: numbers that were not measured, and say that they were. */
START_TEST(one_worker_measures_nothing)
{
    double steal = 0, join = 0;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert(!wsfj_burden_measure(&steal, &join));
    ck_assert_double_eq(steal, 390);
    ck_assert_double_eq(join, 280);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("burden");

    tcase_add_test(tcase, one_worker_measures_nothing);
    tcase_add_test(tcase, what_is_reported_was_measured);
    return run_case("burden", tcase);
}
