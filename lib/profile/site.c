/* SPDX-License-Identifier: MIT */
/* Tallies, one for each site in each account, found by the site's address. Totals, found by file, line and task: a site
 * in a header has a different address in each file that includes it. */
#include "profile/profile.h"

#include "base/alloc.h"
#include "profile/record.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_LEAST_LOG 6
#define SLOTS_MOST_LOG 16

static const struct wsfj_site own_site = {"", "own", 0}, rest_site = {"", "sites without memory", 0};

static size_t first_slot(const struct wsfj_site *site, unsigned shift)
{
    return (size_t)((uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15) >> shift);
}

/* The slot of a site, or the free slot where it belongs. There is always a free slot. */
static struct wsfj_site_slot *find(struct wsfj_site_slot *slots, unsigned shift, const struct wsfj_site *site)
{
    size_t mask = ((size_t)1 << (64 - shift)) - 1, i = first_slot(site, shift);

    while (slots[i].wsfj_site && slots[i].wsfj_site != site)
        i = (i + 1) & mask;
    return &slots[i];
}

/* Puts all tallies into a table of that size. True if each is in its first slot, where the fast path looks. */
static bool rebuild(struct wsfj_account *a, unsigned log)
{
    unsigned shift = 64 - log;
    struct wsfj_site_slot *slots = wsfj_calloc((size_t)1 << log, sizeof *slots);
    bool all_first = true;

    if (!slots)
        return true; /* the old table will do */
    for (struct wsfj_tally *t = a->tallies; t; t = t->wsfj_next) {
        struct wsfj_site_slot *slot = find(slots, shift, t->wsfj_site);

        *slot = (struct wsfj_site_slot){t->wsfj_site, t};
        all_first = all_first && slot == &slots[first_slot(t->wsfj_site, shift)];
    }
    free(a->profile.wsfj_slots);
    a->profile.wsfj_slots = slots;
    a->profile.wsfj_shift = shift;
    return all_first;
}

static struct wsfj_total *new_total(const struct wsfj_site *site)
{
    struct wsfj_total *total = wsfj_calloc(1, sizeof *total);

    if (!total)
        return NULL;
    *total =
        (struct wsfj_total){.file = strdup(site->wsfj_file), .task = strdup(site->wsfj_task), .line = site->wsfj_line};
    if (total->file && total->task)
        return total;
    free(total->file);
    free(total->task);
    free(total);
    return NULL;
}

static struct wsfj_total *total_of(struct wsfj_totals *totals, const struct wsfj_site *site)
{
    struct wsfj_total *t = totals->sites;

    while (t && (t->line != site->wsfj_line || strcmp(t->file, site->wsfj_file) != 0 ||
                 strcmp(t->task, site->wsfj_task) != 0))
        t = t->next;
    if (!t && (t = new_total(site))) {
        t->next = totals->sites;
        totals->sites = t;
    }
    return t;
}

static void init(struct wsfj_tally *tally, const struct wsfj_site *site)
{
    uint32_t id = wsfj_record_site(site) * 3;

    *tally = (struct wsfj_tally){.wsfj_site = site};
    wsfj_strands_init(&tally->wsfj_child);
    wsfj_strands_init(&tally->wsfj_after);
    wsfj_strands_init(&tally->wsfj_synced);
    tally->wsfj_child.wsfj_id = id;
    tally->wsfj_after.wsfj_id = id + 1;
    tally->wsfj_synced.wsfj_id = id + 2;
}

bool wsfj_sites_init(struct wsfj_account *a)
{
    init(&a->own, &own_site);
    init(&a->rest, &rest_site);
    (void)rebuild(a, SLOTS_LEAST_LOG);
    return a->profile.wsfj_slots != NULL;
}

void wsfj_sites_free(struct wsfj_account *a)
{
    while (a->tallies) {
        struct wsfj_tally *t = a->tallies;

        a->tallies = t->wsfj_next;
        free(t);
    }
    free(a->profile.wsfj_slots);
}

static bool has_room(const struct wsfj_account *a)
{
    return (a->num_tallies + 1) * 2 <= (size_t)1 << (64 - a->profile.wsfj_shift);
}

/* The site is not in its first slot: it is new, or another site has the slot. */
WSFJ_EXPORT struct wsfj_tally *wsfj_profile_tally(struct wsfj_profile *p, const struct wsfj_site *site)
{
    struct wsfj_account *a = wsfj_account_of(p);
    struct wsfj_tally *tally = find(p->wsfj_slots, p->wsfj_shift, site)->wsfj_tally;
    struct wsfj_site_slot *slot;

    if (tally)
        return tally;
    if (!has_room(a) && 64 - p->wsfj_shift < SLOTS_MOST_LOG)
        (void)rebuild(a, 64 - p->wsfj_shift + 1);
    tally = has_room(a) ? wsfj_malloc(sizeof *tally) : NULL;
    if (!tally)
        return &a->rest;
    init(tally, site);
    tally->wsfj_next = a->tallies;
    a->tallies = tally;
    a->num_tallies++;
    slot = find(p->wsfj_slots, p->wsfj_shift, site);
    *slot = (struct wsfj_site_slot){site, tally};
    if (slot != &p->wsfj_slots[first_slot(site, p->wsfj_shift)])
        for (unsigned log = 64 - p->wsfj_shift + 1; log <= SLOTS_MOST_LOG && !rebuild(a, log); log++)
            ;
    return tally;
}

