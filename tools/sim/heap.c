/* SPDX-License-Identifier: MIT */
#include "heap.h"

#include "fail.h"

static void set(struct sim_heap *h, unsigned i, struct sim_event *e)
{
    h->events[i] = e;
    e->at = i + 1;
}

static void up(struct sim_heap *h, unsigned i, struct sim_event *e)
{
    for (; i && sim_before(e, h->events[(i - 1) / 2]); i = (i - 1) / 2)
        set(h, i, h->events[(i - 1) / 2]);
    set(h, i, e);
}

static void down(struct sim_heap *h, unsigned i, struct sim_event *e)
{
    for (;;) {
        unsigned child = 2 * i + 1;

        if (child >= h->count)
            break;
        if (child + 1 < h->count && sim_before(h->events[child + 1], h->events[child]))
            child++;
        if (!sim_before(h->events[child], e))
            break;
        set(h, i, h->events[child]);
        i = child;
    }
    set(h, i, e);
}

void sim_heap_put(struct sim_heap *h, struct sim_event *e)
{
    if (h->count == h->room) {
        unsigned room = h->room ? 2 * h->room : 64;

        h->events = sim_again(h->events, room * sizeof(struct sim_event *));
        h->room = room;
    }
    up(h, h->count++, e);
}

void sim_heap_remove(struct sim_heap *h, struct sim_event *e)
{
    unsigned i = e->at - 1;

    if (!e->at)
        return;
    e->at = 0;

    struct sim_event *last = h->events[--h->count];

    if (last == e)
        return;
    if (i && sim_before(last, h->events[(i - 1) / 2]))
        up(h, i, last);
    else
        down(h, i, last);
}

struct sim_event *sim_heap_take(struct sim_heap *h)
{
    struct sim_event *e = sim_heap_first(h);

    if (e)
        sim_heap_remove(h, e);
    return e;
}
