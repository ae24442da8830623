/* SPDX-License-Identifier: MIT */
/*
 * Reductions in cancelled scopes. Each value bears a seal that the body or the identity has put on it, and combine() looks
 * for it. The same file is compiled as a serial (scope_reductions_serial) and a profiled program (scope_reductions_profile),
 * and searched for races by tests/race/ours.sh: there nothing is dropped. Neighbours: scope_loops.c; reductions.c.
 *
 * Catches: a driver that combines what a dropped line has left; an early end before the first iteration; a result of some
 * of the iterations; a dropped reduction whose result is not the identity; a reduction that is cut short in a scope that is
 * not cancelled.
 */
#include "scope.h"

#include <pthread.h>

#if defined WSFJ_SERIAL || defined WSFJ_PROFILE || defined WSFJ_RACE
#define DROPS false
#define MANY 2000L
#else
#define DROPS true
#define MANY 50000L
#endif
#define SEAL 0x5ea1u

/* Four to a cache line; and too many for the stack. */
struct sealed {
    long sum;
    unsigned seal;
};
struct tall {
    struct sealed s;
    char more[1040];
};

static long strangers; /* values that nobody has made */
static long empties;   /* identities */

static struct sealed seal(long sum)
{
    return (struct sealed){sum, SEAL};
}
static struct sealed empty(void)
{
    (void)__atomic_add_fetch(&empties, 1, __ATOMIC_RELEASE);
    return seal(0);
}
static struct sealed add(struct sealed a, struct sealed b)
{
    if (a.seal != SEAL || b.seal != SEAL)
        (void)__atomic_add_fetch(&strangers, 1, __ATOMIC_RELAXED);
    return seal(a.sum + b.sum);
}
static struct tall tall(struct sealed s)
{
    struct tall t;

    memset(&t, 0x55, sizeof t);
    t.s = s;
    return t;
}
static struct tall add_tall(struct tall a, struct tall b)
{
    return tall(add(a.s, b.s));
}

/* Iteration `at` cancels `s`. */
static void visit(long i, ws_scope *s, long at)
{
    note();
    take_time(i);
    if (i == at)
        (void)ws_scope_cancel(s, CODE);
}

#define REDUCTIONS(ordered, any, R, identity, combine, value)                                                          \
    static WS_REDUCE(R, identity, combine, ordered, long, i, ws_scope *, s, long, at)                                  \
    {                                                                                                                  \
        visit(i, s, at);                                                                                               \
        return value;                                                                                                  \
    }                                                                                                                  \
    static WS_REDUCE_ANY(R, identity, combine, any, long, i, ws_scope *, s, long, at)                                  \
    {                                                                                                                  \
        visit(i, s, at);                                                                                               \
        return value;                                                                                                  \
    }
REDUCTIONS(small_sum, small_any, struct sealed, empty(), add, seal(1))
REDUCTIONS(tall_sum, tall_any, struct tall, tall(empty()), add_tall, tall(seal(1)))

/* Each iteration is a reduction of its own. */
static WS_REDUCE(struct sealed, empty(), add, nested, long, i, ws_scope *, s, long, at)
{
    long first = i * 100;

    return ws_call(small_sum, first, first + 100, s, at);
}
static WS_REDUCE_ANY(struct sealed, empty(), add, nested_any, long, i, ws_scope *, s, long, at)
{
    struct sealed a, b;
    long first = i * 100;

    ws_spawn(small_any, &a, first, first + 50, s, at);
    b = ws_call(small_any, first + 50, first + 100, s, at);
    ws_sync();
    return add(a, b);
}

enum { SMALL, SMALL_ANY, TALL, TALL_ANY, NESTED, NESTED_ANY, KINDS };
enum { CALL, FOR, SPAWN, HOWS };

