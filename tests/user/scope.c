/* SPDX-License-Identifier: MIT */
/*
 * Scopes: what thieves drop and what they must run. Neighbours: scope_away.c, owners that wait and detached tasks;
 * scope_loops.c, loops; scope_rules.c, the rules that hold without thieves, too; scope_tree.c, random trees.
 */
#include "scope.h"

struct big {
    long v[20];
};
struct middle {
    char text[40];
};

static WS_TASK(double, real, long, n)
{
    note();
    return (double)n;
}
static WS_TASK(struct big, large, long, n)
{
    struct big b;

    note();
    for (int i = 0; i < 20; i++)
        b.v[i] = n;
    return b;
}
static WS_TASK(struct middle, text, struct big, b)
{
    struct middle m;

    note();
    memset(&m, (int)b.v[0], sizeof m);
    return m;
}
static WS_TASK_VOID(nothing, long, n)
{
    (void)n;
    note();
}

struct results {
    long l;
    double d;
    struct big b;
    struct middle m;
};

static bool is_zero(const struct results *r)
{
    const char *c = (const char *)r;
    size_t n = 0;

    while (n < sizeof *r && !c[n])
        n++;
    return n == sizeof *r;
}

/* Each root returns how many results or codes are wrong. */
static WS_TASK(long, every_kind_of_result)
{
    struct results r[N];
    const struct big b = {{1}};
    ws_scope s;
    long wrong = 0;

    memset(r, 0x55, sizeof r);
    for (int i = 0; i < N; i++) /* without the padding */
        memset(&r[i], 0x55, sizeof r[i]);
    ws_scope_begin(&s);
    wrong += ws_scope_cancel(&s, CODE) != 1;
    for (int i = 0; i < N; i++) {
        ws_spawn(number, &r[i].l, i);
        ws_spawn(number, NULL, i);
        ws_spawn(real, &r[i].d, i);
        ws_spawn(large, &r[i].b, i);
        ws_spawn(text, &r[i].m, b);
        ws_spawn(nothing, i);
    }
    wait_until_dropped(6 * N);
    wrong += ws_scope_end(&s) != CODE;
    for (int i = 0; i < N; i++)
        wrong += !is_zero(&r[i]);
    return wrong;
}

/* A member that a thief has begun before. */
static WS_TASK(long, spawns_later)
{
    (void)__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
    wait_until_begun(2);
    return ws_call(dropped_numbers, N) + !wsfj_dropped(wsfj_self());
}

static long spawns_after_the_cancellation(bool pinned)
{
    long r = -1, wrong = 0;
    ws_scope s;

    ws_frame();
    if (pinned)
        wrong += ws_pin() != 0;
    ws_scope_begin(&s);
    ws_spawn(spawns_later, &r);
    wait_until_begun(1);
    wrong += ws_scope_cancel(&s, CODE) != 1;
    (void)__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
    wrong += ws_scope_end(&s) != CODE; /* suspends, or waits on its thread */
    if (pinned)
        ws_unpin();
    return wrong + r;
}

static WS_TASK(long, a_members_children)
{
    return spawns_after_the_cancellation(false);
}
static WS_TASK(long, a_members_children_while_its_parent_is_pinned)
{
    return spawns_after_the_cancellation(true);
}

static long calls(void)
{
    return dropped_numbers(N);
}

static WS_TASK(long, children_of_what_is_called)
{
    long wrong = 0, r = -1;
    ws_scope s;

    ws_scope_begin(&s);
    wrong += ws_scope_cancel(&s, CODE) != 1;
    wrong += calls();
    wrong += ws_call(dropped_numbers, 2 * N);
    wrong += ws_run(dropped_numbers, &r, 3 * N);
    return wrong + r + (ws_scope_end(&s) != CODE);
}

/* The block's children lie above the pending ones, which thieves take first and must run. */
static WS_TASK(long, a_blocks_children_only)
{
    long before[N], in[N], wrong = 0;

    memset(before, 0x55, sizeof before);
    memset(in, 0x55, sizeof in);
    for (long i = 0; i < N; i++)
        ws_spawn(number, &before[i], i + 1);
    {
        ws_scope s;

        ws_frame();
        ws_scope_begin(&s);
        wrong += ws_scope_cancel(&s, CODE) != 1;
        for (long i = 0; i < N; i++)
            ws_spawn(number, &in[i], i + 1);
        while (dropped() < N)
            sched_yield();
        wrong += ws_scope_end(&s) != CODE;
    }
    ws_sync();
    for (long i = 0; i < N; i++)
        wrong += before[i] != i + 1 || in[i] != 0;
    return wrong + (__atomic_load_n(&ran, __ATOMIC_ACQUIRE) != N);
}

