/* SPDX-License-Identifier: MIT */
/* What the files about loops share. The drivers' own half is include/wsfj/inline/loop_drive.h. */
#ifndef WSFJ_LOOP_LOOP_H
#define WSFJ_LOOP_LOOP_H

#include "base/atomic.h"
#include "task/stack.h"

/* The worker that the fiber runs on; NULL outside regions and in a blocking section. */
static inline struct wsfj_worker *wsfj_loop_worker(struct wsfj_stack *own)
{
    return own->blocking.lender ? NULL : load_relaxed(&own->worker);
}

#endif
