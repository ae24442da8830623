/* SPDX-License-Identifier: MIT */
/*
 * Tasks outside any region: a plain call of a task in a thread that no worker serves. It runs serially, on a private
 * deque that the thread gets for the time of the outermost call.
 */
#ifndef WSFJ_API_SERIAL_H
#define WSFJ_API_SERIAL_H

#include "base/base.h"

/* As wsfj_serial_enter(), but NULL if there is no memory. */
struct wsfj_deque *wsfj_serial_try_enter(void);

#endif
