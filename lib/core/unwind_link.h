/* SPDX-License-Identifier: MIT */
/*
 * Whom a strand descends from, for those who look at the process: profilers that follow frame pointers, in the middle of
 * anything, and debuggers. Nothing in the library reads it.
 *
 * The frame pointers of a stack lead to the record on its top (context.h), from there to the parent's record, and so on to
 * the record of the region's root, and through the frames of ws_run()'s caller to main(). A walk may come at any time, on
 * the thread that runs the strand. What it meets stands still meanwhile: a parent's stack is its task's until the stolen
 * child says DONE, and the caller of ws_run() stays in it until the root is done; before that the strand cuts the chain.
 * The parent's own frames are not in it: the parent may run.
 *
 * A record's code is the parent's task, run_region() for a root, ws_submit() for a detached task.
 */
#ifndef WSFJ_CORE_UNWIND_LINK_H
#define WSFJ_CORE_UNWIND_LINK_H

#include "base/base.h"

struct wsfj_region;
struct wsfj_stack;

/* Whose frame waits for the region: its record, and its code. */
void wsfj_unwind_link_root(struct wsfj_region *region, const void *frame, uintptr_t function);

/* The strand begins the task that was put on its stack. */
void wsfj_unwind_link_begin(struct wsfj_stack *own);

/* The task has ended: before anybody is told. */
void wsfj_unwind_link_end(struct wsfj_stack *own);

#endif
