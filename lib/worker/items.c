/* SPDX-License-Identifier: MIT */
#include "worker/items.h"

#include "base/atomic.h"
#include "worker/items_count.h"
#include "worker/workers.h"

static uint64_t foreign; /* tasks submitted by foreign threads */

void wsfj_items_start(void)
{
    store_relaxed(&foreign, 0);
}

void wsfj_items_foreign(void)
{
    (void)add_acq_rel(&foreign, 1);
}

struct wsfj_items wsfj_items(void)
{
    uint64_t finished = 0, submitted = 0;

    /* A finished task has been submitted before. So in this order the sums are equal only if no task was under way. */
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        finished += wsfj_items_ended(&wsfj_workers[i]);
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        submitted += load_acquire(&wsfj_workers[i].detached.submitted);
    return (struct wsfj_items){submitted + load_acquire(&foreign), finished};
}

bool wsfj_items_busy(void)
{
    struct wsfj_items tally = wsfj_items();

    return tally.submitted != tally.finished;
}
