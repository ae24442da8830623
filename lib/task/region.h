/* SPDX-License-Identifier: MIT */
/*
 * A region: one ws_run(), from the moment that its root may run until the root is done. It lives on the stack of the
 * calling thread, which waits on `state`.
 */
#ifndef WSFJ_TASK_REGION_H
#define WSFJ_TASK_REGION_H

#include "arch/context.h"
#include "arch/fpenv.h"
#include "base/base.h"

enum wsfj_region_state {
    WSFJ_REGION_RUNS,  /* queued or running */
    WSFJ_REGION_DONE,  /* the root has finished */
    WSFJ_REGION_SERIAL /* there was no stack: the caller runs the root itself */
};

struct wsfj_region {
    struct wsfj_descriptor *root; /* the root task */
    void *rp;
    struct wsfj_fpenv fpenv;   /* of the calling thread; fibers that run the region's tasks set it */
    struct wsfj_record record; /* of the waiting frame in the calling thread (unwind_link.c) */
    uint32_t state;            /* futex; the thread that finishes the region writes it, release */
    struct wsfj_region *next;  /* in the queue */
};

#endif
