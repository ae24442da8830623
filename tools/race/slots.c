/* SPDX-License-Identifier: MIT */
/*
 * The slots of WS_LOCAL variables in a run by a schedule. In the parallel program each worker has one, and a task keeps
 * its worker up to its next sync. Here a fiber takes a free number when it asks for a slot, and gives the number back
 * at its next sync or end. The variable itself is the slot of code outside of tasks.
 */
#include "schedule.h"

#include <stdlib.h>

/* A WS_LOCAL variable. */
struct local {
    void *variable;
    void *slots[MOST_FIBERS + 2]; /* by number; NULL: none yet */
    struct local *next;
};

static struct local *all;
static unsigned char taken[MOST_FIBERS + 2];

static struct local *local_of(void *variable)
{
    struct local *l = all;

    while (l && l->variable != variable)
        l = l->next;
    return l;
}

void *race_slot(void *variable, size_t size)
{
    struct fiber *fiber = race_self();
    struct local *l = local_of(variable);

    if (!l) {
        l = race_map(sizeof *l);
        l->variable = variable;
        l->next = all;
        all = l;
    }
    if (!fiber->slot) {
        while (taken[++fiber->slot])
            ;
        taken[fiber->slot] = 1;
    }
    if (!l->slots[fiber->slot]) {
        l->slots[fiber->slot] = calloc(1, (size + 127) & ~(size_t)127);
        if (!l->slots[fiber->slot])
            race_die("no memory");
    }
    return l->slots[fiber->slot];
}

void race_slot_leave(struct fiber *fiber)
{
    taken[fiber->slot] = 0;
    fiber->slot = 0;
}

/** The slot after `last`, of which the variable itself is the first. NULL: there is none. */
void *race_slot_next(void *variable, const void *last)
{
    const struct local *l = local_of(variable);
    int found = last == variable;

    for (size_t i = 0; l && i < MOST_FIBERS + 2; i++) {
        if (found && l->slots[i])
            return l->slots[i];
        found |= l->slots[i] == last;
    }
    return NULL;
}

void race_slots_free(void *variable)
{
    struct local *l = local_of(variable);

    for (size_t i = 0; l && i < MOST_FIBERS + 2; i++) {
        free(l->slots[i]);
        l->slots[i] = NULL;
    }
}
