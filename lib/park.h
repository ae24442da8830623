/* SPDX-License-Identifier: MIT */
/*
 * When to sleep and whom to wake. Labels PARK-n: doc/protocols.md.
 *
 * One word counts the workers that search and those that sleep; guests, who search their own region only, count as
 * neither. The rule (from Go's scheduler): if there is work and
 * somebody sleeps, at least one searches. So the last searcher looks once more before it sleeps, after it has asked
 * every running stack to speak up at its next spawn; and a searcher that finds something, being the last, wakes another.
 * An idle runtime sleeps on futexes and uses no processor time. Workers for whom there is no processor any more retire:
 * they sleep, too, but are not counted (supply.h).
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

/* Everything back to "all threads are starting": they count as searching. */
void wsfj_park_start(unsigned threads);

/* Some threads could not be started: they do not search. */
void wsfj_park_missing(unsigned threads);

/* A searcher has found something. Wakes the next sleeper if nobody searches any more. */
void wsfj_park_found(struct wsfj_worker *self);

/* A worker begins to search. */
void wsfj_park_search(void);

/* A searcher of a pool thread gives up and sleeps until it is woken; it searches again when this returns. */
void wsfj_park_sleep(struct wsfj_worker *self);

/* A searcher of a pool thread that is surplus sleeps until it is recalled; it searches again when this returns. */
void wsfj_park_retire(struct wsfj_worker *self);

/* Workers [from, to) are not surplus any more: wakes those that are retired. */
void wsfj_park_recall(unsigned from, unsigned to);

/* There may be new work: wakes one sleeper if nobody searches. */
void wsfj_park_notify(struct wsfj_worker *self);

/* The worker has published the stack it is going to run: takes a pending request over to it (PARK-3). */
void wsfj_park_carry_over(struct wsfj_stack *stack);

/* Whether the worker's thread is awake and has nothing to run. A hint. */
bool wsfj_park_searches(const struct wsfj_worker *worker);

/* A sleeping worker for a guest, the one on the caller's processor if possible; NULL if there is none. Never one that is
 * surplus. */
struct wsfj_worker *wsfj_park_enter_guest(void);

/* The guest gives the place back. */
void wsfj_park_leave_guest(struct wsfj_worker *worker);

/* Wakes everybody, for good. */
void wsfj_park_wake_all(void);

#endif
