/* SPDX-License-Identifier: MIT */
/*
 * The rules of scopes, in a region and outside. The same file is compiled as a parallel, a serial (scope_serial) and a
 * profiled program (scope_profile): there the rules hold, too. Neighbour: scope.c, what thieves drop.
 */
#include "../support/runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static WS_TASK(long, fib, long, n)
{
    long x = 0, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static WS_TASK_VOID(cancels, ws_scope *, s, int, code)
{
    (void)ws_scope_cancel(s, code);
}

/* Each rule returns the number of its first condition that does not hold; 0: it holds. */
#define MUST(n, condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return n;                                                                                                  \
    } while (0)

static WS_TASK(int, without_cancellation_all_run)
{
    long a = 0, b = 0;
    ws_scope s;

    ws_scope_begin(&s);
    ws_spawn(fib, &a, 15);
    ws_spawn(fib, &b, 16);
    MUST(1, ws_scope_cancelled(&s) == 0);
    MUST(2, ws_scope_end(&s) == 0);
    MUST(3, a == 610 && b == 987);
    MUST(4, ws_scope_cancelled(&s) == 0);
    return 0;
}

static WS_TASK(int, the_first_code_counts)
{
    ws_scope s;

    ws_scope_begin(&s);
    MUST(1, ws_scope_cancel(&s, 0) == 0);
    MUST(2, ws_scope_cancelled(&s) == 0);
    MUST(3, ws_scope_cancel(&s, -5) == 1);
    MUST(4, ws_scope_cancelled(&s) == -5);
    MUST(5, ws_scope_cancel(&s, 7) == 0);
    MUST(6, ws_scope_cancel(&s, 0) == 0);
    MUST(7, ws_scope_end(&s) == -5);
    MUST(8, ws_scope_cancelled(&s) == -5);
    return 0;
}

static WS_TASK(int, a_child_cancels)
{
    ws_scope s;

    ws_scope_begin(&s);
    ws_spawn(cancels, &s, 9);
    MUST(1, ws_scope_end(&s) == 9);
    return 0;
}

static WS_TASK(int, a_scope_begins_anew)
{
    ws_scope s;

    for (int i = 0; i < 3; i++) {
        long a = 0;

        ws_scope_begin(&s);
        MUST(1, ws_scope_cancelled(&s) == 0);
        ws_spawn(fib, &a, 10);
        ws_sync(); /* the scope stays open */
        MUST(2, a == 55);
        ws_spawn(cancels, &s, i + 1);
        MUST(3, ws_scope_end(&s) == i + 1);
    }
    return 0;
}

static void counts(void *n)
{
    (void)__atomic_add_fetch((int *)n, 1, __ATOMIC_RELAXED);
}

static WS_LOOP(visits, int, i, int *, n)
{
    (void)i;
    counts(n);
}

/* The memory of a scope or a group may have been anything before. */
static WS_TASK(int, old_memory_does_not_matter)
{
    for (int old = 0; old < 2; old++) {
        long a = 0;
        int n = 0;
        ws_scope s;
        ws_group group;

        memset(&s, old ? 0xff : 0, sizeof s);
        memset(&group, old ? 0xff : 0, sizeof group);
        s.wsfj_until = group.wsfj_scope.wsfj_until = 1; /* past */
        ws_scope_begin(&s);
        ws_group_init(&group);
        MUST(1, ws_scope_cancelled(&s) == 0);
        ws_spawn(fib, &a, 10);
        ws_sync();
        MUST(2, a == 55);
        MUST(3, ws_scope_cancel(&s, 2) == 1);
        ws_for(visits, 0, 5, &n);
        MUST(4, ws_scope_end(&s) == 2);
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE && !defined WSFJ_RACE /* these drop nothing */
        MUST(5, n == 0);
#endif
        n = 0;
        MUST(6, ws_group_submit(&group, counts, &n) == 0);
        MUST(7, ws_group_wait(&group) == 0);
        MUST(8, n == 1);
        MUST(9, ws_group_cancel(&group, 3) == 1);
        MUST(10, ws_group_submit(&group, counts, &n) == 0);
        MUST(11, ws_group_wait(&group) == 3);
        MUST(12, n == 1);
    }
    return 0;
}

