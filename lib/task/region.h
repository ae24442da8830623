/* SPDX-License-Identifier: MIT */
/*
 * A region: one ws_run() from the moment its root may run until it is done. It lives on the stack of the calling
 * thread, which waits on `state`.
 */
#ifndef WSFJ_TASK_REGION_H
#define WSFJ_TASK_REGION_H

#include "arch/context.h"
#include "base/base.h"

enum wsfj_region_state {
    WSFJ_REGION_RUNS,    /* queued or running */
    WSFJ_REGION_DONE,    /* the root has finished */
    WSFJ_REGION_SERIAL   /* no stack could be had: the caller runs it itself */
};

struct wsfj_region {
    struct wsfj_descriptor *root; /* the root task */
    void *rp;
    struct wsfj_fpenv fpenv; /* of the calling thread: whoever runs the region's tasks takes it over */
    struct wsfj_record record; /* of the frame that waits for it in the calling thread (unwind_link.c) */
    uint32_t state;          /* futex; written by whoever finishes the region, release */
    struct wsfj_region *next; /* in the queue */
};

#endif
