/* SPDX-License-Identifier: MIT */
#include "sched/load.h"

#include "arch/fpenv.h"
#include "base/atomic.h"
#include "task/region.h"
#include "task/stack.h"

static struct wsfj_region detached; /* of all detached tasks */

void wsfj_load_start(void)
{
    detached.fpenv = wsfj_fpenv_get();
}

void wsfj_load_item(struct wsfj_stack *s, struct wsfj_item item)
{
    wsfj_stack_put_item(s, item);
    store_relaxed(&s->job.region, &detached);
    store_relaxed(&s->job.stolen, NULL);
}

void wsfj_load_call(struct wsfj_item item)
{
    wsfj_fpenv_set(detached.fpenv);
    item.fn(item.arg);
}
