/* SPDX-License-Identifier: MIT */
/*
 * Fibers that keep their thread: ws_pin(). Label PIN-1: doc/protocols.md.
 *
 * While a pinned fiber waits its thread waits with it, and runs nothing else. The place goes to another thread: to one
 * kept in reserve since the pin, so that a wait cannot fail, or, if the thread is a guest, to the place's own thread. When
 * the fiber can go on, whoever would run it hands its own place over instead, and becomes the reserve, or sleeps behind
 * the guest. Neighbours: worker.c, whose loops call this; spare.c; blocking.c, whose fibers may be pinned, too.
 */
#ifndef WSFJ_BLOCKING_PIN_H
#define WSFJ_BLOCKING_PIN_H

#include "core/worker.h"

/* In the loop of its thread: a pinned fiber has left its stack, and `left` is to be called. Returns it when it can go on;
 * the thread may have another place then. */
struct wsfj_stack *wsfj_pin_after_switch(struct wsfj_server *self, struct wsfj_stack *stack, wsfj_after_switch *after);

/* The same for one that had lent the place: waits for another one. */
void wsfj_pin_return(struct wsfj_server *self, struct wsfj_stack *stack);

/* In another thread's loop, with a pinned fiber that can go on: gives up its place. IDLE: a guest's is not to be had, the
 * fiber is in the global queue. */
enum wsfj_served wsfj_pin_hand_over(struct wsfj_server *self, struct wsfj_stack *stack);

/* The fiber is not pinned any more. */
void wsfj_pin_end(struct wsfj_stack *own);

#endif
