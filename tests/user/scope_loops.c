/* SPDX-License-Identifier: MIT */
/*
 * Loops in scopes that are cancelled: while they run, before, or as members that a thief drops. Neighbour: scope.c.
 *
 * Catches: a driver that runs on in a cancelled scope; a try that tells of a failure that was none; a fold that merges
 * what has not been begun, or keeps what was; a loop that is cut short in a scope that is not cancelled.
 */
#include "list.h"
#include "scope.h"

#define LOOPED 10000000L

/* An early iteration cancels, and the last one, which is among the first to run in a plane. */
static void visit(long i, ws_scope *s)
{
    note();
    if (i == 5 || i == LOOPED - 1)
        (void)ws_scope_cancel(s, CODE);
}

static WS_LOOP(looped, long, i, ws_scope *, s)
{
    visit(i, s);
}
static WS_LOOP_STATIC(sliced, long, i, ws_scope *, s)
{
    visit(i, s);
}
static WS_LOOP2(tiled, long, i, int, j, ws_scope *, s)
{
    visit(2 * i + j, s);
}
static WS_REDUCE(long, 0, WS_ADD, summed, long, i, ws_scope *, s)
{
    visit(i, s);
    return 1;
}
static WS_REDUCE_ANY(long, 0, WS_ADD, counted, long, i, ws_scope *, s)
{
    visit(i, s);
    return 1;
}
static WS_FOLD(struct list, list_clear, list_append, listed, struct list *, l, long, i, ws_scope *, s)
{
    visit(i, s);
    if (i % 1000 < 10)
        list_put(l, i);
}
/* Fails at each multiple of `by`. */
static WS_TRY(tried, long, i, ws_scope *, s, long, by)
{
    visit(i, s);
    return i % by == 0 ? (int)(i % 100) + 1 : 0;
}

enum { LOOP, STATIC, PLANE, SUM, COUNT, FOLD, TRY, FAILING_TRY, KINDS };

static bool is_increasing(struct list *l)
{
    bool right = true;

    for (long i = 0; right && i < l->n; i++)
        right = l->v[i] % 1000 < 10 && (i == 0 || l->v[i - 1] < l->v[i]);
    free(l->v);
    return right;
}

/* One loop of each kind from lo to hi. Returns whether its result can be that of some of the iterations. */
static bool run_kind(int kind, long lo, long hi, ws_scope *s)
{
    WS_TRIED(long) r = {-1, -1};
    struct list l = {0, 0, NULL};
    long sum = 0;

    switch (kind) {
    case LOOP: looped(lo, hi, s); return true;
    case STATIC: sliced(lo, hi, s); return true;
    case PLANE: tiled(lo / 2, hi / 2, 0, 2, s); return true;
    case SUM: sum = summed(lo, hi, s); return sum >= 0 && sum <= hi - lo;
    case COUNT: sum = counted(lo, hi, s); return sum >= 0 && sum <= hi - lo;
    case FOLD: listed(&l, lo, hi, s); return is_increasing(&l);
    case TRY: r = tried(lo, hi, s, LOOPED); return r.at == hi && r.status == 0;
    default:
        r = tried(lo, hi, s, 77);
        return r.status ? r.at % 77 == 0 && r.status == (int)(r.at % 100) + 1 : r.at == hi;
    }
}

/* Cancelled by an iteration, and before the loop; then not. In the second round a loop knows how long it takes. */
static WS_TASK(long, loops_in_scopes, int, kind)
{
    const long from = kind == TRY || kind == FAILING_TRY; /* 0 fails */
    long wrong = 0;

    for (int round = 0; round < 2; round++) {
        ws_scope s;

        __atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
        ws_scope_begin(&s);
        wrong += !run_kind(kind, from, LOOPED, &s);
        wrong += ws_scope_end(&s) != CODE;
        wrong += __atomic_load_n(&ran, __ATOMIC_RELAXED) >= LOOPED - from;
        ws_scope_begin(&s);
        (void)ws_scope_cancel(&s, CODE);
        __atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
        wrong += !run_kind(kind, 1000, LOOPED, &s);
        wrong += ws_scope_end(&s) != CODE;
        wrong += __atomic_load_n(&ran, __ATOMIC_RELAXED) >= LOOPED / 10;
        __atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
        ws_scope_begin(&s);
        wrong += !run_kind(kind, 78, 100078, &s);
        wrong += ws_scope_end(&s) != 0;
        wrong += kind != FAILING_TRY && __atomic_load_n(&ran, __ATOMIC_RELAXED) != 100000;
    }
    return wrong;
}

START_TEST(loops_end_early)
{
    for (int kind = 0; kind < KINDS; kind++) {
        long wrong = -1;

        start(workers[_i]);
        ck_assert_int_eq(ws_run(loops_in_scopes, &wrong, kind), 0);
        ck_assert_msg(wrong == 0, "kind %d: %ld wrong", kind, wrong);
        ck_assert_int_eq(ws_fini(), 0);
    }
    ck_assert_int_eq(list_inits, list_merges);
}
END_TEST

/* Before the loop a driver that knows no pace looks, so nothing runs at all. */
static WS_TASK(long, a_first_run, int, kind)
{
    long wrong = 0;
    ws_scope s;

    ws_scope_begin(&s);
    (void)ws_scope_cancel(&s, CODE);
    wrong += !run_kind(kind, 0, LOOPED, &s);
    return wrong + (ws_scope_end(&s) != CODE) + __atomic_load_n(&ran, __ATOMIC_RELAXED);
}

START_TEST(a_loop_in_a_cancelled_scope_does_not_begin)
{
    start(workers[_i]);
    for (int kind = 0; kind < KINDS; kind++) {
        long wrong = -1;

        if (kind == FAILING_TRY) /* which has a pace by now */
            continue;
        ran = 0;
        ck_assert_int_eq(ws_run(a_first_run, &wrong, kind), 0);
        ck_assert_msg(wrong == 0, "kind %d: %ld", kind, wrong);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Children that thieves drop: their results are all zero bits, the index of a try as well. */
static WS_TASK(long, dropped_tries)
{
    WS_TRIED(long) r[N];
    struct list l[N];
    ws_scope s;
    long wrong = 0;

    memset(r, 0x55, sizeof r);
    memset(l, 0, sizeof l);
    ws_scope_begin(&s);
    (void)ws_scope_cancel(&s, CODE);
    for (int i = 0; i < N; i++) {
        ws_spawn(tried, &r[i], 5, 100, &s, 7);
        ws_spawn(listed, &l[i], 5, 100, &s);
    }
    wait_until_dropped(UINT64_C(2) * N);
    wrong += ws_scope_end(&s) != CODE;
    for (int i = 0; i < N; i++)
        wrong += r[i].at != 0 || r[i].status != 0 || l[i].n != 0;
    return wrong;
}

#define ROOTS(X) X(dropped_tries, UINT64_C(2) * N)
ROOT_TABLE(ROOTS);

START_TEST(thieves_drop_loops)
{
    check_root(&roots[_i], 2, 0);
    check_root(&roots[_i], 8, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("scope_loops");

    tcase_add_loop_test(tcase, loops_end_early, 0, WORKERS);
    tcase_add_loop_test(tcase, a_loop_in_a_cancelled_scope_does_not_begin, 0, WORKERS);
    tcase_add_loop_test(tcase, thieves_drop_loops, 0, NUM_ROOTS);
    return run_case("scope_loops", tcase);
}
