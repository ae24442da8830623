/* SPDX-License-Identifier: MIT */
/*
 * Places that are used with locks: All-Sets (Cheng, Feng, Leiserson, Randall, Stark, Detecting data races in Cilk programs
 * that use locks, SPAA 1998). Such a cell has a list of accesses. A new one is compared with each. It replaces those
 * that are done before it, with all its locks or more; it is not kept if one that runs in parallel has its locks or fewer.
 * So there are at most as many entries as sets of locks, times two. Places that tasks of several groups read have lists, too.
 */
#include "shadow.h"

struct entry {
    uint32_t time, context, next;
    uint32_t kind;
};

static struct entry *entries;
enum { MOST_ENTRIES = 1 << 30 };
static uint32_t n_entries, unused; /* entry 0 is none */

static uint32_t entry_new(uint32_t time, uint32_t context, uint32_t kind, uint32_t next)
{
    uint32_t e = unused;

    if (e) {
        unused = entries[e].next;
    } else {
        if (!entries) {
            entries = race_map(sizeof *entries * MOST_ENTRIES);
            n_entries = 1;
        }
        if (n_entries == MOST_ENTRIES)
            race_die("more than %d accesses with locks to be remembered: use a smaller input", MOST_ENTRIES);
        e = n_entries++;
    }
    entries[e] = (struct entry){time, context, next, kind};
    return e;
}

void race_list_free(struct cell *c)
{
    for (uint32_t e = c->write, next; e; e = next) {
        next = entries[e].next;
        entries[e].next = unused;
        unused = e;
    }
}

void race_list_copy(struct cell *to, const struct cell *from)
{
    to->write = 0;
    for (uint32_t e = from->write; e; e = entries[e].next)
        to->write = entry_new(entries[e].time, entries[e].context, entries[e].kind, to->write);
}

void race_list_each(const struct cell *c, void (*found)(uint32_t t, uint32_t context, enum kind kind, void *arg),
                    void *arg)
{
    for (uint32_t e = c->write; e; e = entries[e].next)
        found(entries[e].time, entries[e].context, (enum kind)entries[e].kind, arg);
}

/* Makes a list of the plain cell. */
static void list_make(struct cell *c, uintptr_t a)
{
    uint32_t list = 0;

    if (c->write_time)
        list = entry_new(c->write_time, c->write, WRITE, list);
    if (c->read_time)
        list = entry_new(c->read_time, c->read, READ, list);
    *c = (struct cell){.write_time = LISTED, .write = list};
    race_page_lists(a);
}

/** Whether the first access had all locks of the second, or fewer; a view counts as one. */
static int had_as_few(uint32_t a, uint32_t b)
{
    return race_locks_subset(race_context_locks(a), race_context_locks(b)) && !(a & ~b & HAS_VIEW);
}

COLD void race_check_listed(struct cell *c, uintptr_t a, size_t size, enum kind kind, uint32_t me)
{
    const uint32_t locks = race_context_locks(me);
    uint32_t *link, e;
    int keep = 1;

    if (c->write_time != LISTED)
        list_make(c, a);
    for (link = &c->write; (e = *link) != 0;) {
        struct entry *old = &entries[e];
        const struct interval *in = old->time == race.now ? NULL : race_parallel(old->time);
        const uint32_t old_locks = race_context_locks(old->context);

        if (in) {
            if ((kind == WRITE || old->kind == WRITE) && race_locks_disjoint(locks, old_locks) &&
                !race_ordered(old->time, in) && !race_behind_views(a, old->context, me))
                race_report(
                    &(struct conflict){a, size, old->time, old->context, me, (enum kind)old->kind, kind, in, NULL});
            if ((uint32_t)kind <= old->kind && had_as_few(old->context, me) &&
                (!race.groups || race_joined_together(in)))
                keep = 0;
        } else if (kind >= (enum kind)old->kind && had_as_few(me, old->context)) {
            *link = old->next;
            old->next = unused;
            unused = e;
            continue;
        } else if (old->time == race.now && (uint32_t)kind <= old->kind && had_as_few(old->context, me)) {
            keep = 0; /* the same strand did as much with fewer locks */
        }
        link = &old->next;
    }
    if (keep)
        c->write = entry_new(race.now, me, kind, c->write);
}
