/* SPDX-License-Identifier: MIT */
/* A call that uses the runtime, from begin to end: starts it if need be, is counted, its thread is not cancelled. */
#ifndef WSFJ_CALL_H
#define WSFJ_CALL_H

#include "base/base.h"

struct wsfj_call {
    unsigned generation;
    int cancel_state;
};

/* 0 or the error of ws_init(), and then there is nothing to end. */
int wsfj_call_begin(struct wsfj_call *call);
void wsfj_call_end(const struct wsfj_call *call);

/* In the child of a fork: calls that have begun are not counted. One may still come back. */
void wsfj_call_forget(void);

#endif
