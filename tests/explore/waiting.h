/* SPDX-License-Identifier: MIT */
/*
 * For programs about the wait table (WAIT-1 to WAIT-4): fibers and threads wait for words that other threads change. Each goes on
 * once, for a reason that is true, and with what its waker has done. From then on its record and the word are memory for something
 * else, so that a later touch is a race.
 *
 * A fiber is played: the thread that arms it is its loop, and the thread that resumes it goes on for it. Real ones: group.c.
 */
#ifndef TESTS_EXPLORE_WAITING_H
#define TESTS_EXPLORE_WAITING_H

#include "stacks.h"

#include "wait/waiter.h"

enum { KEYS = 2, WAITERS = 2 };

extern uint32_t *waiting_keys[KEYS];
extern bool waiting_disarms;    /* waiters take out their nodes; waiting_start() says true */
extern bool waiting_stays;      /* what they wait for is not used for something else; waiting_start() says false */
extern uint32_t waiting_reason; /* why the last waiter went on */

/* In setup: `waiters` waiters wait for the first `of` of the two keys, whose buckets are one or two. */
void waiting_start(unsigned waiters, unsigned of, bool same);

/* The waiter of the calling thread; of the only one, by whichever thread. */
struct wsfj_waiter *waiting_prepare(bool fiber);

/* It waits as a fiber, or as a thread until that time. */
void waiting_fiber(struct wsfj_waiter *waiter);
void waiting_thread(struct wsfj_waiter *waiter, uint64_t until);
void waiting_as_fiber(void);
void waiting_as_thread(void);

/* A waker. Before it changes the word it does something that the waiter sees. */
void waiting_change(unsigned key);
void waiting_change_first(void);
void waiting_change_second(void);
void waiting_do(unsigned key);

/* Resumes fibers that a waker has claimed. */
void waiting_resume(struct wsfj_stack *fibers);

/* At the end: all waiters went on, and nothing is left in the table. */
void waiting_check(void);

/* Sites of mutants. */
#define LOCK "wsfj_spin_take", "exchange", "lock"
#define UNLOCK "wsfj_spin_give", "store", "lock"
#define CLAIM "claim", "cas", "&waiter->state"
#define ARM "wsfj_waiter_arm", "cas", "&waiter->state"
#define CHANGE "waiting_change", "store", "waiting_keys[key]"

#endif
