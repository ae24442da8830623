/* SPDX-License-Identifier: MIT */
/*
 * By a schedule: the slots of WS_LOCAL. In the parallel program each worker has one, and a task keeps its worker up to its next
 * sync. Here a fiber takes a free number where it asks for a slot, and gives it back at its next sync or end. The variable itself
 * is the slot of code outside of tasks.
 */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

struct views {
    void *slot;
    void *of[MOST_FIBERS + 2];
    struct views *next;
};

static struct views *all;
static unsigned char taken[MOST_FIBERS + 2];

static struct views *views_of(void *slot)
{
    struct views *v = all;

    while (v && v->slot != slot)
        v = v->next;
    return v;
}

void *race_view(void *slot, size_t size)
{
    struct fiber *fiber = race_self();
    struct views *v = views_of(slot);

    if (!v) {
        v = race_map(sizeof *v);
        v->slot = slot;
        v->next = all;
        all = v;
    }
    if (!fiber->slot) {
        while (taken[++fiber->slot])
            ;
        taken[fiber->slot] = 1;
    }
    if (!v->of[fiber->slot])
        v->of[fiber->slot] = calloc(1, (size + 127) & ~(size_t)127);
    return v->of[fiber->slot];
}

void race_view_leave(struct fiber *fiber)
{
    taken[fiber->slot] = 0;
    fiber->slot = 0;
}

/** The slot after `last`, of which the variable itself is the first. NULL: there is none. */
void *race_view_next(void *slot, const void *last)
{
    const struct views *v = views_of(slot);
    int found = last == slot;

    for (size_t i = 0; v && i < MOST_FIBERS + 2; i++) {
        if (found && v->of[i])
            return v->of[i];
        found |= v->of[i] == last;
    }
    return NULL;
}

void race_views_free(void *slot)
{
    struct views *v = views_of(slot);

    for (size_t i = 0; v && i < MOST_FIBERS + 2; i++) {
        free(v->of[i]);
        v->of[i] = NULL;
    }
}
