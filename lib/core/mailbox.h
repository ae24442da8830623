/* SPDX-License-Identifier: MIT */
/*
 * The way home: whoever finishes the last child of a suspended parent hands the parent to the worker that suspended it,
 * if that worker has nothing to do, and resumes it itself otherwise. The parent's stack and what it works on are in the
 * caches there. Label MAIL-1: doc/protocols.md. Caller: worker.c.
 */
#ifndef WSFJ_CORE_MAILBOX_H
#define WSFJ_CORE_MAILBOX_H

#include "base/base.h"

struct wsfj_region;
struct wsfj_stack;
struct wsfj_worker;

/* A searching worker pauses so many times, and may be sent a stack meanwhile: of region `only` unless NULL. Returns the
 * stack, ready to run, or NULL. Outside this call nobody is sent anything. */
struct wsfj_stack *wsfj_mailbox_pause(struct wsfj_worker *worker, const struct wsfj_region *only, unsigned pauses);

/* Sends a suspended stack that has become runnable home. False: it is still the caller's. */
bool wsfj_mailbox_send(const struct wsfj_worker *self, struct wsfj_stack *stack);

#endif
