/* SPDX-License-Identifier: MIT */
/*
 * When to sleep and when to wake (whom: sleeper.h). Labels PARK-n: doc/protocols.md, with the schedules that fail.
 *
 * One word counts the workers that search and those that sleep (census.h). The rule (from Go's scheduler): if there is
 * work and somebody sleeps, somebody searches.
 *
 *  1. A worker without work searches, unless as many search already as may: half of the busy ones, or one (PARK-6).
 *  2. A searcher that finds work ceases to search, and wakes a sleeper if fewer search now than may.
 *  3. A searcher that has found nothing for a while, after pauses between its rounds that double up to a bound, asks the
 *     program (poll.h), says ASLEEP, and moves itself from searching to sleeping in one step (PARK-4).
 *  4. If nobody searches then, it asks every running stack to speak up at its next spawn, looks everywhere once more
 *     (PARK-2), and asks the program once more: another one may have been asking, and be gone. If there is work it makes a
 *     searcher of a sleeper, itself if nobody else has.
 *  5. A worker that goes to sleep without a search (1) counts itself, and does step 4 if nobody searches any more.
 *  6. Whoever makes work known - a spawn that was asked to speak up (PARK-1), a submit (PARK-5), a root, a stack that comes
 *     back with children (PARK-3) - wakes a sleeper if nobody searches, after the work can be seen.
 *
 * Why no wake-up is lost: let work become visible while somebody sleeps. The word's changes are one order. If its maker
 * reads a word with a searcher in it, that one either finds work, and by 2 is replaced if it was the last, or comes to
 * step 4 as the last one, after the work became visible, and sees it. If there is no searcher in the word, the maker
 * itself wakes (6). A spawn that does not read the word is one that was not asked to: then the last step 4 before
 * it had its barrier after the spawn's store of the tail, or its request before the spawn's look at the limit.
 * Why there is no herd: 2 and 6 wake one at a time, and none if enough search.
 * Why nothing runs when idle: a sleeper waits on a futex without an end (but see WSFJ_LOOK_BLIND_NS), and only 2, 4 and
 * 6 wake.
 * Workers for whom there is no processor any more retire: they sleep, too, but are not counted (PARK-7, retire.h).
 */
#ifndef WSFJ_PARK_H
#define WSFJ_PARK_H

#include "worker.h"

/* States of wsfj_worker::park, a futex. */
enum {
    WSFJ_PARK_AWAKE,  /* its thread runs, or is about to */
    WSFJ_PARK_ASLEEP, /* its thread sleeps: may be woken, or a guest may take its place */
    WSFJ_PARK_GUEST,  /* a guest has its place; its thread sleeps */
    WSFJ_PARK_EMPTY,  /* it has no thread (none could be started) and no guest */
    WSFJ_PARK_RETIRED /* surplus (supply.h): its thread sleeps and is not counted; nobody may claim it */
};

/* A searcher has found something. Wakes the next sleeper if nobody searches any more. */
void wsfj_park_found(struct wsfj_worker *self);

/* A worker that has run out of work begins to search. False: enough do (PARK-6), it should sleep. */
bool wsfj_park_search(void);

/* A worker of a pool thread, which has searched or has not, sleeps until it is woken; it searches when this returns. */
void wsfj_park_sleep(struct wsfj_worker *self, bool was_searching);

/* Wakes all sleepers. */
void wsfj_park_rouse(void);

/* The caller has said ASLEEP, GUEST or RETIRED for itself: waits until it is AWAKE. */
void wsfj_park_sleep_on(struct wsfj_worker *self);

/* There may be new work: wakes one sleeper if nobody searches. */
void wsfj_park_notify(struct wsfj_worker *self);

/* The worker has published the stack it is going to run: takes a pending request over to it (PARK-3). */
void wsfj_park_carry_over(struct wsfj_stack *stack);

/* Whether the worker's thread is awake and has nothing to run. A hint. */
bool wsfj_park_searches(const struct wsfj_worker *worker);

/* Wakes everybody, for good. */
void wsfj_park_wake_all(void);

#endif
