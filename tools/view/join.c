/* SPDX-License-Identifier: MIT */
#include "join.h"

#include "array.h"
#include "message.h"
#include "place.h"
#include "window.h"
#include "woken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(void)
{
    return view_say("no memory for so many events");
}

/* Joins the list of that member (its offset): a number for each worker, and the sum of all other threads; NULL if a part has none, or there is no memory. */
static uint64_t *join_list(const struct view_place *places, size_t count, unsigned workers, size_t member)
{
    uint64_t *joined = calloc(workers + 1, sizeof *joined);
    unsigned lane = 0;

    for (size_t i = 0; joined && i < count; i++) {
        const struct view_trace *t = &places[i].part->trace;
        const uint64_t *list;

        memcpy(&list, (const char *)t + member, sizeof list);
        if (!list) {
            free(joined);
            return NULL;
        }
        for (unsigned w = 0; w < t->workers; w++)
            joined[lane++] = list[w];
        joined[workers] += list[t->workers];
    }
    return joined;
}

static bool begin(struct view_trace *all, const struct view_place *places, size_t count)
{
    unsigned workers = 0;

    for (size_t i = 0; i < count; i++)
        workers += places[i].part->trace.workers;
    if (workers > VIEW_WORKERS_MOST)
        return view_say("the traces have %u workers, more than %d", workers, VIEW_WORKERS_MOST);
    all->workers = workers;
    snprintf(all->producer, sizeof all->producer, "%s", places[0].part->trace.producer);
    all->first = calloc(workers + 2, sizeof *all->first);
    all->dropped = join_list(places, count, workers, offsetof(struct view_trace, dropped));
    all->steals = join_list(places, count, workers, offsetof(struct view_trace, steals));
    all->steals_failed = join_list(places, count, workers, offsetof(struct view_trace, steals_failed));
    all->cpu = join_list(places, count, workers, offsetof(struct view_trace, cpu));
    all->delay = join_list(places, count, workers, offsetof(struct view_trace, delay));
    return (all->first && all->dropped) || no_memory();
}

/* What changes as a part's events become the whole's. */
struct move {
    struct view_trace *all;
    const struct view_trace *part;
    const uint32_t *names; /* numbers in the whole */
    uint64_t shift, next_id;
    unsigned first;
    uint16_t rank;
};

static uint32_t lane_of(const struct move *m, uint32_t lane)
{
    return lane < m->part->workers ? m->first + lane : m->all->workers;
}

static bool add_slices(struct move *m)
{
    for (size_t i = 0; i < m->part->slices.count; i++) {
        struct view_slice slice = m->part->slices.at[i];

        if (!VIEW_GROW(&m->all->slices))
            return false;
        slice.from += m->shift;
        slice.to += m->shift;
        slice.lane = lane_of(m, slice.lane);
        slice.name = m->names[slice.name];
        slice.rank = m->rank;
        m->all->slices.at[m->all->slices.count++] = slice;
    }
    return true;
}

static bool add_instants(struct move *m)
{
    for (size_t i = 0; i < m->part->instants.count; i++) {
        struct view_instant instant = m->part->instants.at[i];

        if (!VIEW_GROW(&m->all->instants))
            return false;
        instant.at += m->shift;
        instant.lane = lane_of(m, instant.lane);
        instant.name = m->names[instant.name];
        instant.rank = m->rank;
        if (instant.event == VIEW_steal)
            instant.numbers[0] += m->first; /* the victim */
        m->all->instants.at[m->all->instants.count++] = instant;
    }
    return true;
}

/* Numbers of ends that belong together are unique in a process only. The part's are in order of kind and number. */
static bool add_halves(struct move *m)
{
    for (size_t i = 0; i < m->part->halves.count; i++) {
        const struct view_half *before = i ? &m->part->halves.at[i - 1] : NULL;
        struct view_half half = m->part->halves.at[i];

        if (!VIEW_GROW(&m->all->halves))
            return false;
        m->next_id += !before || before->kind != half.kind || before->id != half.id;
        half.id = m->next_id;
        half.at += m->shift;
        half.lane = lane_of(m, half.lane);
        half.name = half.kind == VIEW_LOOP ? m->names[half.name] : 0;
        half.rank = m->rank;
        m->all->halves.at[m->all->halves.count++] = half;
    }
    return true;
}

static bool add_names(const struct move *m, uint32_t *names)
{
    for (size_t i = 0; i < m->part->names.count; i++) {
        names[i] = view_names_find(&m->all->names, m->part->names.at[i].text, m->part->names.at[i].where);
        if (names[i] == UINT32_MAX)
            return false;
    }
    return true;
}

static bool add(struct move *m, const struct view_place *place)
{
    const struct view_trace *part = &place->part->trace;
    uint32_t *names = malloc((part->names.count + 1) * sizeof *names);
    uint64_t length = part->length + place->shift;
    bool ok;

    m->part = part;
    m->names = names;
    m->shift = place->shift;
    ok = names && add_names(m, names) && add_slices(m) && add_instants(m) && add_halves(m) && VIEW_GROW(&m->all->ranks);
    free(names);
    if (!ok)
        return false;
    m->all->ranks.at[m->all->ranks.count++] =
        (struct view_rank){place->job.rank, m->first, place->part->trace.dropped_all > 0};
    m->all->length = length > m->all->length ? length : m->all->length;
    m->all->recorded = m->all->length;
    m->all->cut = part->cut > m->all->cut ? part->cut : m->all->cut;
    m->all->dropped_all += part->dropped_all;
    m->all->events += part->events;
    m->first += part->workers;
    m->rank++;
    return true;
}

static bool join(struct view_trace *all, const struct view_place *places, size_t count)
{
    struct move move = {.all = all};

    if (!begin(all, places, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!add(&move, &places[i]))
            return no_memory();
    view_trace_order(all);
    return true;
}

static bool find_messages(struct view_trace *all, const struct view_place *places, size_t count)
{
    struct view_unmatched unmatched;

    for (size_t i = 0; i < count; i++)
        if (places[i].part->trace.dropped_all) {
            (void)view_say("%s has lost events (WSFJ_TRACE_EVENTS): messages to and from rank %u have no arrows",
                           places[i].part->name, places[i].job.rank);
        }
    if (!view_messages_find(all, &unmatched))
        return no_memory();
    if (unmatched.sends || unmatched.receives)
        (void)view_say(
            "%zu message%s sent and not received, %zu received and not sent: they have no arrows, and those of the "
            "same tags are wrong if the program's own requests took part",
            unmatched.sends, unmatched.sends == 1 ? " was" : "s were", unmatched.receives);
    return true;
}

/* The marks of the ranks are read before they may be cut off. */
static bool prepare(struct view_place *places, struct view_part *parts, size_t count)
{
    if (!view_place(places, parts, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        view_window_cut(&parts[i].trace);
        if (!view_woken_split(&parts[i].trace))
            return no_memory();
    }
    view_align(places, count);
    return true;
}

bool view_join(struct view_trace *all, struct view_part *parts, size_t count)
{
    struct view_place *places = calloc(count, sizeof *places);
    bool ok = places ? prepare(places, parts, count) && join(all, places, count) && find_messages(all, places, count)
                     : no_memory();

    free(places);
    return ok;
}
