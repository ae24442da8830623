/* SPDX-License-Identifier: MIT */
/* What a bag says of itself: the counters of a run, and the line in a dump. */
#include "mpi/bag.h"

#include <errno.h>
#include <stdio.h>

BAG_EXPORT int ws_mpi_bag_stats_get(const ws_mpi_bag *bag, struct ws_mpi_bag_stats *stats)
{
    if (!bag || !stats)
        return EINVAL;
    const struct bag_counts *c = &bag->step.counts;

    *stats = (struct ws_mpi_bag_stats){.steals = c->chunks_received,
                                       .stolen = c->chunks_sent,
                                       .refusals = c->refusals,
                                       .lifelines = c->lifelines,
                                       .messages = c->sent + c->wave_messages,
                                       .bytes = c->bytes,
                                       .waves = c->waves,
                                       .idle = bag->idle,
                                       .end = bag->end,
                                       .inlined = atomic_load(&bag->inlined)};
    stats->tasks = stats->inlined;
    for (size_t i = 0; i < bag->slots; i++)
        stats->tasks += bag->stores[i].begun;
    return 0;
}

BAG_EXPORT int ws_mpi_bag_line(const ws_mpi_bag *bag, char *text, size_t size)
{
    uint64_t tasks = 0;
    const char *state = !atomic_load(&bag->runs)     ? "not running"
                        : atomic_load(&bag->live)    ? "active"
                        : atomic_load(&bag->in_wave) ? "passive, in a wave"
                                                     : "passive";

    for (size_t i = 0; i < bag->slots; i++) {
        bag_store_lock(&bag->stores[i]);
        tasks += bag->stores[i].count;
        bag_store_unlock(&bag->stores[i]);
    }
    int n = snprintf(text, size, "bag: rank %d of %d is %s, %llu tasks wait, %d runners", bag->me, bag->ranks, state,
                     (unsigned long long)tasks, atomic_load(&bag->live));

    for (uint32_t waiting = atomic_load(&bag->waiting); waiting; waiting &= waiting - 1)
        n += snprintf(text && (size_t)n < size ? text + n : NULL, text && (size_t)n < size ? size - (size_t)n : 0,
                      "; rank %d waits for tasks of this one", bag->me ^ (int)(waiting & -waiting));
    return n;
}

int wsfj_bag_say(void *bag, char *text, size_t size)
{
    return ws_mpi_bag_line(bag, text, size);
}
