/* SPDX-License-Identifier: MIT */
/* Detached tasks, groups, blocking sections and yields in a record. Neighbour: record.c. */
#undef WSFJ_DEBUG /* some shapes return without ws_sync(), which it reports */
#include "record.h"

#include <time.h>

static WS_TASK_VOID(calls, long, n)
{
    for (long i = 0; i < n; i++)
        ws_call(leaf);
}

static void detached(void *arg)
{
    calls((long)(intptr_t)arg);
}

static WS_TASK_VOID(groups, long, n)
{
    ws_group g = WS_GROUP_INIT;

    for (long i = 0; i < n; i++)
        if (ws_group_submit(&g, detached, (void *)(intptr_t)(i % 5)) || ws_submit(detached, (void *)2))
            abort();
    ws_call(leaf);
    if (ws_group_wait(&g))
        abort();
    ws_call(leaf);
    ws_yield();
}

static int run_groups(long n)
{
    return ws_run(groups, n);
}

/* Catches: a detached task that becomes a child, a wait for nothing. */
START_TEST(groups_are_waited_for)
{
    struct profile p = record_of(run_groups, 100, true);

    ck_assert_double_eq(sums.span, p.row[0].span);
    ck_assert_uint_eq(sums.tasks, 201);
    ck_assert_uint_eq(count_items(GRAPH_WAIT, false), 1);
    ck_assert_uint_eq(count_items(GRAPH_YIELD, false), 1);
    ck_assert_uint_eq(count_items(GRAPH_SPAWN, false), 0);
}
END_TEST

static WS_TASK_VOID(two_groups)
{
    ws_group a = WS_GROUP_INIT, b = WS_GROUP_INIT;

    if (ws_group_submit(&a, detached, (void *)100) || ws_group_submit(&b, detached, (void *)10) || ws_group_wait(&b))
        abort();
    ws_call(calls, 50);
    if (ws_group_submit(&b, detached, (void *)70) || ws_group_wait(&a))
        abort();
    ws_call(calls, 5);
}

static int run_two_groups(long unused)
{
    (void)unused;
    return ws_run(two_groups);
}

/* Catches: a wait for the tasks of another group. A group that was waited for has another number when it is used again. */
START_TEST(each_wait_is_for_its_own_group)
{
    struct profile p = record_of(run_two_groups, 0, true);
    uint32_t most = 0;

    ck_assert_double_eq(sums.span, p.row[0].span);
    for (size_t i = 0; i < graph.num_items; i++)
        if (graph.items[i].group != GRAPH_NONE && graph.items[i].group > most)
            most = graph.items[i].group;
    ck_assert_uint_eq(most, 3);
}
END_TEST

static ws_group chained;

static void chain(void *arg)
{
    if (arg && ws_group_submit(&chained, chain, (char *)arg - 1))
        abort();
}

static WS_TASK_VOID(chains, long, n)
{
    ws_group_init(&chained);
    if (ws_group_submit(&chained, chain, (void *)(intptr_t)n) || ws_group_wait(&chained))
        abort();
}

static int run_chains(long n)
{
    return ws_run(chains, n);
}

/* Catches: a task that was queued, because it was too deep, and is lost. */
START_TEST(queued_tasks_are_posted)
{
    (void)record_of(run_chains, 200, true);
    ck_assert_uint_eq(sums.tasks, 202);
    ck_assert_uint_gt(graph.num_posted, 100);
    ck_assert_uint_eq(count_items(GRAPH_POST, false), graph.num_posted);
}
END_TEST

static WS_TASK_VOID(blocks)
{
    ws_spawn(fib, NULL, 5);
    WS_BLOCKING
    {
        nanosleep(&(struct timespec){0, 3000000}, NULL);
    }
    ws_sync();
}

static int run_blocks(long unused)
{
    (void)unused;
    return ws_run(blocks);
}

/* Catches: blocked time that counts as work. */
START_TEST(blocked_time_is_apart)
{
    (void)record_of(run_blocks, 0, false);
    ck_assert_double_ge(sums.blocked, 3e6);
    ck_assert_double_ge(sums.span, 3e6 * 0.85);
    ck_assert_uint_ge(count_items(GRAPH_BLOCK, false), 1);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("record_detached");

    tcase_add_test(tcase, groups_are_waited_for);
    tcase_add_test(tcase, each_wait_is_for_its_own_group);
    tcase_add_test(tcase, queued_tasks_are_posted);
    tcase_add_test(tcase, blocked_time_is_apart);
    return run_records("record_detached", tcase);
}
