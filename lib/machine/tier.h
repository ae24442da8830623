/* SPDX-License-Identifier: MIT */
/* The distance of two workers: the innermost part of the machine that they share. */
#ifndef WSFJ_MACHINE_TIER_H
#define WSFJ_MACHINE_TIER_H

enum wsfj_tier {
    WSFJ_TIER_CORE,
    WSFJ_TIER_CACHE,
    WSFJ_TIER_NUMA,
    WSFJ_TIER_PACKAGE,
    WSFJ_TIER_MACHINE,
    WSFJ_TIER_COUNT
};

extern const char *const wsfj_tier_names[WSFJ_TIER_COUNT];

struct wsfj_placement;
struct wsfj_topology;

/* The innermost level at which two units share a member. */
enum wsfj_tier wsfj_topology_tier(const struct wsfj_topology *topology, unsigned a, unsigned b);

/* How far two workers are from each other; if workers are not settled, all are equally far. */
enum wsfj_tier wsfj_placement_tier(const struct wsfj_placement *placement, const struct wsfj_topology *topology,
                                   unsigned a, unsigned b);

#endif
