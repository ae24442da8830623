/* SPDX-License-Identifier: MIT */
#ifndef WSFJ_OBSERVE_LOCKED_H
#define WSFJ_OBSERVE_LOCKED_H

struct wsfj_stack;

/* The task on the stack ends, but has locked mutexes: a line for each that is known. */
void wsfj_locked_say(const struct wsfj_stack *own);

#endif
