/* SPDX-License-Identifier: MIT */
/*
 * How many workers search and how many sleep: one word, changed in one order that all threads agree on (park.h says what
 * rests on that). Guests, who search their own region only, and retired workers count as neither.
 */
#ifndef WSFJ_CENSUS_H
#define WSFJ_CENSUS_H

#include "base.h"

/* The word at one moment. */
struct wsfj_census {
    uint32_t searching, sleeping;
};
struct wsfj_census wsfj_census(void);

/* Everything back to "all threads are starting": they count as searching. */
void wsfj_census_start(unsigned threads);

/* PARK-6: so many may search while others work, when `leaving` of these have run out of work. Each look of a searcher
 * costs a busy worker a cache miss. */
unsigned wsfj_census_most_searching(struct wsfj_census now, unsigned leaving);

/* Somebody who has not been counted so far will search. */
void wsfj_census_add_searcher(void);

/* So many cease to search. Returns what is left. */
struct wsfj_census wsfj_census_remove_searchers(unsigned number);

/* PARK-4: one more sleeps and, in the same step, one less searches, if it did. Returns what is left. */
struct wsfj_census wsfj_census_fall_asleep(bool was_searching);

/* A worker that was counted as neither begins to search if it may (PARK-6), or in any case while `hot` says so. */
bool wsfj_census_begin_search(bool (*hot)(void));

/* Makes a searcher of a sleeper unless `most` search already: the caller must wake one. False if there is none to take. */
bool wsfj_census_claim_searcher(unsigned most);

/* Takes one sleeper out of the count, for a guest who takes its place. False if there is none. */
bool wsfj_census_claim_place(void);

#endif