/* What is spawned after the end is no member, and what was pending at the begin is done. */
static WS_TASK(long, none_before_and_none_after)
{
    long r = -1, wrong = 0;
    ws_scope s;

    ws_spawn(number, &r, 5);
    ws_scope_begin(&s);
    wrong += ws_scope_cancel(&s, CODE) != 1;
    wrong += r != 5;
    wrong += ws_scope_end(&s) != CODE;
    __atomic_store_n(&ran, 0, __ATOMIC_RELEASE);
    return wrong + ws_call(run_numbers, 0);
}

static WS_TASK(long, leaves_scopes, int, how)
{
    ws_scope s, t;

    for (;;) {
        ws_scope_begin(&s);
        ws_scope_begin(&t);
        (void)ws_scope_cancel(&s, CODE);
        (void)ws_scope_cancel(&t, CODE);
        ws_spawn(number, NULL, 1);
        if (how == 0)
            return 0;
        if (how == 1)
            break;
        if (how == 2)
            goto out;
        if (how == 3)
            (void)ws_scope_end(&s); /* and t with it */
        how = 1;
    }
out:
    __atomic_store_n(&ran, 0, __ATOMIC_RELEASE);
    return ws_call(run_numbers, dropped());
}

/* A scope that is left in any way has no members any more. */
static WS_TASK(long, none_after_scopes_that_are_left)
{
    long wrong = 0;

    for (int how = 0; how < 4; how++) {
        wrong += ws_call(leaves_scopes, how);
        __atomic_store_n(&ran, 0, __ATOMIC_RELEASE);
        wrong += ws_call(run_numbers, dropped());
    }
    return wrong;
}

static WS_TASK(long, those_of_the_cancelled_scope_only)
{
    ws_scope outer, inner;
    long wrong = 0;

    ws_scope_begin(&outer);
    ws_scope_begin(&inner);
    wrong += ws_scope_cancel(&inner, CODE) != 1;
    wrong += ws_call(dropped_numbers, N);
    wrong += !wsfj_dropped(wsfj_self());
    wrong += ws_scope_end(&inner) != CODE;
    wrong += wsfj_dropped(wsfj_self());
    wrong += ws_call(run_numbers, N);
    return wrong + (ws_scope_end(&outer) != 0);
}

static WS_TASK(long, those_of_the_scopes_inside)
{
    ws_scope outer, inner;
    long wrong = 0;

    ws_scope_begin(&outer);
    wrong += ws_scope_cancel(&outer, CODE) != 1;
    ws_scope_begin(&inner);
    wrong += ws_call(dropped_numbers, N);
    wrong += ws_scope_cancelled(&inner) != CODE;
    wrong += ws_scope_end(&inner) != CODE;
    wrong += ws_call(dropped_numbers, 2 * N);
    return wrong + (ws_scope_end(&outer) != CODE);
}

#define ROOTS(X)                                                                                                       \
    X(every_kind_of_result, 6 * N)                                                                                     \
    X(a_members_children, N)                                                                                           \
    X(a_members_children_while_its_parent_is_pinned, N)                                                                \
    X(children_of_what_is_called, 3 * N)                                                                               \
    X(a_blocks_children_only, N)                                                                                       \
    X(none_before_and_none_after, 0)                                                                                   \
    X(none_after_scopes_that_are_left, SOME)                                                                           \
    X(those_of_the_cancelled_scope_only, N)                                                                            \
    X(those_of_the_scopes_inside, 2 * N)
ROOT_TABLE(ROOTS);

/* Catches: members that run, results that are not zero, drops that nobody counts; tasks dropped that are no members. */
START_TEST(thieves_drop)
{
    check_root(&roots[_i], 2, 0);
    check_root(&roots[_i], 3, 0);
    check_root(&roots[_i], 8, 0);
    check_root(&roots[_i], 3, 3); /* for root, member and thief */
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("scope");

    tcase_add_loop_test(tcase, thieves_drop, 0, NUM_ROOTS);
    return run_case("scope", tcase);
}
