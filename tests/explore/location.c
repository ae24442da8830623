/* SPDX-License-Identifier: MIT */
/*
 * Locations and their messages. A location is found by its address and kept for all executions; its messages belong to
 * one execution.
 *
 * A choice is offered only at locations that two threads share and at least one writes. The search learns which ones
 * those are: if an execution finds another one, the search begins anew.
 */
#include "location.h"

#include <string.h>

#define MOST_MESSAGES 160
#define HASH 1024u

static struct location locations[EXPLORE_LOCATIONS];
static unsigned num_locations;
static uint16_t table[HASH]; /* 1 + index of the location */
static bool learned;

uint64_t messages;

bool location_begin(void)
{
    bool same = !learned;

    learned = false;
    messages = 0;
    return same;
}

uint16_t location_index(const struct location *l)
{
    return (uint16_t)(l - locations);
}

unsigned location_count(void)
{
    return num_locations;
}

uint16_t location_newest(unsigned i)
{
    return locations[i].execution == execution ? (uint16_t)(locations[i].n - 1) : 0;
}

uint64_t location_peek(const volatile void *p, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)(uintptr_t)p, size);
    return value;
}

/* Writes to memory, too: plain reads and the final check find the newest value there. */
struct message *location_append(struct location *l, uint64_t value)
{
    struct message *m = &l->message[l->n];

    if (l->n + 1 >= MOST_MESSAGES)
        search_fail("endless: too many stores to one location");
    l->n++;
    memcpy((void *)(uintptr_t)l->p, &value, l->size);
    m->value = location_peek(l->p, l->size);
    m->carries = false;
    messages++;
    if (current >= 0)
        views[current].seen[location_index(l)] = (uint16_t)(l->n - 1);
    return m;
}

static struct location *add_location(const volatile void *p, size_t size, uint16_t *entry)
{
    static struct message store[EXPLORE_LOCATIONS][MOST_MESSAGES];
    struct location *l = &locations[num_locations];

    if (num_locations == EXPLORE_LOCATIONS) {
        search_fail("too many locations");
        return NULL;
    }
    *l = (struct location){.p = p, .size = size, .message = store[num_locations]};
    *entry = (uint16_t)++num_locations;
    return l;
}

static struct location *find(const volatile void *p, size_t size)
{
    unsigned h = (unsigned)(((uintptr_t)p * 0x9e3779b97f4a7c15u) >> 40) % HASH;
    struct location *l;

    while (table[h] && locations[table[h] - 1].p != p)
        h = (h + 1) % HASH;
    l = table[h] ? &locations[table[h] - 1] : add_location(p, size, &table[h]);
    if (l->execution != execution) {
        l->execution = execution;
        l->touched_by = l->written_by = 0;
        l->n = 1;
        l->last_seq = 0;
        l->message[0] = (struct message){.value = location_peek(p, size)};
    }
    return l;
}

/* The location of an access by the current thread. Other threads may run before the access. */
struct location *location_access(const volatile void *p, size_t size, bool writes)
{
    struct location *l = find(p, size);

    thread_point(l->shared);
    race_touch(p, size, writes ? ATOMIC_WRITE : ATOMIC_READ);
    if (l->message[l->n - 1].value != location_peek(p, size))
        location_append(l, location_peek(p, size)); /* written by a plain store, which race.c has checked */
    l->touched_by |= 1u << current;
    l->written_by |= writes ? 1u << current : 0;
    if (!l->shared && l->written_by && (l->touched_by & (l->touched_by - 1)))
        l->shared = learned = true;
    return l;
}
