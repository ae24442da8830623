/* SPDX-License-Identifier: MIT */
/*
 * Groups: tasks end on several threads while fibers or foreign threads wait (GROUP-1 to GROUP-4), with the real ws_group_wait().
 * The waiter goes on when all tasks have ended, not earlier, with what they did; then the group's memory is used for something
 * else, so that a later touch is a race. Fibers run under the scheduler's real loop. A waiter that is never resumed shows as an
 * execution that does not end. Tasks that are submitted meanwhile: group_submit.c.
 */
#include "groups.h"

#include "base/atomic.h"
#include "queue/group.h"
#include "worker/workers.h"

/* A task of the group that waits for another group. */
static void wait_for_inner(void *arg)
{
    explore_must(ws_group_wait(&groups_inner) == 0, "a waiter is refused");
    explore_must(groups_results[1] == 1, "the waiter goes on before a task has ended");
    groups_work(arg);
}

/* A task that relies on the waiter. */
static void outlast(void *arg)
{
    (void)arg;
    while (!load_acquire(&groups_told))
        engine_pause();
}

/* Two tasks that have begun already. */
static void start_two(void)
{
    groups_start(0, 2);
    wsfj_group_add(&groups_outer);
    wsfj_group_add(&groups_outer);
}

static void start_one(void)
{
    groups_start(0, 1);
    groups_waiters = 2;
    groups_stays = true;
    wsfj_group_add(&groups_outer);
}

static void start_fiber(void)
{
    groups_start_fiber(2);
}

/* Two fibers wait. Who ends the task resumes the one, and the other comes into its run queue. */
static void start_fibers(void)
{
    groups_start_fiber(3);
    groups_push(0, groups_wait_inside, 0, NULL);
    groups_waiters = 2;
    groups_stays = true;
}

static void start_fiber_again(void)
{
    groups_start_fiber(2);
    groups_again = true;
}

/* Each worker has one stack only: the waiter may not leave its stack idle. */
static void start_short(void)
{
    groups_start_fiber(1);
    groups_again = true;
}

/* Worker 1's stack runs two tasks of the group in a row, then a task of no group. */
static void start_row(void)
{
    groups_start_inside(groups_work);
    wsfj_group_add(&groups_outer);
    groups_push(1, groups_work, 1, &groups_outer);
    groups_push(1, outlast, 0, NULL);
}

/* Two stacks for two waiters: the one that keeps its stack runs the task that the other waits for. Worker 1 has no
 * stack, and runs only fibers that come back. */
static void start_inner(void)
{
    groups_start(2, 2);
    pools_give(0, 0);
    pools_give(0, 1);
    wsfj_group_add(&groups_outer);
    groups_push(0, wait_for_inner, 0, &groups_outer);
    groups_push(0, groups_wait_inside, 0, NULL);
    wsfj_group_add(&groups_inner);
    groups_push(0, groups_work, 1, &groups_inner);
}

/* The end of a task. */
static void finish(void)
{
    groups_work((void *)(uintptr_t)(explore_self() % groups_counted));
    explore_must(!wsfj_group_finish(&groups_outer, 1), "a fiber is resumed, but none waits");
}

static const struct explore_mutant outside[] = {
    {"whether tasks remain is read relaxed", DONE},
    {"a task ends without a release (GROUP-1)", FINISH, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a task ends in two steps (GROUP-2)", FINISH, EXPLORE_SPLIT, 0},
    {"the waiter says in two steps that it waits (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {"the waiter tests without the lock (GROUP-3)", "wsfj_spin_take", "exchange", "lock", EXPLORE_SKIP, 0},
    {"nobody is woken", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant two_outside[] = {
    {"the waiters say in two steps that they wait (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {"nobody is woken", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant fibers[] = {
    {"whether tasks remain is read relaxed", DONE},
    {"a task ends without a release (GROUP-1)", FINISH, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the waiter says in two steps that it waits (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant two_fibers[] = {
    {"the second fiber is not queued", "wsfj_run_queue_put_next", "store", "&queue->tail", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant twice[] = {
    {"the waiter says in two steps that it waits (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {"a task ends in two steps (GROUP-2)", FINISH, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant helpers[] = {
    {"whether tasks remain is read relaxed", DONE},
    {"a task ends relaxed (GROUP-1)", FINISH, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the waiter does not see that it must help", "wait_inside", "load", "&own->wait.must_help", EXPLORE_VALUE, 0},
    {NULL}};

static const struct explore_mutant rows[] = {
    {"tasks end without a release (GROUP-1)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"tasks end in two steps (GROUP-2)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant inners[] = {
    {"a task that is called does not end", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"two tasks, a foreign waiter",
     start_two,
     {groups_wait_outside, finish, finish},
     groups_check,
     {2, 1},
     {4, 2},
     outside},
    {"a task, two foreign waiters",
     start_one,
     {groups_wait_outside, groups_wait_outside, finish},
     groups_check,
     {1, 1},
     {3, 1},
     two_outside},
    {"a task, a fiber waits", start_fiber, {awake_serve, awake_serve}, groups_check, {1, 1}, {3, 1}, fibers},
    {"a task, two fibers wait", start_fibers, {awake_serve, awake_serve}, groups_check, {1, 0}, {2, 1}, two_fibers},
    {"a fiber waits twice", start_fiber_again, {awake_serve, awake_serve}, groups_check, {1, 0}, {3, 1}, twice},
    {"a waiter without a stack to spare", start_short, {awake_serve, awake_serve}, groups_check, {1, 0}, {2, 1}, helpers},
    {"tasks in a row (GROUP-4)", start_row, {awake_serve, awake_serve}, groups_check, {1, 0}, {2, 1}, rows},
    {"a waiter helps another", start_inner, {awake_serve, awake_serve}, groups_check, {1, 0}, {2, 1}, inners},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
