/* SPDX-License-Identifier: MIT */
/*
 * Where the workers go: places made of units, and each worker's place. Reads the arrays of topology.h and writes
 * arrays, so tests need neither threads nor the machine.
 */
#ifndef WSFJ_MACHINE_PLACEMENT_H
#define WSFJ_MACHINE_PLACEMENT_H

#include "base/base.h"
#include "config/parse.h"
#include "config/places.h"
#include "machine/topology.h"

struct wsfj_placement {
    /* The places: place p is member[end[p - 1]..end[p]), indices into the topology's units in binding order. */
    unsigned places;
    unsigned *end, *member;
    unsigned lost; /* requested places without any unit that this process may use */
    bool chosen;   /* the user has set places; else each unit is a place, in binding order */
    enum ws_bind bind;

    /* The workers. */
    unsigned workers;
    unsigned *place; /* of each worker */
    unsigned *unit;  /* of each worker: a unit of its place, from which distances are measured */
    bool settled;    /* workers stay at their places: distances mean something */
    bool bound;      /* ... because they are bound: the topology is this machine's */
};

/* Makes the places. If none of the requested places is usable, each unit is a place. WS_BIND_NONE ignores the request.
 * False if there is no memory. */
bool wsfj_placement_places(struct wsfj_placement *placement, const struct wsfj_topology *topology,
                           const struct wsfj_places *places, enum ws_bind bind);

/* How many workers have a unit, or a core, of their own in the places that `bind` uses. At least 1. */
unsigned wsfj_placement_room(const struct wsfj_placement *placement, const struct wsfj_topology *topology, bool cores);

/* The number that the setting `workers` (WSFJ_NUM_WORKERS) means: at most WSFJ_WORKERS_MOST, with a one-line warning if
 * the machine has room for more. */
unsigned wsfj_placement_wanted(const struct wsfj_placement *placement, const struct wsfj_topology *topology,
                               size_t workers);

/* Gives each of `n` workers a place. False if there is no memory; a call with fewer workers may follow. */
bool wsfj_placement_workers(struct wsfj_placement *placement, const struct wsfj_topology *topology, unsigned n);

/* Lists the workers so that those at equal distances from a worker lie side by side, by number if all are equally far.
 * False if there is no memory. */
bool wsfj_placement_neighbours(const struct wsfj_placement *placement, const struct wsfj_topology *topology,
                               unsigned *near);

void wsfj_placement_free(struct wsfj_placement *placement);

/* The number of the NUMA node that a worker stays on; 0 if it does not stay. */
unsigned wsfj_placement_node(const struct wsfj_placement *placement, const struct wsfj_topology *topology,
                             unsigned worker);

/* The units of a worker's place. */
static inline const unsigned *wsfj_placement_units(const struct wsfj_placement *l, unsigned worker, unsigned *n)
{
    unsigned p = l->place[worker], start = p ? l->end[p - 1] : 0;

    *n = l->end[p] - start;
    return l->member + start;
}

#endif
