/* SPDX-License-Identifier: MIT */
/*
 * WS_FOLD: collecting in index order. Also built as the elision and profiled (fold_serial, fold_profile).
 *
 * Catches: an iteration that is lost, runs twice or comes out of order; what was in the accumulator before; a part that is
 * not begun empty, or merged never, twice or in the wrong order; a copy that is not freed (with a sanitizer) or not
 * aligned. Without memory: try_fold.c.
 */
#include "list.h"
#include "workers.h"

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

static WS_FOLD(struct list, list_clear, list_append, thirds, struct list *, l, int, i, int, by)
{
    if (i % by == 0)
        list_put(l, i);
}

START_TEST(the_order_is_that_of_the_serial_loop)
{
    start(workers[_i]);
    for (int k = 0; k < 60; k++) {
        struct list l = {0, 0, NULL};
        int n = k * k * 10, wrong = 0;

        list_put(&l, -5);
        ck_assert_int_eq(ws_run(thirds, &l, k, k + n, 3), 0);
        ck_assert_int_eq(l.v[0], -5);
        for (long i = 1, next = (k + 2) / 3 * 3; i < l.n; i++, next += 3)
            wrong += l.v[i] != next;
        ck_assert_int_eq(wrong, 0);
        ck_assert_int_eq(l.n, 1 + (k + n + 2) / 3 - (k + 2) / 3);
        free(l.v);
    }
    ck_assert_int_eq(list_inits, list_merges);
    stop_runtime();
}
END_TEST

START_TEST(nothing_to_do)
{
    struct list l = {0, 0, NULL};

    start(workers[_i]);
    ck_assert_int_eq(ws_for(thirds, &l, 5, 5, 1), 0);
    ck_assert_int_eq(ws_for(thirds, &l, 5, -5, 1), 0);
    ck_assert_int_eq(l.n, 0);
    thirds(&l, 7, 8, 1); /* outside a region */
    ck_assert_int_eq(l.n, 1);
    free(l.v);
    stop_runtime();
}
END_TEST

/* Large and aligned; a loop inside a task, beside another one; iterations that spawn. */
struct counts {
    _Alignas(256) long of[20000];
};

static void zero(struct counts *c)
{
    __atomic_add_fetch(&list_inits, ((uintptr_t)c & 255) == 0, __ATOMIC_RELAXED);
    memset(c, 0, sizeof *c);
}

static void add(struct counts *to, struct counts *from)
{
    __atomic_add_fetch(&list_merges, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < sizeof to->of / sizeof *to->of; i++)
        to->of[i] += from->of[i];
}

static WS_TASK(unsigned, hash, unsigned, i)
{
    return i * 2654435761u % 20000;
}

static WS_FOLD(struct counts, zero, add, histogram, struct counts *, c, unsigned, i)
{
    unsigned a, b;

    ws_spawn(hash, &a, i);
    ws_spawn(hash, &b, i + 1);
    ws_sync();
    c->of[a]++;
    c->of[b]--;
}

static WS_TASK_VOID(both, struct counts *, c, struct counts *, d, unsigned, n)
{
    ws_spawn(histogram, c, 0, n);
    ws_call(histogram, d, n, 2 * n);
    ws_sync();
}

START_TEST(large_accumulators)
{
    static struct counts c, d, expected;
    const unsigned n = 30000;

    start(workers[_i]);
    for (int k = 0; k < 5; k++) {
        memset(&c, 0, sizeof c);
        memset(&d, 0, sizeof d);
        memset(&expected, 0, sizeof expected);
        ck_assert_int_eq(ws_run(both, &c, &d, n), 0);
        add(&c, &d);
        list_merges--;
        expected.of[hash(0)]++;
        expected.of[hash(2 * n)]--;
        ck_assert_int_eq(memcmp(&c, &expected, sizeof c), 0);
    }
    ck_assert_int_eq(list_inits, list_merges);
    stop_runtime();
}
END_TEST

#if PARALLEL
/* All iterations wait for each other: so each is a part of its own, on another worker. */
static int there;