static WS_TASK(int, begin_waits_for_what_is_pending)
{
    long a = 0;
    ws_scope s;

    ws_spawn(fib, &a, 20);
    ws_scope_begin(&s);
    MUST(1, a == 6765);
    MUST(2, ws_scope_end(&s) == 0);
    return 0;
}

static WS_TASK(int, a_cancelled_outer_scope_cancels_the_inner_one)
{
    ws_scope outer, inner, own;

    ws_scope_begin(&outer);
    ws_scope_begin(&inner);
    ws_scope_begin(&own);
    MUST(1, ws_scope_cancel(&outer, 3) == 1);
    MUST(2, ws_scope_cancelled(&inner) == 3);
    MUST(3, ws_scope_cancel(&own, 4) == 1);
    MUST(4, ws_scope_cancelled(&own) == 4);
    MUST(5, ws_scope_end(&own) == 4);
    MUST(6, ws_scope_end(&inner) == 3);
    MUST(7, ws_scope_end(&outer) == 3);
    MUST(8, ws_scope_cancelled(&inner) == 3);
    return 0;
}

static WS_TASK(int, a_cancelled_inner_scope_leaves_the_outer_one)
{
    ws_scope outer, inner;

    ws_scope_begin(&outer);
    ws_scope_begin(&inner);
    MUST(1, ws_scope_cancel(&inner, 3) == 1);
    MUST(2, ws_scope_cancelled(&outer) == 0);
    MUST(3, ws_scope_end(&inner) == 3);
    MUST(4, ws_scope_cancel(&inner, 5) == 0);
    MUST(5, ws_scope_end(&outer) == 0);
    return 0;
}

/* Ends the scopes inside. */
static WS_TASK(int, the_end_of_the_outer_scope_ends_the_inner_one)
{
    ws_scope outer, inner, next;

    ws_scope_begin(&outer);
    ws_scope_begin(&inner);
    MUST(1, ws_scope_cancel(&outer, 3) == 1);
    MUST(2, ws_scope_end(&outer) == 3);
    ws_scope_begin(&next);
    MUST(3, ws_scope_cancelled(&next) == 0);
    MUST(4, ws_scope_cancelled(&inner) == 3);
    MUST(5, ws_scope_end(&next) == 0);
    return 0;
}

static WS_TASK(int, leaves, int, how)
{
    ws_scope s;

    for (int i = 0; i < 2; i++) {
        ws_scope_begin(&s);
        ws_spawn(cancels, &s, 8);
        if (how == 0)
            return 0;
        if (how == 1)
            break;
        if (how == 2)
            goto out;
        continue;
    }
out:
    return ws_scope_cancelled(&s);
}

static WS_TASK(int, a_scope_ends_with_its_block)
{
    ws_scope s;

    for (int how = 0; how < 4; how++) {
        MUST(1, ws_call(leaves, how) == (how == 0 ? 0 : 8));
        ws_scope_begin(&s);
        MUST(2, ws_scope_cancelled(&s) == 0);
        MUST(3, ws_scope_end(&s) == 0);
    }
    return 0;
}

/* After its end, the library touches the scope no more. */
static WS_TASK(int, a_scope_on_the_heap_is_freed)
{
    ws_scope *s = malloc(sizeof *s);

    MUST(1, s != NULL);
    ws_scope_begin(s);
    ws_spawn(cancels, s, 2);
    MUST(2, ws_scope_end(s) == 2);
    free(s);
    return 0;
}

static void in_detached_task(void *arg)
{
    ws_scope s;

    ws_frame();
    ws_scope_begin(&s);
    *(int *)arg = ws_scope_cancelled(&s) ? 1 : ws_scope_end(&s) ? 2 : 0;
}