#define REDUCE(f, ...)                                                                                                 \
    do {                                                                                                               \
        if (how == CALL) {                                                                                             \
            r = ws_call(f, __VA_ARGS__);                                                                               \
        } else if (how == FOR) {                                                                                       \
            (void)ws_for(f, &r, __VA_ARGS__);                                                                          \
        } else {                                                                                                       \
            ws_spawn(f, &r, __VA_ARGS__);                                                                              \
            ws_sync();                                                                                                 \
        }                                                                                                              \
    } while (0)

static WS_TASK(struct sealed, reduce_small, int, kind, int, how, long, n, ws_scope *, s, long, at)
{
    struct sealed r = {0};

    switch (kind) {
    case SMALL: REDUCE(small_sum, 0, n, s, at); return r;
    case SMALL_ANY: REDUCE(small_any, 0, n, s, at); return r;
    case NESTED: REDUCE(nested, 0, n / 100, s, at); return r;
    default: REDUCE(nested_any, 0, n / 100, s, at); return r;
    }
}

static WS_TASK(struct sealed, reduce_tall, int, kind, int, how, long, n, ws_scope *, s, long, at)
{
    struct tall r;

    memset(&r, 0, sizeof r);
    if (kind == TALL)
        REDUCE(tall_sum, 0, n, s, at);
    else
        REDUCE(tall_any, 0, n, s, at);
    return r.s;
}

/* A reduction of n iterations, of which `at` cancels `s`. Returns its sum; -1: nobody has made the value. */
static WS_TASK(long, reduce, int, kind, int, how, long, n, ws_scope *, s, long, at)
{
    struct sealed r = kind == TALL || kind == TALL_ANY ? ws_call(reduce_tall, kind, how, n, s, at)
                                                       : ws_call(reduce_small, kind, how, n, s, at);

    return r.seal == SEAL ? r.sum : -1;
}

#define NEVER (-1L)

/* Cancelled by an early iteration, and before the reduction, in this scope and in the one around it; then not cancelled. */
static WS_TASK(long, reductions_in_scopes, int, kind, int, how)
{
    const long expected = DROPS ? 0 : MANY;
    long wrong = 0;

    for (int round = 0; round < 2; round++) {
        ws_scope outer, s;

        ws_scope_begin(&outer);
        ws_scope_begin(&s);
        wrong += ws_call(reduce, kind, how, MANY, &s, 5) != expected;
        wrong += ws_scope_end(&s) != CODE;
        ws_scope_begin(&s);
        wrong += ws_call(reduce, kind, how, MANY, &s, NEVER) != MANY;
        wrong += ws_scope_end(&s) != 0;
        ws_scope_begin(&s);
        wrong += ws_call(reduce, kind, how, MANY, &outer, 5) != expected;
        wrong += ws_scope_end(&s) != CODE;
        __atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
        wrong += ws_call(reduce, kind, how, MANY, &s, NEVER) != expected;
        wrong += ws_call(reduce, kind, how, 100, &s, NEVER) != (DROPS ? 0 : 100);
        wrong += DROPS && __atomic_load_n(&ran, __ATOMIC_RELAXED) != 0;
        wrong += ws_scope_end(&outer) != CODE;
        wrong += ws_call(reduce, kind, how, MANY, &s, NEVER) != MANY;
    }
    return wrong;
}

static const struct {
    size_t workers, stacks;
} settings[] = {{1, 0}, {2, 0}, {3, 0}, {8, 0}, {2, 1}, {4, 5}};
#define SETTINGS ((int)(sizeof settings / sizeof *settings))

static void start_setting(int k)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = settings[k].workers;
    config.max_stacks = settings[k].stacks;
    ck_assert_int_eq(ws_init(&config), 0);
    strangers = empties = ran = 0;
}

START_TEST(combine_sees_no_value_that_nobody_has_made)
{
    start_setting(_i);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int how = 0; how < HOWS; how++) {
            long wrong = -1;

            ck_assert_int_eq(ws_run(reductions_in_scopes, &wrong, kind, how), 0);
            ck_assert_msg(wrong == 0 && strangers == 0, "kind %d, how %d: %ld wrong, %ld strangers", kind, how, wrong,
                          strangers);
        }
    }
    stop_runtime();
}
END_TEST

