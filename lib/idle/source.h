/* SPDX-License-Identifier: MIT */
/* Poll sources: functions of the program that look for something outside, such as a message, and say when they want to be asked
 * again (ws_poll_add()). outside.c asks them when they are due. One thread at a time is in a source.
 *
 * ws_config.poll is a source, too. It is due when a worker has found no work, before that one sleeps, and again at once when
 * it has found something. */
#ifndef WSFJ_IDLE_SOURCE_H
#define WSFJ_IDLE_SOURCE_H

#include "base/base.h"

/* The source that the calling thread is in, or NULL. */
extern WSFJ_HIDDEN WSFJ_OF_THREAD const void *wsfj_source_inside;

/* When the next source is due: a time of wsfj_now(); WSFJ_FOREVER: none. */
uint64_t wsfj_source_first(void);

/* Asks all that are due. */
void wsfj_source_ask(uint64_t now);

/* ws_config.poll is due now: asks it, unless there is none, or a thread is in it. True if it has found something. */
bool wsfj_source_poll(void);

/* In the child of a fork: there is none. */
void wsfj_source_forget(void);

/* Of the sources that a thread is in now, the one that it has been in for longest; *since: when it has asked, by wsfj_now().
 * NULL: no thread is in any. */
ws_poll_function *wsfj_source_longest(uint64_t *since);

#endif
