/* SPDX-License-Identifier: MIT */
/*
 * The mailbox: the thread that finishes the last child of a suspended parent sends the parent to the worker that
 * suspended it, if that worker has nothing to do, and otherwise resumes the parent itself. That worker's caches have
 * the parent's stack and data. Label MAIL-1: doc/protocols.md. Callers:
 * serve.c and steal.c, which send; search.c, which waits.
 */
#ifndef WSFJ_WORKER_MAILBOX_H
#define WSFJ_WORKER_MAILBOX_H

#include "base/base.h"

struct wsfj_region;
struct wsfj_stack;
struct wsfj_worker;

/* A searching worker opens its mailbox for so many pauses, or until an owner answers the request that it watches: for
 * fibers of region `only`, or of any if that is NULL. Returns the stack that was sent, ready to run, or NULL. Outside
 * this call the mailbox is closed. */
struct wsfj_stack *wsfj_mailbox_pause(struct wsfj_worker *worker, const struct wsfj_region *only, unsigned pauses);

/* Sends a suspended stack that has become runnable to the worker that suspended it. False: it is still the caller's. So
 * it is if that worker is the caller's, whose own mailbox is closed. */
bool wsfj_mailbox_send(struct wsfj_stack *stack);

#endif