/* A thread that is no worker cancels at any moment. */
static ws_scope *to_cancel; /* NULL: none, or it is cancelled */

static void *cancel_scopes(void *delay)
{
    for (unsigned n = 0;; n++) {
        ws_scope *s = __atomic_load_n(&to_cancel, __ATOMIC_ACQUIRE);

        if ((const void *)s == delay)
            return NULL;
        for (volatile unsigned k = 0; s && k < n * 7919 % 4000; k++)
            ;
        if (s)
            (void)ws_scope_cancel(s, CODE);
        if (s)
            __atomic_store_n(&to_cancel, NULL, __ATOMIC_RELEASE);
        else
            sched_yield();
    }
}

static WS_TASK(long, cancelled_from_elsewhere, int, kind)
{
    ws_scope s;
    long sum;

    ws_scope_begin(&s);
    __atomic_store_n(&to_cancel, &s, __ATOMIC_RELEASE);
    sum = ws_call(reduce, kind, CALL, 2000, &s, NEVER);
    while (__atomic_load_n(&to_cancel, __ATOMIC_ACQUIRE))
        ws_yield(); /* s must live until then */
    return ws_scope_end(&s) == CODE ? sum : -2;
}

START_TEST(a_value_is_whole_or_the_identity)
{
    static ws_scope end;
    pthread_t thread;

    start_setting(_i);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_scopes, &end), 0);
    for (int n = 0; n < 300; n++) {
        long sum = -1;

        ck_assert_int_eq(ws_run(cancelled_from_elsewhere, &sum, n % NESTED), 0);
        ck_assert_msg(sum == 2000 || (DROPS && sum == 0), "%d: %ld", n, sum);
        ck_assert_int_eq(strangers, 0);
    }
    __atomic_store_n(&to_cancel, &end, __ATOMIC_RELEASE);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    stop_runtime();
}
END_TEST

/* 2 N reductions for thieves. */
static WS_TASK(long, dropped_reductions)
{
    struct sealed r[N];
    struct tall t[N];
    long wrong = 0;
    ws_scope s;

    memset(r, 0x55, sizeof r);
    memset(t, 0x55, sizeof t);
    ws_scope_begin(&s);
    (void)ws_scope_cancel(&s, CODE);
    for (int i = 0; i < N; i++) {
        ws_spawn(small_sum, &r[i], 0, i % 2 ? 5 : MANY, &s, NEVER);
        ws_spawn(tall_any, &t[i], 0, i % 2 ? 5 : MANY, &s, NEVER);
    }
    while (DROPS && __atomic_load_n(&empties, __ATOMIC_ACQUIRE) + (long)dropped() < 2 * N)
        sched_yield();
    wrong += ws_scope_end(&s) != CODE;
    for (int i = 0; i < N; i++) {
        const long whole = DROPS ? 0 : i % 2 ? 5 : MANY;

        wrong += r[i].seal != SEAL || r[i].sum != whole || t[i].s.seal != SEAL || t[i].s.sum != whole;
    }
    return wrong;
}

START_TEST(the_result_of_a_dropped_reduction_is_the_identity)
{
    long wrong = -1;

    start_setting(1 + _i);
    ck_assert_int_eq(ws_run(dropped_reductions, &wrong), 0);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(strangers, 0);
    ck_assert_int_eq(DROPS ? ran : 0, 0);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("scope_reductions");

    tcase_add_loop_test(tcase, combine_sees_no_value_that_nobody_has_made, 0, DROPS ? SETTINGS : 1);
    tcase_add_loop_test(tcase, a_value_is_whole_or_the_identity, 0, DROPS ? SETTINGS : 1);
    tcase_add_loop_test(tcase, the_result_of_a_dropped_reduction_is_the_identity, 0, DROPS ? 3 : 1);
    return run_case("scope_reductions", tcase);
}
