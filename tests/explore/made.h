/* SPDX-License-Identifier: MIT */
/* For programs with real spares (spare.c): the threads that the library makes are the explored threads. */
#ifndef TESTS_EXPLORE_MADE_H
#define TESTS_EXPLORE_MADE_H

#include "explore.h"

struct wsfj_worker;

/* In setup: makes so many spares. The library has no others. */
void made_start(unsigned threads);

/* In setup: explored thread 0, 1, ... in this order gets the order to serve the worker. */
void made_send(struct wsfj_worker *worker);

/* The explored threads. */
void made_thread(void);

/* Ends the workers, and with them all threads. */
void made_stop(void);

#endif