/* An outermost child has ended: it was inside no other child of its site. */
WSFJ_EXPORT void wsfj_profile_outermost(struct wsfj_profile *p, struct wsfj_spawned *child)
{
    struct wsfj_tally *tally = child->wsfj_tally;

    tally->wsfj_outermost = NULL;
    tally->wsfj_work += p->wsfj_work - child->wsfj_work;
    tally->wsfj_blocked += p->wsfj_blocked - child->wsfj_blocked;
    tally->wsfj_strands += p->wsfj_strands - child->wsfj_strands + 1;
    tally->wsfj_path.wsfj_span += p->wsfj_span - child->wsfj_span;
    if (p->wsfj_span - child->wsfj_span > tally->wsfj_longest)
        tally->wsfj_longest = p->wsfj_span - child->wsfj_span;
    tally->wsfj_path.wsfj_burdened +=
        p->wsfj_span - child->wsfj_span + p->wsfj_burden - child->wsfj_burden - p->wsfj_steal;
}

static void add(struct wsfj_tally *tally, struct wsfj_totals *totals)
{
    struct wsfj_total *total = tally->wsfj_total ? tally->wsfj_total : total_of(totals, tally->wsfj_site);

    totals->variance += wsfj_strands_variance(&tally->wsfj_child) + wsfj_strands_variance(&tally->wsfj_after) +
                        wsfj_strands_variance(&tally->wsfj_synced);
    totals->spawns += tally->wsfj_count;
    tally->wsfj_total = total;
    if (!total)
        return;
    total->count += tally->wsfj_count;
    total->work += tally->wsfj_work;
    total->blocked += tally->wsfj_blocked;
    total->strands += tally->wsfj_strands;
    total->longest = tally->wsfj_longest > total->longest ? tally->wsfj_longest : total->longest;
    total->path.wsfj_span += tally->wsfj_path.wsfj_span;
    total->path.wsfj_burdened += tally->wsfj_path.wsfj_burdened;
}

/* Keeps what is known about strands; the samples were added to the totals. */
static void clear_strands(struct wsfj_strands *s)
{
    for (int end = 0; end < WSFJ_ENDS; end++) {
        struct wsfj_sample *sample = &s->wsfj_sample[end];

        sample->wsfj_timed = 0;
        sample->wsfj_stands_for = sample->wsfj_sum = sample->wsfj_squares = 0;
    }
}

static void clear(struct wsfj_tally *t)
{
    t->wsfj_count = t->wsfj_work = t->wsfj_blocked = t->wsfj_strands = 0;
    t->wsfj_longest = 0;
    t->wsfj_outermost = NULL;
    t->wsfj_path = (struct wsfj_position){0, 0, 0};
    clear_strands(&t->wsfj_child);
    clear_strands(&t->wsfj_after);
    clear_strands(&t->wsfj_synced);
}

void wsfj_sites_clear(struct wsfj_account *a)
{
    for (struct wsfj_tally *t = a->tallies; t; t = t->wsfj_next)
        clear(t);
    clear(&a->own);
    clear(&a->rest);
    a->profile.wsfj_work = a->profile.wsfj_blocked = a->profile.wsfj_strands = a->timed = a->hidden = 0;
}

void wsfj_sites_fold(struct wsfj_account *a, struct wsfj_totals *totals)
{
    for (struct wsfj_tally *t = a->tallies; t; t = t->wsfj_next)
        if (t->wsfj_count)
            add(t, totals);
    if (a->rest.wsfj_count)
        add(&a->rest, totals);
    totals->variance += wsfj_strands_variance(&a->own.wsfj_child) + wsfj_strands_variance(&a->own.wsfj_after);
    totals->work += a->profile.wsfj_work;
    totals->blocked += a->profile.wsfj_blocked;
    totals->strands += a->profile.wsfj_strands;
    totals->timed += a->timed;
    totals->hidden += a->hidden;
    wsfj_sites_clear(a);
}

void wsfj_totals_free(struct wsfj_totals *totals)
{
    while (totals->sites) {
        struct wsfj_total *t = totals->sites;

        totals->sites = t->next;
        free(t->file);
        free(t->task);
        free(t);
    }
    *totals = (struct wsfj_totals){0};
}
