/* SPDX-License-Identifier: MIT */
/*
 * Scopes whose task is away: thieves find its deque in the list of suspended ones. Detached tasks are no members, even
 * where the task that waits for them calls them. Neighbour: scope.c.
 */
#include "scope.h"

static void waits_for_thieves(void *arg)
{
    (void)arg;
    wait_until_dropped(4 * N);
}

/* Thieves find the deque in the list of suspended ones. */
static WS_TASK(long, children_of_a_task_that_is_away)
{
    long r[4 * N], wrong = 0;
    ws_scope s;

    memset(r, 0x55, sizeof r);
    ws_scope_begin(&s);
    wrong += ws_scope_cancel(&s, CODE) != 1;
    for (int i = 0; i < 4 * N; i++) {
        ws_group group = WS_GROUP_INIT;

        ws_spawn(number, &r[i], i + 1);
        if (i == N)
            WS_BLOCKING wait_until_dropped(N + 1);
        while (i == 2 * N && dropped() < 2 * N + 1 && !__atomic_load_n(&ran, __ATOMIC_ACQUIRE))
            ws_yield();
        if (i == 4 * N - 1) {
            wrong += ws_group_submit(&group, waits_for_thieves, NULL);
            wrong += ws_group_wait(&group);
        }
    }
    wrong += ws_scope_end(&s) != CODE;
    for (int i = 0; i < 4 * N; i++)
        wrong += r[i] != 0;
    return wrong;
}

static void detached(void *wrong)
{
    ws_frame();
    *(long *)wrong = ws_call(run_numbers, 0) + wsfj_dropped(wsfj_self());
}

static WS_TASK(long, no_detached_task)
{
    ws_group group = WS_GROUP_INIT;
    long wrong = 0, r = -1;
    ws_scope s;

    ws_scope_begin(&s);
    wrong += ws_scope_cancel(&s, CODE) != 1;
    wrong += ws_group_submit(&group, detached, &r);
    wrong += ws_group_wait(&group);
    return wrong + r + (ws_scope_end(&s) != CODE);
}

/* Holds a stack until the other detached task has spawned. */
static void holds(void *arg)
{
    (void)arg;
    (void)__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
    wait_until_begun(2);
}

static void detached_without_a_stack(void *wrong)
{
    long r[N];

    ws_frame();
    for (long i = 0; i < N; i++)
        ws_spawn(number, &r[i], i + 1);
    (void)__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
    wait_until_run(0);
    ws_sync();
    *(long *)wrong = wsfj_dropped(wsfj_self());
    for (long i = 0; i < N; i++)
        *(long *)wrong += r[i] != i + 1;
}

/* Without a stack for it, the waiting task calls the detached one; the thief then has the stack that was held. */
static WS_TASK(long, no_detached_task_that_the_waiter_calls)
{
    ws_group held = WS_GROUP_INIT, group = WS_GROUP_INIT;
    long wrong = 0, r = -1;
    ws_scope s;

    ws_scope_begin(&s);
    wrong += ws_scope_cancel(&s, CODE) != 1;
    wrong += ws_group_submit(&held, holds, NULL);
    wait_until_begun(1);
    wrong += ws_group_submit(&group, detached_without_a_stack, &r);
    wrong += ws_group_wait(&group);
    wrong += ws_group_wait(&held);
    return wrong + r + (ws_scope_end(&s) != CODE);
}

#define ROOTS(X)                                                                                                       \
    X(children_of_a_task_that_is_away, 4 * N)                                                                          \
    X(no_detached_task, 0)                                                                                             \
    X(no_detached_task_that_the_waiter_calls, 0)
ROOT_TABLE(ROOTS);

/* Catches: a deque in the list whose scope is not seen; a detached task whose children are dropped. */
START_TEST(thieves_drop_while_the_owner_waits)
{
    check_root(&roots[_i], 2, 0);
    check_root(&roots[_i], 3, 0);
    check_root(&roots[_i], 8, 0);
}
END_TEST

/* Catches: the same where the waiter calls the detached task. */
START_TEST(a_thief_runs_the_children_of_a_called_detached_task)
{
    check_root(&roots[NUM_ROOTS - 1], 2, 2);
}
END_TEST

static WS_TASK_VOID(member)
{
    (void)__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
    wait_until_begun(2);
}

/* A thief runs the member when its scope is cancelled. */
static WS_TASK(int, cancels_what_runs, ws_scope *, s)
{
    ws_scope_begin(s);
    ws_spawn(member);
    wait_until_begun(1);
    (void)ws_scope_cancel(s, CODE);
    (void)__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
    return ws_scope_end(s);
}

static void is_member(void *says)
{
    *(long *)says = wsfj_dropped(wsfj_self());
}

/* Catches: a detached task on a stack that still has the scope of the task before. */
START_TEST(a_stack_forgets_its_last_tasks_scope)
{
    static ws_scope s;
    ws_group group = WS_GROUP_INIT;
    long wrong[8];
    int code = 0;

    start(2);
    begun = 0;
    ck_assert_int_eq(ws_run(cancels_what_runs, &code, &s), 0);
    ck_assert_int_eq(code, CODE);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(ws_group_submit(&group, is_member, &wrong[i]), 0);
        if (i % 2)
            ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(wrong[i], 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("scope_away");

    tcase_add_loop_test(tcase, thieves_drop_while_the_owner_waits, 0, NUM_ROOTS - 1);
    tcase_add_test(tcase, a_thief_runs_the_children_of_a_called_detached_task);
    tcase_add_test(tcase, a_stack_forgets_its_last_tasks_scope);
    return run_case("scope_away", tcase);
}
