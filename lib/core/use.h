/* SPDX-License-Identifier: MIT */
/*
 * Who uses the runtime: threads inside ws_run(), ws_submit() and a few more calls, and phases. ws_fini() refuses to stop
 * the runtime while there are any. The first user starts the runtime (hooks.h).
 */
#ifndef WSFJ_CORE_USE_H
#define WSFJ_CORE_USE_H

#include "base/base.h"

enum wsfj_use_state {
    WSFJ_DOWN,
    WSFJ_UP,
    WSFJ_CLOSING /* ws_fini() checks whether it may stop the runtime: new users have to wait, all else works as in UP */
};

/* Counts the caller as a user, after starting the runtime if need be. 0 or the error of ws_init(). */
int wsfj_use_enter(void);
void wsfj_use_leave(void);

/* The same, if the runtime is up. False if it is not, or if a ws_fini() is checking whether it may stop it. Never waits. */
bool wsfj_use_try_enter(void);

/* A call that uses the runtime, from its begin to its end: counted, and its thread cannot be cancelled meanwhile. */
struct wsfj_use {
    unsigned generation;
    int cancel_state;
};

/* 0 or the error of ws_init(), and then there is nothing to end. */
int wsfj_use_begin(struct wsfj_use *use);
void wsfj_use_end(const struct wsfj_use *use);

/* True from the end of the runtime's start to the beginning of its stop; also in CLOSING. */
bool wsfj_use_is_up(void);

/* True if there is a user: exact in CLOSING, since no new ones come; else a hint. */
bool wsfj_use_any(void);

/* For runtime.c, under its lock. wsfj_use_add() counts a user whatever the state. */
enum wsfj_use_state wsfj_use_state(void);
void wsfj_use_become(enum wsfj_use_state state);
void wsfj_use_add(void);

/* In the child of a fork: the runtime is down, nobody uses it. A call that began in the parent may still end here. */
void wsfj_use_forget(void);

#endif
