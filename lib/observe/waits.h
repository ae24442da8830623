/* SPDX-License-Identifier: MIT */
/* What a suspended fiber waits for, in words. Neighbours: dump.c; tools/gdb.py, which says the same. */
#ifndef WSFJ_OBSERVE_WAITS_H
#define WSFJ_OBSERVE_WAITS_H

#include "observe/textbuf.h"
#include "wait/waiter.h"

struct wsfj_stack;

/* By enum wsfj_wait_kind: what comes before the object. */
extern const char *const wsfj_waits_words[WSFJ_WAIT_NAMED + 1];

/* Adds " waits for ...", for how long, and when its deadline is. `now` by wsfj_now(). The fiber may resume meanwhile, and
 * what it waits for may be unmapped. */
void wsfj_waits_say(struct wsfj_textbuf *text, const struct wsfj_stack *s, uint64_t now);

/* Whether the fiber on the stack holds the mutex, which may be unmapped. */
bool wsfj_waits_holds(const struct wsfj_stack *s, const void *mutex);

/* The fiber that holds the mutex for which this one waits without a deadline. NULL: it waits for something else, or another
 * thread or nobody holds it. */
const struct wsfj_stack *wsfj_waits_holder(const struct wsfj_stack *s);

/* Whether the wait may end by what a thread of the program does: sets an event, unlocks a mutex, ... */
bool wsfj_waits_for_threads(const struct wsfj_stack *s);

#endif
