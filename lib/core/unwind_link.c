/* SPDX-License-Identifier: MIT */
#include "core/unwind_link.h"

#include "arch/context.h"
#include "task/region.h"

static const struct wsfj_kind *kind_of(struct wsfj_stack *own)
{
    if (load_relaxed(&own->job.stolen))
        return load_relaxed(&own->job.kind);
    if (load_relaxed(&own->job.item.fn))
        return NULL;
    return (const struct wsfj_kind *)load_relaxed(&load_relaxed(&own->job.region)->root->wsfj_word);
}

void wsfj_unwind_link_root(struct wsfj_region *region, const void *frame, uintptr_t function)
{
    region->record = (struct wsfj_record){frame, wsfj_unwind_link_inside(function)};
}

void wsfj_unwind_link_begin(struct wsfj_stack *own)
{
    const struct wsfj_stack *parent = load_relaxed(&own->job.parent);
    const struct wsfj_kind *kind = kind_of(own);
    struct wsfj_record record = {NULL, wsfj_unwind_link_inside((uintptr_t)ws_submit)};

    if (parent)
        record = (struct wsfj_record){wsfj_context_record(&parent->context), parent->job.code};
    else if (kind)
        record = load_relaxed(&own->job.region)->record;
    store_relaxed(&own->job.kind, kind);
    /* Thieves read `code`: the steal orders that. */
    own->job.code =
        wsfj_unwind_link_inside(kind ? (uintptr_t)kind->wsfj_exec : (uintptr_t)load_relaxed(&own->job.item.fn));
    *wsfj_context_record(&own->context) = record;
}

void wsfj_unwind_link_end(struct wsfj_stack *own)
{
    wsfj_context_record(&own->context)->next = NULL;
    store_relaxed(&own->job.parent, NULL);
    store_relaxed(&own->job.kind, NULL); /* for dumps: the kind may be unloaded before the stack has another one */
    own->job.code = NULL;
}
