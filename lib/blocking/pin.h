/* SPDX-License-Identifier: MIT */
/*
 * Fibers that keep their thread: ws_pin(). Label PIN-1: doc/protocols.md.
 *
 * While a pinned fiber waits, its thread waits with it and runs nothing else. The slot goes to another thread: to the
 * reserve, which is kept since the pin so that a wait cannot fail, or, if the fiber's thread is a guest, to the
 * worker's own thread. The thread that finds the fiber runnable does not run it: it hands its own slot over, and
 * becomes the reserve or sleeps behind the guest. Neighbours: serve.c, whose loops call this; spare.c; blocking.c,
 * whose fibers may be pinned, too.
 */
#ifndef WSFJ_BLOCKING_PIN_H
#define WSFJ_BLOCKING_PIN_H

#include "worker/worker.h"

/* In the loop of its thread: a pinned fiber has left its stack, and `after` is to be called. Returns the stack when the
 * fiber can resume; the thread may serve another worker then. */
struct wsfj_stack *wsfj_pin_after_switch(struct wsfj_server *self, struct wsfj_stack *stack, wsfj_after_switch *after);

/* The same for a fiber that had lent the slot: waits for another slot. */
void wsfj_pin_return(struct wsfj_server *self, struct wsfj_stack *stack);

/* In the loop of another thread that has a runnable pinned fiber: hands its slot over. IDLE: the caller is a guest,
 * which keeps its slot, and the fiber is in the global queue. */
enum wsfj_served wsfj_pin_hand_over(struct wsfj_server *self, struct wsfj_stack *stack);

/* The fiber is not pinned any more. */
void wsfj_pin_end(struct wsfj_stack *own);

#endif
