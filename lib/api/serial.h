/* SPDX-License-Identifier: MIT */
/*
 * Tasks outside any region: a plain call of a task in a thread that no worker serves. It runs serially, on a private
 * deque that the thread gets for the time of the outermost call.
 */
#ifndef WSFJ_OUTSIDE_H
#define WSFJ_OUTSIDE_H

#include "base/base.h"

/* As wsfj_outside_enter(), but NULL if there is no memory. */
struct wsfj_head *wsfj_outside_try_enter(void);

#endif
