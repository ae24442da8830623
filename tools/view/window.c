/* SPDX-License-Identifier: MIT */
#include "window.h"

#include <stdlib.h>

static void first_of(uint64_t *first, uint64_t at)
{
    *first = at < *first ? at : *first;
}

/* When the last of the lanes that have lost events begins. Where a steal's arrow begins is the thief's event. */
static uint64_t find_begin(const struct view_trace *t, uint64_t *first)
{
    uint64_t begin = 0;

    for (unsigned lane = 0; lane <= t->workers; lane++)
        first[lane] = UINT64_MAX;
    for (size_t i = 0; i < t->slices.count; i++)
        first_of(&first[t->slices.at[i].lane], t->slices.at[i].from);
    for (size_t i = 0; i < t->instants.count; i++)
        first_of(&first[t->instants.at[i].lane], t->instants.at[i].at);
    for (size_t i = 0; i < t->halves.count; i++) {
        if (t->halves.at[i].kind != VIEW_FROM_STEAL || t->halves.at[i].is_end)
            first_of(&first[t->halves.at[i].lane], t->halves.at[i].at);
    }
    for (unsigned lane = 0; lane <= t->workers; lane++) {
        uint64_t from = first[lane] == UINT64_MAX ? t->length : first[lane]; /* nothing is known of it */

        if (t->dropped[lane] && from > begin)
            begin = from;
    }
    return begin;
}

static void cut_slices(struct view_trace *t, uint64_t begin)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->slices.count; i++) {
        struct view_slice slice = t->slices.at[i];

        if (slice.to < begin || (slice.to == begin && slice.from < begin))
            continue;
        slice.from = slice.from > begin ? slice.from - begin : 0;
        slice.to -= begin;
        t->slices.at[kept++] = slice;
    }
    t->slices.count = kept;
}

static void cut_instants(struct view_trace *t, uint64_t begin)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->instants.count; i++) {
        struct view_instant instant = t->instants.at[i];

        if (instant.at < begin)
            continue;
        instant.at -= begin;
        t->instants.at[kept++] = instant;
    }
    t->instants.count = kept;
}

/* What lasts from before to after the begin, lasts from the begin. The halves are in order of kind, number and time. */
static void cut_halves(struct view_trace *t, uint64_t begin)
{
    size_t kept = 0, count = t->halves.count;

    for (size_t i = 0; i < count; i++) {
        struct view_half half = t->halves.at[i];
        const struct view_half *next = i + 1 < count ? &t->halves.at[i + 1] : NULL;
        bool is_last = !next || next->kind != half.kind || next->id != half.id;

        if (half.at < begin && (half.is_end || half.kind < VIEW_REGION || (!is_last && next->at < begin)))
            continue;
        half.at = half.at > begin ? half.at - begin : 0;
        t->halves.at[kept++] = half;
    }
    t->halves.count = kept;
}

void view_window_cut(struct view_trace *t)
{
    uint64_t *first = t->dropped_all ? malloc((t->workers + 1) * sizeof *first) : NULL, begin;

    if (!first)
        return;
    begin = find_begin(t, first);
    free(first);
    cut_slices(t, begin);
    cut_instants(t, begin);
    cut_halves(t, begin);
    t->start += begin;
    t->cut = begin;
    t->length -= begin;
    view_trace_order(t);
}
