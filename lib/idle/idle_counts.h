/* SPDX-License-Identifier: MIT */
/*
 * How many workers search and how many sleep: one word, whose changes all threads see in one order (park.h says what
 * rests on that). Guests, which search their own region only, and retired workers count as neither.
 *
 * `searching` is never too low: a worker is counted before it may begin to search. `sleeping` is a hint: it counts a
 * worker a moment after the worker has stored ASLEEP. A waker counts it out before, a guest a moment after it has taken
 * the slot. So it may even be below zero; and no worker that a waker has woken is counted as asleep.
 */
#ifndef WSFJ_IDLE_IDLE_COUNTS_H
#define WSFJ_IDLE_IDLE_COUNTS_H

#include "base/atomic.h"
#include "base/base.h"

#define WSFJ_IDLE_SEARCHING ((uint64_t)1)
#define WSFJ_IDLE_SLEEPING ((uint64_t)1 << 32)

/* Low half: workers that search. High half, signed: workers that sleep and that any thread may wake. */
extern WSFJ_HIDDEN uint64_t wsfj_idle_state;

/* The word at one moment. */
struct wsfj_idle_counts {
    uint32_t searching;
    int32_t sleeping;
};
static inline struct wsfj_idle_counts wsfj_idle_counts_of(uint64_t state)
{
    return (struct wsfj_idle_counts){.searching = (uint32_t)state, .sleeping = (int32_t)(state >> 32)};
}
struct wsfj_idle_counts wsfj_idle_counts(void);

/* Whether no worker is idle: none searches, and none sleeps that may be woken. */
static inline bool wsfj_idle_counts_none(struct wsfj_idle_counts now)
{
    return now.searching == 0 && now.sleeping <= 0;
}

/* Whether a sleeper is to be woken: one sleeps, and fewer than `most` workers search. */
static inline bool wsfj_idle_counts_may_wake(struct wsfj_idle_counts now, unsigned most)
{
    return now.sleeping > 0 && now.searching < most;
}

/* At the start: `threads` workers search, none sleeps. At the stop and in the child of a fork there are none. */
void wsfj_idle_counts_start(unsigned threads);

/* PARK-6: how many may search while others work, if `leaving` of those have run out of work. Each peek of a searcher
 * costs a busy worker a cache miss. */
unsigned wsfj_idle_counts_most_searching(struct wsfj_idle_counts now, unsigned leaving);

/* A worker that has not been counted so far will search. */
void wsfj_idle_counts_add_searcher(void);

/* One searcher less. Returns the counts after that. */
struct wsfj_idle_counts wsfj_idle_counts_remove_searcher(void);

/* One sleeper more; if the worker was searching, one searcher less, in the same step. Returns the counts after that. */
static inline struct wsfj_idle_counts wsfj_idle_counts_fall_asleep(bool was_searching)
{
    uint64_t change = WSFJ_IDLE_SLEEPING - (was_searching ? WSFJ_IDLE_SEARCHING : 0);

    return wsfj_idle_counts_of(add_seq(&wsfj_idle_state, change) + change);
}

/* One sleeper less. Returns the counts after that. */
static inline struct wsfj_idle_counts wsfj_idle_counts_take_sleeper(void)
{
    return wsfj_idle_counts_of(add_seq(&wsfj_idle_state, (uint64_t)0 - WSFJ_IDLE_SLEEPING) - WSFJ_IDLE_SLEEPING);
}

/* A worker that was counted as neither begins to search if it may (PARK-6), or in any case while `hot` says so. */
bool wsfj_idle_counts_begin_search(bool (*hot)(void));

/* Counts one searcher more, unless `most` search already or no worker sleeps; returns whether it has. The caller must
 * then wake a sleeper, or count the searcher back (wsfj_idle_counts_remove_searcher). */
bool wsfj_idle_counts_claim_searcher(unsigned most);

#endif
