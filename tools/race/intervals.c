/* SPDX-License-Identifier: MIT */
/*
 * Which strands are parallel to the running one.
 *
 * SP-bags (Feng, Leiserson, Efficient detection of determinacy races in Cilk programs, SPAA 1997) without disjoint sets:
 * strands have numbers in the order of the serial run. A finished child that nobody has waited for yet is the interval of
 * the numbers from its spawn to its end. The pending intervals of all active tasks are sorted and disjoint, since those of
 * an outer task are before those of an inner one. A strand that has run is parallel to the running one if its number is in
 * one of them. Nothing is kept for each spawn.
 */
#include "detector.h"

#include <wsfj/inline/race_hooks.h>

const struct interval *race_interval_of(uint32_t t)
{
    size_t a = 0, b = race.pending;

    while (b - a > 1) {
        size_t m = (a + b) / 2;

        if (race.intervals[m].start <= t)
            a = m;
        else
            b = m;
    }
    return t < race.intervals[a].end ? &race.intervals[a] : NULL;
}

static size_t add_piece(size_t n, const struct interval *made, uint32_t start, uint32_t end)
{
    struct interval *last = n ? &race.intervals[n - 1] : NULL;

    if (start == end)
        return n;
    if (last && last->owner == made->owner && last->end == start && last->site == made->site && last->pc == made->pc) {
        last->end = end; /* the iterations of a loop so far */
        return n;
    }
    race.intervals[n] = *made;
    race.intervals[n].start = start;
    race.intervals[n].end = end;
    return n + 1;
}

/**
 * A child has ended that began as number `begun`, when `first` intervals were pending. What ran in it becomes pending for
 * made->owner, but the tasks inside that it has submitted to groups stay their groups'.
 */
void race_finish(uint32_t first, uint32_t begun, const struct interval *made)
{
    const size_t inside = race.pending - first;
    uint32_t from = begun;
    size_t n = first;

    if (inside) { /* each piece before a group's task needs a place: move them up */
        struct interval *moved = &race.intervals[race.pending + 2 * inside + 1];

        for (size_t i = inside; i-- > 0;)
            moved[i] = race.intervals[first + i];
        for (size_t i = 0; i < inside; i++) {
            n = add_piece(n, made, from, moved[i].start);
            race.intervals[n++] = moved[i];
            from = moved[i].end;
        }
    }
    n = add_piece(n, made, from, race.now + 1);
    race.now++;
    race.pending = n;
    race_intervals_changed();
}

/** What `owner` has waited for is done: of the intervals from `first` on, its own are pending no more. */
void race_join(const void *owner, uint32_t first)
{
    size_t n = first;

    for (size_t i = first; i < race.pending; i++)
        if (race.intervals[i].owner != owner)
            race.intervals[n++] = race.intervals[i];
    if (n != race.pending) {
        race.now++;
        race.pending = n;
        race_intervals_changed();
    }
}

/**
 * Whether the running strand and the pending one are waited for at the same time. Then whatever is parallel to the running
 * strand later is parallel to that one, too, and a second read, say, need not be remembered. Without groups that holds
 * always. But a task can be submitted after a spawn, and be pending when the child is done.
 */
int race_joined_together(const struct interval *in)
{
    const struct wsfj_spawned *s, *sibling = NULL;

    for (s = race.inner; s && s->wsfj_begun >= in->end; s = s->wsfj_outer)
        sibling = s;
    return sibling ? sibling->wsfj_owner == in->owner : in->site != NULL;
}
