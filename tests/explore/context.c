/* SPDX-License-Identifier: MIT */
/*
 * Replaces lib/arch/context.c: checks each switch, then uses the library's own. A stack may be entered only after a
 * switch away from it, and by one thread only.
 */
#include "engine.h"

#include "arch/context.h"

#define MOST_CONTEXTS 16

static struct entry {
    const struct wsfj_context *context;
    unsigned execution;
    bool left;
} entries[MOST_CONTEXTS];

static struct entry *entry_of(const struct wsfj_context *context)
{
    unsigned i = 0;

    while (i < MOST_CONTEXTS - 1 && entries[i].execution == execution && entries[i].context != context)
        i++;
    if (entries[i].execution != execution)
        entries[i] = (struct entry){context, execution, false};
    explore_must(entries[i].context == context, "too many contexts");
    return &entries[i];
}

void wsfj_context_make(struct wsfj_context *context, void *low, size_t size, void (*entry)(void *), void *argument)
{
    context->stack_low = low;
    context->stack_size = size;
    wsfj_arch_make(context, entry, argument);
    entry_of(context)->left = true;
}

void wsfj_context_drop(struct wsfj_context *context)
{
    (void)context;
}

void wsfj_context_share_slot(struct wsfj_context *context)
{
    (void)context;
}

void wsfj_context_entered(struct wsfj_context *context)
{
    (void)context;
}

static void switch_checked(struct wsfj_context *from, struct wsfj_context *to)
{
    explore_must(entry_of(to)->left, "a stack is entered before the switch away from it");
    entry_of(to)->left = false;
    entry_of(from)->left = true;
    /* What the switch saves and restores. */
    race_touch(from, sizeof *from, PLAIN_WRITE);
    race_touch(to, sizeof *to, PLAIN_READ);
    search_trace(NULL, "switches from %p to %p", (void *)from, (void *)to);
    wsfj_arch_switch(from, to);
}

void (*wsfj_context_switch)(struct wsfj_context *, struct wsfj_context *) = switch_checked;
