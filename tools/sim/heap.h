/* SPDX-License-Identifier: MIT */
/* What happens next: a heap of events by time. Of two events at the same time, the one with the smaller id is first,
 * so that a simulation does not depend on the order in which events were put in. */
#ifndef TOOLS_SIM_HEAP_H
#define TOOLS_SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose event it is, as the highest part of an id: a CPU gives its slice to the next thread before that runs. */
enum sim_whose { SIM_OF_MACHINE, SIM_OF_CPU, SIM_OF_THREAD };
#define SIM_EVENT_ID(whose, number) ((uint64_t)(whose) << 32 | (number))

struct sim_event {
    uint64_t time; /* virtual nanoseconds */
    uint64_t id;   /* unique */
    unsigned at;   /* its index in the heap, plus 1; 0: it is not there */
};

struct sim_heap {
    struct sim_event **events;
    unsigned count, room;
};

static inline bool sim_before(const struct sim_event *a, const struct sim_event *b)
{
    return a->time < b->time || (a->time == b->time && a->id < b->id);
}

static inline struct sim_event *sim_heap_first(const struct sim_heap *heap)
{
    return heap->count ? heap->events[0] : NULL;
}

void sim_heap_put(struct sim_heap *heap, struct sim_event *event);
void sim_heap_remove(struct sim_heap *heap, struct sim_event *event); /* does nothing if it is not there */
struct sim_event *sim_heap_take(struct sim_heap *heap);               /* the first; NULL: there is none */

#endif
