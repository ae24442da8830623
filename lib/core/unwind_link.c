/* SPDX-License-Identifier: MIT */
#include "core/unwind_link.h"

#include "arch/context.h"
#include "base/atomic.h"
#include "task/region.h"
#include "task/stack.h"

/* An address inside the function, for readers that look up a return address, or that address minus 1. */
static const char *inside(uintptr_t function)
{
    return (const char *)function + 1;
}

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
    region->record = (struct wsfj_record){frame, inside(function)};
}

void wsfj_unwind_link_begin(struct wsfj_stack *own)
{
    const struct wsfj_stack *parent = load_relaxed(&own->job.parent);
    const struct wsfj_kind *kind = kind_of(own);
    struct wsfj_record record = {NULL, inside((uintptr_t)ws_submit)};

    if (parent)
        record = (struct wsfj_record){wsfj_context_record(&parent->context), parent->job.code};
    else if (kind)
        record = load_relaxed(&own->job.region)->record;
    store_relaxed(&own->job.kind, kind);
    /* Thieves read `code`: the steal orders that. */
    own->job.code = inside(kind ? (uintptr_t)kind->wsfj_exec : (uintptr_t)load_relaxed(&own->job.item.fn));
    *wsfj_context_record(&own->context) = record;
}

void wsfj_unwind_link_end(struct wsfj_stack *own)
{
    wsfj_context_record(&own->context)->next = NULL;
    store_relaxed(&own->job.parent, NULL);
    store_relaxed(&own->job.kind, NULL); /* for dumps: the kind may be unloaded before the stack has another one */
    own->job.code = NULL;
}