static WS_TASK(int, a_detached_task_is_no_member)
{
    ws_group group = WS_GROUP_INIT;
    int r[3] = {-1, -1, -1};
    ws_scope s;

    ws_scope_begin(&s);
    MUST(1, ws_scope_cancel(&s, 1) == 1);
    MUST(2, ws_group_submit(&group, in_detached_task, &r[0]) == 0);
    MUST(3, ws_group_try_submit(&group, in_detached_task, &r[1]) == 0);
    MUST(4, ws_group_wait(&group) == 0);
    MUST(5, r[0] == 0 && r[1] == 0);
    MUST(6, ws_scope_cancelled(&s) == 1);
    MUST(7, ws_scope_end(&s) == 1);
    return 0;
}

static void *cancels_from_a_thread(void *arg)
{
    (void)ws_scope_cancel(arg, 11);
    return NULL;
}

static WS_TASK(int, any_thread_cancels)
{
    pthread_t thread;
    ws_scope s;

    ws_scope_begin(&s);
    MUST(1, pthread_create(&thread, NULL, cancels_from_a_thread, &s) == 0);
    while (!ws_scope_cancelled(&s))
        sched_yield();
    MUST(2, pthread_join(thread, NULL) == 0);
    MUST(3, ws_scope_end(&s) == 11);
    return 0;
}

static WS_TASK(int, deep, int, n, ws_scope *, outermost)
{
    int r = 0;
    ws_scope s;

    ws_scope_begin(&s);
    if (n > 0)
        ws_spawn(deep, &r, n - 1, outermost);
    else
        (void)ws_scope_cancel(outermost, 6);
    return ws_scope_end(&s) == 6 ? r + 1 : -1000;
}

static WS_TASK(int, a_hundred_scopes_in_each_other)
{
    ws_scope s;
    int r = 0;

    ws_scope_begin(&s);
    r = ws_call(deep, 99, &s);
    MUST(1, r == 100);
    MUST(2, ws_scope_end(&s) == 6);
    return 0;
}

#define RULES(X)                                                                                                       \
    X(without_cancellation_all_run)                                                                                    \
    X(the_first_code_counts)                                                                                           \
    X(a_child_cancels)                                                                                                 \
    X(a_scope_begins_anew)                                                                                             \
    X(old_memory_does_not_matter)                                                                                      \
    X(begin_waits_for_what_is_pending)                                                                                 \
    X(a_cancelled_outer_scope_cancels_the_inner_one)                                                                   \
    X(a_cancelled_inner_scope_leaves_the_outer_one)                                                                    \
    X(the_end_of_the_outer_scope_ends_the_inner_one)                                                                   \
    X(a_scope_ends_with_its_block)                                                                                     \
    X(a_scope_on_the_heap_is_freed)                                                                                    \
    X(a_detached_task_is_no_member)                                                                                    \
    X(any_thread_cancels)                                                                                              \
    X(a_hundred_scopes_in_each_other)

#define RULE_RUN(name)                                                                                                 \
    static int run_##name(int *broken)                                                                                 \
    {                                                                                                                  \
        return ws_run(name, broken);                                                                                   \
    }
#define RULE_ENTRY(name) {#name, name, run_##name},
RULES(RULE_RUN)
static const struct {
    const char *name;
    int (*plain)(void);
    int (*run)(int *broken);
} rules[] = {RULES(RULE_ENTRY)};
enum { NUM_RULES = sizeof rules / sizeof *rules };

START_TEST(a_rule_holds)
{
#if defined WSFJ_SERIAL || defined WSFJ_PROFILE
    const size_t most = 1;
#else
    const size_t most = 3;
#endif

    for (size_t n = 0; n <= most; n++) {
        int broken = -1;

        if (n == 0) {
            broken = rules[_i].plain(); /* outside of regions */
            stop_runtime();             /* ws_group_submit() has started it */
        } else {
            start_runtime(n, 0, WS_SPIN_DEFAULT);
            ck_assert_int_eq(rules[_i].run(&broken), 0);
            stop_runtime();
        }
        ck_assert_msg(broken == 0, "%s: condition %d with %zu workers", rules[_i].name, broken, n);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("scope_rules");

    tcase_add_loop_test(tcase, a_rule_holds, 0, NUM_RULES);
    return run_case("scope_rules", tcase);
}
