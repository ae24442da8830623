/* SPDX-License-Identifier: MIT */
/*
 * The runtime's threads. Those that serve no worker at the moment are spares. The team makes a thread for each worker
 * here; later, a thread that has lent its slot while its task blocked becomes a spare. If a spare is
 * needed and none is idle, one is made. Spares sleep on futexes, are used again, newest first, and end with the
 * runtime.
 */
#ifndef WSFJ_BLOCKING_SPARE_H
#define WSFJ_BLOCKING_SPARE_H

#include "base/base.h"

struct wsfj_stack;
struct wsfj_worker;

/* A thread of the runtime. */
struct wsfj_thread {
    struct wsfj_worker *worker; /* the worker to serve; with `order` */
    const void *order;          /* BLOCK-1: the sender stores its own address; the spare takes that by exchange, or the
                                   sender takes it back by compare and swap: only one of them has it. NULL: no order */
    uint32_t calls;             /* futex: how many orders there were */
    struct wsfj_thread *next;   /* in the list of spares */
};

/* Serves the worker until another thread does, or the runtime stops (serve.h). */
typedef enum wsfj_served wsfj_spare_serve(struct wsfj_worker *worker, struct wsfj_thread *thread);

/* Before the first thread. At most `most` threads will be made here; to serve a worker they call `serve`. */
void wsfj_spare_start(size_t most, wsfj_spare_serve *serve);

/* Makes a thread for each of the first `wanted` workers of the array, or for as many as possible. Each begins with its
 * worker (wsfj_park_begin()). Returns how many; if fewer, *error says why. */
unsigned wsfj_spare_recruit(struct wsfj_worker *workers, unsigned wanted, int *error);

/* Takes a spare, to be sent to a worker; NULL if there is none and none can be made. Thread-safe. */
struct wsfj_thread *wsfj_spare_take(void);

/* Sends the spare to the worker, which no thread serves. `sender` is the address of an object that stays in use until
 * the caller has tried the recall. The recall compares it, because by then another caller may have sent the same spare
 * to the same worker. */
void wsfj_spare_send(struct wsfj_thread *spare, struct wsfj_worker *worker, const void *sender);

/* Takes the slot back if the spare has not begun: then the thread is a spare again. */
bool wsfj_spare_recall(struct wsfj_thread *spare, const void *sender);

/* Gives back a spare that was taken and not sent. Not while the runtime stops. */
void wsfj_spare_give(struct wsfj_thread *spare);

/* How many threads there are. */
size_t wsfj_spare_count(void);

/* Tells all spares to end, and all threads that become spares later. After the workers have been told to stop. */
void wsfj_spare_stop(void);

/* Waits for the end of all threads, and frees what is known of them. */
void wsfj_spare_join(void);

/* In the child of a fork: there are no threads. */
void wsfj_spare_forget(void);

#endif
