/* SPDX-License-Identifier: MIT */
/*
 * Where the workers go: places made of units, and each worker's place. Pure: the machine's arrays in, arrays out;
 * testable without threads and without the machine.
 */
#ifndef WSFJ_MACHINE_PLACEMENT_H
#define WSFJ_MACHINE_PLACEMENT_H

#include "base/base.h"
#include "config/parse.h"
#include "config/places.h"
#include "machine/tier.h"
#include "machine/topology.h"

struct wsfj_placement {
    /* The places: place p is member[end[p - 1]..end[p]), indices into the topology's units in binding order. */
    unsigned places;
    unsigned *end, *member;
    unsigned lost; /* places asked for that have no unit this process may use */
    bool chosen;   /* by WSFJ_PLACES and its like; else each unit is a place, in binding order */
    enum ws_bind bind;

    /* The workers. */
    unsigned workers;
    unsigned *place; /* each worker's */
    unsigned *unit;  /* the unit of its place that stands for it: distances are taken from there */
    bool settled;    /* workers stay at their places, so that distances mean something */
    bool bound;      /* and are bound to them: it is this machine */
};

/* Makes the places. If none of those asked for can be used, it is as if none were asked for. With `bind` none they are
 * ignored. False if there is no memory. */
bool wsfj_placement_places(struct wsfj_placement *layout, const struct wsfj_topology *topology,
                        const struct wsfj_places *places, enum ws_bind bind);

/* How many workers have a unit, or a core, of their own in the places that `bind` uses. At least 1. */
unsigned wsfj_placement_room(const struct wsfj_placement *layout, const struct wsfj_topology *topology, bool cores);

/* The number that the setting `workers` (WSFJ_NUM_WORKERS) stands for: at most WSFJ_WORKERS_MOST. If the machine has room
 * for more, a line says so. */
unsigned wsfj_placement_wanted(const struct wsfj_placement *layout, const struct wsfj_topology *topology, size_t workers);

/* Gives each of `n` workers a place. False if there is no memory; it may then be called again, for fewer. */
bool wsfj_placement_workers(struct wsfj_placement *layout, const struct wsfj_topology *topology, unsigned n);

void wsfj_placement_free(struct wsfj_placement *layout);

/* How far two workers are from each other; if they are not settled all are equally far. */
enum wsfj_tier wsfj_placement_tier(const struct wsfj_placement *layout, const struct wsfj_topology *topology, unsigned a,
                                unsigned b);

/* The number of the NUMA node that a worker stays on; 0 if it does not stay. */
unsigned wsfj_placement_node(const struct wsfj_placement *layout, const struct wsfj_topology *topology, unsigned worker);

/* The units of a worker's place. */
static inline const unsigned *wsfj_placement_units(const struct wsfj_placement *l, unsigned worker, unsigned *n)
{
    unsigned p = l->place[worker], start = p ? l->end[p - 1] : 0;

    *n = l->end[p] - start;
    return l->member + start;
}

#endif
