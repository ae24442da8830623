/* SPDX-License-Identifier: MIT */
/*
 * The wait table with several words or waiters (WAIT-4): a fiber or a thread waits for the first of two words, in one bucket or
 * in two, or has two nodes in one queue; two wait for one word. One word and one waiter: wait.c.
 */
#include "waiting.h"

static void start_first_of_two(void)
{
    waiting_start(1, 2, explore_choose(2));
}

/* Two nodes in one queue. */
static void start_twice(void)
{
    waiting_start(1, 2, false);
    waiting_keys[1] = waiting_keys[0];
}

static void start_two_waiters(void)
{
    waiting_start(2, 1, false);
    waiting_stays = true;
}

static const struct explore_mutant first_of_two[] = {
    {"no lock (WAIT-4)", LOCK, EXPLORE_SKIP, 0},
    {"the lock is given back relaxed (WAIT-4)", UNLOCK, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a waker claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"a waker claims without a release (WAIT-3)", CLAIM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the waiter waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant many[] = {{"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0},
                                             {"a waker claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
                                             {NULL}};

static const struct explore_program programs[] = {{"a fiber, the first of two",
                                                   start_first_of_two,
                                                   {waiting_as_fiber, waiting_change_first, waiting_change_second},
                                                   waiting_check,
                                                   {2, 1},
                                                   {3, 1},
                                                   first_of_two},
                                                  {"a thread, the first of two",
                                                   start_first_of_two,
                                                   {waiting_as_thread, waiting_change_first, waiting_change_second},
                                                   waiting_check,
                                                   {2, 1},
                                                   {3, 1},
                                                   first_of_two},
                                                  {"a thread, one thing twice",
                                                   start_twice,
                                                   {waiting_as_thread, waiting_change_first},
                                                   waiting_check,
                                                   {3, 1},
                                                   {4, 2},
                                                   many},
                                                  {"two fibers",
                                                   start_two_waiters,
                                                   {waiting_as_fiber, waiting_as_fiber, waiting_change_first},
                                                   waiting_check,
                                                   {2, 1},
                                                   {3, 1},
                                                   many},
                                                  {"two threads",
                                                   start_two_waiters,
                                                   {waiting_as_thread, waiting_as_thread, waiting_change_first},
                                                   waiting_check,
                                                   {2, 1},
                                                   {3, 1},
                                                   many},
                                                  {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
