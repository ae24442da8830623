/* SPDX-License-Identifier: MIT */
/*
 * When to sleep and when to wake (whom: wake_choice.h). Labels PARK-n: doc/protocols.md, with the schedules that fail.
 *
 * One word counts the workers that search and those that sleep (idle_counts.h); each worker has a park word. The rule
 * (from Go's scheduler): if there is work and a worker sleeps, a worker searches.
 *
 *  1. A worker without work searches, unless as many search already as may: half of the busy ones, or one (PARK-6).
 *  2. A searcher that finds work ceases to search, and wakes a sleeper if fewer search now than may, and a second one
 *     if that is still so. (With one, as many would search as before: busy workers would become more by the same number
 *     each time. With two, they double.) If all other workers sleep and the queues are empty, it wakes none (PARK-9).
 *  3. A searcher pauses between its rounds; the pauses double up to a bound. If it has found nothing for a while, it
 *     asks the program (poll.h), stores ASLEEP, and moves itself from searching to sleeping in one step.
 *  4. Then it reads the counts. If no worker searches, it rechecks: it asks every running stack to make its next spawn
 *     known, looks for work everywhere (PARK-2), and asks the program again: when it asked before (3), another thread
 *     may have been in the program's function. If there is work, it wakes a sleeper, itself first.
 *  5. A worker that goes to sleep without a search (1), and a guest that leaves a slot, do step 4, too.
 *  6. A thread that makes work known - a spawn that was asked (PARK-1), a submit (PARK-5), a root, a stack that comes
 *     back with children (PARK-3) - wakes a sleeper if no worker searches, after the work can be seen.
 *  7. A waker counts one searcher more, if the counts show a sleeper and fewer searchers than are allowed; changes the
 *     park word of some worker from ASLEEP to AWAKE; and counts one sleeper less. If it finds no worker ASLEEP -
 *     another waker or a guest was faster - it counts the searcher back. If that leaves no searcher, it reads all park
 *     words again, and begins again if one says ASLEEP (PARK-4).
 *
 * Why no wake-up is lost: let work become visible while a worker sleeps. All threads see the changes of the counts in
 * one order. "The maker" is the thread that made the work visible.
 *  - The maker reads counts that show a searcher. If that searcher finds work and was the last, by 2 another replaces
 *    it. If it has the only work it wakes none, but looks into the queues after it is no longer counted (PARK-9). Or it
 *    comes to step 4 as the last one, after the work became visible, and sees the work.
 *  - A waker may have counted that searcher and then found no worker to wake. The last such waker, which counts back
 *    and leaves no searcher, reads the park words after that. It sees, and wakes, a worker that was ASLEEP and counted
 *    before. A worker that is counted later reads the counts later still, finds no searcher, and rechecks (4, 5).
 *  - The maker reads counts that show no searcher: it wakes a sleeper (6). If they show no sleeper either, a sleeper is
 *    not counted yet, and rechecks itself (4, 5). Or a guest has taken a sleeper that was not counted yet and has
 *    counted it out first: then the thread of that worker rechecks, and wakes another one.
 *  - A spawn that was not asked does not read the counts. The last step 4 before that spawn had its barrier after the
 *    spawn's store of the tail, or its request before the spawn's load of the limit. Or it left the barrier to an earlier
 *    step 4 whose request stands (PARK-10).
 *
 * Why there is no herd: 2 wakes two workers at most and 6 one, and none if enough workers search. A woken worker is
 * counted as a searcher before its thread may run, so no other thread wakes a second one for the same work.
 *
 * Why no waker runs for ever: it holds no claim on a sleeper that it must find. It begins again only if it has seen a
 * sleeper that another waker or a guest took meanwhile; and it may take any sleeper, also its own worker.
 *
 * Why nothing runs when idle: a sleeper waits on a futex without a time limit (but see recheck_blind_ns in policy.h),
 * and only 2, 4 and 6 wake.
 *
 * A searcher that lets other threads run offers its slot (PARK-8). A guest that takes the slot does step 2 in place of
 * the searcher, and step 5 when it leaves.
 *
 * Surplus workers retire: they sleep, too, but are not counted (PARK-7, retire.h).
 */
#ifndef WSFJ_IDLE_PARK_H
#define WSFJ_IDLE_PARK_H

#include "base/atomic.h"
#include "base/chaos.h"
#include "idle/idle_counts.h"
#include "worker/park_word.h"

struct wsfj_stack;
struct wsfj_worker;

/* A new thread of the worker waits until the start has made it AWAKE or ASLEEP. For ASLEEP the start may wake
 * no thread, so this may return late; wsfj_park_sleep_on() must follow. False: the runtime stops. */
bool wsfj_park_begin(struct wsfj_worker *self);

/* A worker that has run out of work begins to search. False: enough workers search (PARK-6), it should sleep. */
bool wsfj_park_search(void);

/* A worker with a thread of the runtime sleeps until it is woken; it counts as a searcher when this returns. */
void wsfj_park_sleep(struct wsfj_worker *self, bool was_searching);

/* A searcher lets other threads of its processor run; meanwhile a guest may take its slot (PARK-8). True: a guest has,
 * and the worker has slept; it counts as a searcher again. */
bool wsfj_park_offer(struct wsfj_worker *self);

/* Makes the worker a sleeper, which other threads may wake or serve as guests; if it is surplus, it retires. The caller
 * must then recheck. */
void wsfj_park_lie_down(struct wsfj_worker *worker, bool was_searching);

/* The first half of that. Returns the counts at the moment when the worker was counted. `park`: its park word. */
static inline struct wsfj_idle_counts wsfj_park_fall_asleep(uint32_t *park, bool was_searching)
{
    store_seq(park, WSFJ_PARK_ASLEEP); /* PARK-4: ASLEEP, and then counted, before the thread reads the counts */
    wsfj_chaos();
    return wsfj_idle_counts_fall_asleep(was_searching);
}

/* The second half. `counts`: what the first has returned. */
void wsfj_park_settle_down(struct wsfj_worker *worker, struct wsfj_idle_counts counts);

/* The caller's park word is ASLEEP, GUEST or RETIRED: waits until it is AWAKE. */
void wsfj_park_sleep_on(struct wsfj_worker *self);

/* A guest lends its slot to the worker's own thread, which is woken and searches. */
void wsfj_park_lend(struct wsfj_worker *worker);

/* The runtime stops: tells the loops of all threads of the runtime to return, and makes every worker AWAKE, for good. */
void wsfj_park_stop(void);

#endif
