/* SPDX-License-Identifier: MIT */
#include "sched/unwind_link.h"

#include "arch/context.h"
#include "base/hooks.h"
#include "task/region.h"

void wsfj_unwind_link_begin(struct wsfj_stack *own)
{
    const struct wsfj_stack *parent = load_relaxed(&own->job.parent);
    struct wsfj_record record = {NULL, wsfj_unwind_link_inside((uintptr_t)wsfj_hooks.submit)};
    uintptr_t code = (uintptr_t)load_relaxed(&own->job.item.fn);

    if (parent) {
        record = (struct wsfj_record){wsfj_context_record(&parent->context), parent->job.code};
        code = (uintptr_t)load_relaxed(&own->job.kind)->wsfj_exec;
    } else {
        store_relaxed(&own->job.kind, NULL);
    }
    own->job.code = wsfj_unwind_link_inside(code); /* thieves read it: the steal orders that */
    *wsfj_context_record(&own->context) = record;
}
