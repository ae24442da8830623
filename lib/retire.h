/* SPDX-License-Identifier: MIT */
/*
 * Workers for whom there is no processor any more (supply.h): they sleep without being counted, and nobody may claim
 * them (PARK-7).
 */
#ifndef WSFJ_RETIRE_H
#define WSFJ_RETIRE_H

#include "worker.h"

/* A searcher of a pool thread that is surplus sleeps until it is recalled; it searches again when this returns. */
void wsfj_retire(struct wsfj_worker *self);

/* The same for a place that the caller holds and leaves. */
void wsfj_retire_place(struct wsfj_worker *place);

/* Workers [from, to) are not surplus any more: wakes those that are retired. */
void wsfj_retire_recall(unsigned from, unsigned to);

#endif