static WS_FOLD(struct list, list_clear, list_append, meet, struct list *, l, int, i)
{
    __atomic_add_fetch(&there, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&there, __ATOMIC_ACQUIRE) < 8)
        sched_yield();
    list_put(l, i);
}

START_TEST(parts_are_merged_in_order)
{
    start(8);
    for (int k = 0; k < 60; k++) {
        struct list l = {0, 0, NULL};

        there = list_inits = list_merges = 0;
        list_put(&l, -1);
        ck_assert_int_eq(ws_for(meet, &l, 0, 8), 0);
        ck_assert_int_eq(l.n, 9);
        for (int i = 0; i < 9; i++)
            ck_assert_int_eq(l.v[i], i - 1);
        ck_assert_int_eq(list_inits, 7);
        ck_assert_int_eq(list_merges, 7);
        free(l.v);
    }
    stop_runtime();
}
END_TEST
#endif

/* Arrays whose size is a captured value, by WS_FOLD_ARRAY and by an init that uses the value. */
static WS_FOLD_ARRAY(long, bins, 0, WS_ADD, count, c, unsigned, i, unsigned, bins)
{
    c[i * 2654435761u % bins]++;
}

struct table {
    unsigned size;
    long *of;
};

static void table_add(struct table *to, struct table *from)
{
    for (unsigned k = 0; k < to->size; k++)
        to->of[k] += from->of[k];
    free(from->of);
}

#define TABLE_MAKE(t) ((t)->size = bins, (t)->of = (long *)calloc(bins, sizeof(long)))
static WS_FOLD(struct table, TABLE_MAKE, table_add, tabulate, struct table *, t, unsigned, i, unsigned, bins)
{
    t->of[i * 2654435761u % bins]++;
}

START_TEST(arrays_have_the_size_of_a_captured_value)
{
    const unsigned n = 50000;

    start(workers[_i]);
    for (unsigned bins = 1; bins < 30000; bins = 5 * bins + 1) {
        long *c = (long *)calloc(bins, sizeof *c);
        struct table t = {bins, (long *)calloc(bins, sizeof *t.of)};

        ck_assert(c && t.of);
        ck_assert_int_eq(ws_run(count, c, 0, n, bins), 0);
        ck_assert_int_eq(ws_run(tabulate, &t, 0, n, bins), 0);
        ck_assert_int_eq(memcmp(c, t.of, bins * sizeof *c), 0);
        for (unsigned i = 0; i < n; i++)
            c[i * 2654435761u % bins]--;
        for (unsigned k = 0; k < bins; k++)
            ck_assert_int_eq(c[k], 0);
        free(c);
        free(t.of);
    }
    stop_runtime();
}
END_TEST

#if PARALLEL
static WS_FOLD_ARRAY(long, size, 5, WS_ADD, meet_in_array, a, int, i, int, size)
{
    __atomic_add_fetch(&there, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&there, __ATOMIC_ACQUIRE) < 8)
        sched_yield();
    a[size - 1] += i;
}

/* The identity is not neutral here: it shows how many parts have begun with it. */
START_TEST(parts_begin_with_the_identity)
{
    start(8);
    for (int size = 1; size < 2000; size = 3 * size + 1) {
        long *a = (long *)calloc((size_t)size, sizeof *a);

        ck_assert(a != NULL);
        there = 0;
        ck_assert_int_eq(ws_for(meet_in_array, a, 0, 8, size), 0);
        for (int k = 0; k < size; k++)
            ck_assert_int_eq(a[k], 7 * 5 + (k == size - 1 ? 28 : 0));
        free(a);
    }
    stop_runtime();
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("fold");

    tcase_add_loop_test(tcase, the_order_is_that_of_the_serial_loop, 0, SETS);
    tcase_add_loop_test(tcase, nothing_to_do, 0, SETS);
    tcase_add_loop_test(tcase, large_accumulators, 0, SETS);
#if PARALLEL
    tcase_add_test(tcase, parts_are_merged_in_order);
    tcase_add_test(tcase, parts_begin_with_the_identity);
#endif
    tcase_add_loop_test(tcase, arrays_have_the_size_of_a_captured_value, 0, SETS);
    return run_case("fold", tcase);
}
