/* SPDX-License-Identifier: MIT */
/*
 * The wait table with one word (WAIT-1 to WAIT-3): a fiber or a thread waits until another thread changes it. Several words and
 * waiters: wait_first.c. Times: timer.c.
 */
#include "waiting.h"

static void start_one(void)
{
    waiting_start(1, 1, false);
}

/* As ws_group_wait(). */
static void start_plain(void)
{
    start_one();
    waiting_disarms = false;
}

static const struct explore_mutant fiber[] = {
    {"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0},
    {"the lock is taken without an acquire (WAIT-1)", LOCK, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the lock is given back relaxed (WAIT-1)", UNLOCK, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock is taken in two steps (WAIT-1)", LOCK, EXPLORE_SPLIT, 0},
    {"the word changes after the waiters are taken (WAIT-1)", CHANGE, EXPLORE_LATE, 2},
    {"a waker claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"a waker claims without a release (WAIT-3)", CLAIM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a waker does not claim (WAIT-2)", CLAIM, EXPLORE_SKIP, 0},
    {"the fiber waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {"the fiber waits without a release (WAIT-2)", ARM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {NULL}};

static const struct explore_mutant thread[] = {
    {"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0},
    {"the word changes after the waiters are taken (WAIT-1)", CHANGE, EXPLORE_LATE, 2},
    {"a waker claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"a waker claims without a release (WAIT-3)", CLAIM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the thread waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {"nobody is woken", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant plain[] = {
    {"the thread sees the claim without an acquire (WAIT-3)", "wsfj_waiter_sleep", "load", "&waiter->state",
     EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the thread finds the claim without an acquire (WAIT-3)", ARM, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {NULL}};

static const struct explore_program programs[] = {
    {"a fiber", start_one, {waiting_as_fiber, waiting_change_first}, waiting_check, {3, 2}, {4, 3}, fiber},
    {"a thread", start_one, {waiting_as_thread, waiting_change_first}, waiting_check, {3, 2}, {4, 3}, thread},
    {"a thread, one thing", start_plain, {waiting_as_thread, waiting_change_first}, waiting_check, {3, 2}, {4, 3}, plain},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
