/* SPDX-License-Identifier: MIT */
/*
 * The runtime's threads, and those of them that have no worker's place at the moment: spares. A thread that has lent its
 * place away while its task blocked is a spare afterwards; if there is none when one is needed, one is made. They sleep on
 * futexes, are used again, last one first, and end with the runtime.
 */
#ifndef WSFJ_SPARE_H
#define WSFJ_SPARE_H

#include "base.h"

struct wsfj_stack;
struct wsfj_worker;

/* A thread of the runtime. It lives on the thread's own stack, or with those made here. */
struct wsfj_thread {
    struct wsfj_worker *place; /* whom to serve; with `order` */
    const void *order;         /* BLOCK-1: given by store, then taken by exchange, or taken back by compare and swap: only
                                  one of them has it. Who has sent it; NULL: none */
    uint32_t calls;            /* futex: how many orders there were */
    struct wsfj_thread *next;  /* in the list of spares */
};

/* Before the first thread. At most `most` threads will be made here. */
void wsfj_spare_start(size_t most);

/* Makes the thread's record, with its first place. */
void wsfj_spare_begin(struct wsfj_thread *self, struct wsfj_worker *place);

/* Serves the place it has, then others that it gets, until the runtime stops. The whole life of a thread. */
void wsfj_spare_serve(struct wsfj_thread *self);

/* A spare, to be sent to a place; NULL if there is none and none can be made. Thread-safe. */
struct wsfj_thread *wsfj_spare_take(void);

/* Sends it to the worker, which nobody serves. `sender` is a stack that is in use until it has tried the recall: the same
 * spare may have been sent to the same place for somebody else by then. */
void wsfj_spare_send(struct wsfj_thread *spare, struct wsfj_worker *worker, const struct wsfj_stack *sender);

/* Takes the place back, if the spare has not begun: then it is a spare again. */
bool wsfj_spare_recall(struct wsfj_thread *spare, const struct wsfj_stack *sender);

/* Gives a spare back that was taken and not sent: not while the runtime stops. */
void wsfj_spare_give(struct wsfj_thread *spare);

/* Ends the spares: after the workers have been told to stop. */
void wsfj_spare_stop(void);

/* Waits for the end of the threads that were made here, and forgets them. */
void wsfj_spare_join(void);

/* In the child of a fork: there are none. */
void wsfj_spare_forget(void);

#endif
