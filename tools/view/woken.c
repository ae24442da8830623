/* SPDX-License-Identifier: MIT */
#include "woken.h"

#include "array.h"

/* The worker's slice of sleep at that time; t->slices.count: there is none. A worker that has not run again by the end of
 * the trace may still sleep. */
static size_t sleep_at(const struct view_trace *t, unsigned lane, uint64_t at)
{
    size_t low = t->first[lane], high = t->first[lane + 1];
    const struct view_slice *slice;

    while (low < high) { /* the first slice that ends later */
        size_t middle = low + (high - low) / 2;

        if (t->slices.at[middle].to <= at)
            low = middle + 1;
        else
            high = middle;
    }
    slice = &t->slices.at[low];
    if (low == t->first[lane + 1] || slice->from > at || slice->to >= t->length)
        return t->slices.count;
    return slice->what == VIEW_PARK || slice->what == VIEW_SURPLUS ? low : t->slices.count;
}

/* Puts the rest of the slice behind all slices. */
static bool split(struct view_trace *t, size_t i, uint64_t at)
{
    struct view_slice rest;

    if (!VIEW_GROW(&t->slices))
        return false;
    rest = t->slices.at[i];
    rest.from = at;
    rest.what = VIEW_WOKEN;
    t->slices.at[i].to = at;
    t->slices.at[t->slices.count++] = rest;
    return true;
}

/* A thread may be slow to record that it has woken a worker, which sleeps again by then. So of several wakes in a slice
 * the last one is that of this sleep. */
bool view_woken_split(struct view_trace *t)
{
    size_t count = t->slices.count;
    uint64_t *wakes = calloc(count + 1, sizeof *wakes);
    bool ok = wakes != NULL;

    for (size_t i = 0; ok && i < t->instants.count; i++) {
        const struct view_instant *wake = &t->instants.at[i];

        if (wake->event == VIEW_wake && wake->numbers[0] < t->workers) {
            size_t sleep = sleep_at(t, wake->numbers[0], wake->at);

            wakes[sleep] = wake->at > wakes[sleep] ? wake->at : wakes[sleep];
        }
    }
    for (size_t i = 0; ok && i < count; i++)
        ok = !wakes[i] || split(t, i, wakes[i]);
    free(wakes);
    view_trace_order(t);
    return ok;
}
