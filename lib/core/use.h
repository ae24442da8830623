/* SPDX-License-Identifier: MIT */
/*
 * Users of the runtime: threads inside ws_run(), ws_submit() and a few more calls, and phases. ws_fini() refuses to
 * stop the runtime while it has users. The first user starts the runtime (hooks.h).
 */
#ifndef WSFJ_CORE_USE_H
#define WSFJ_CORE_USE_H

#include "base/base.h"

enum wsfj_use_state {
    WSFJ_DOWN,
    WSFJ_UP,
    WSFJ_CLOSING /* ws_fini() checks whether it may stop the runtime: new users have to wait; the rest is as in UP */
};

/* Counts the caller as a user, after starting the runtime if need be. 0 or the error of ws_init(). */
int wsfj_use_enter(void);
void wsfj_use_leave(void);

/* The same, if the runtime is up. False if it is down or CLOSING. Never waits. */
bool wsfj_use_try_enter(void);

/* A call that uses the runtime. From begin to end it is counted, and its thread cannot be cancelled. */
struct wsfj_use {
    unsigned generation;
    int cancel_state;
};

/* 0; or the error of ws_init(), and then wsfj_use_end() must not be called. */
int wsfj_use_begin(struct wsfj_use *use);
void wsfj_use_end(const struct wsfj_use *use);

/* True from the end of the runtime's start to the beginning of its stop, in CLOSING too. */
bool wsfj_use_is_up(void);

/* True if there is a user: exact in CLOSING, when no new users come; else a hint. */
bool wsfj_use_any(void);

/* For runtime.c, under its lock. wsfj_use_add() counts a user whatever the state. */
enum wsfj_use_state wsfj_use_state(void);
void wsfj_use_become(enum wsfj_use_state state);
void wsfj_use_add(void);

/* In the child of a fork: the runtime is down and has no users. A call that began in the parent may still end here. */
void wsfj_use_forget(void);

#endif
