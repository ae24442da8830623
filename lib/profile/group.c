/* SPDX-License-Identifier: MIT */
/* Where the tasks of groups end, and a group's number in the record, by the group's address: the group itself has no room
 * for them. And where other objects were set. */
#include "profile/profile.h"

#include "base/alloc.h"
#include "profile/record.h"

#include <stdlib.h>

#define GROUPS_LOG 10
/* A limit: groups for which no thread waits are never removed, nor are other objects, which have half of it. */
#define GROUPS_MOST 65536

/* Under the lock. */
static struct known {
    const void *group;
    struct wsfj_position at; /* the farthest end of its tasks */
    uint64_t number;         /* 0: none */
    struct known *next;
} * groups[1 << GROUPS_LOG];
static size_t num_groups;
static uint64_t last_number;
static struct wsfj_position others; /* of groups for which there is no memory */

static struct known **find(const void *group)
{
    struct known **g = &groups[(uintptr_t)group * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GROUPS_LOG)];

    while (*g && (*g)->group != group)
        g = &(*g)->next;
    return g;
}

/* Adds the group if it is new. NULL: there is no memory, or too many. */
static struct known *add(const void *group)
{
    struct known **link = find(group), *g = *link;

    if (!g && num_groups < GROUPS_MOST && (g = wsfj_calloc(1, sizeof *g))) {
        g->group = group;
        *link = g;
        num_groups++;
    }
    return g;
}

void wsfj_groups_reach(const void *group, struct wsfj_position at)
{
    struct known *g;

    wsfj_profile_lock();
    g = add(group);
    wsfj_reach(g ? &g->at : &others, at);
    wsfj_profile_unlock();
}

bool wsfj_objects_set(const void *object, struct wsfj_position at)
{
    struct known *o;

    wsfj_profile_lock();
    o = num_groups < GROUPS_MOST / 2 ? add(object) : *find(object);
    if (o)
        o->at = at;
    wsfj_profile_unlock();
    return o != NULL;
}

struct wsfj_position wsfj_objects_at(const void *object)
{
    const struct known *o;
    struct wsfj_position at = {0, 0, 0};

    wsfj_profile_lock();
    o = *find(object);
    if (o)
        at = o->at;
    wsfj_profile_unlock();
    return at;
}

const char *wsfj_groups_number(const void *group, uint64_t *number)
{
    const char *why = NULL;
    struct known *g;

    wsfj_profile_lock();
    g = add(group);
    if (!g)
        why = num_groups < GROUPS_MOST ? "no memory" : "too many groups";
    else if (g->number || last_number < WSFJ_GROUP_MOST)
        *number = g->number = g->number ? g->number : ++last_number;
    else
        why = "too many groups";
    wsfj_profile_unlock();
    return why;
}

struct wsfj_position wsfj_groups_take(const void *group)
{
    struct wsfj_position at;
    struct known **link, *g;

    wsfj_profile_lock();
    at = others;
    link = find(group);
    g = *link;
    if (g) {
        wsfj_reach(&at, g->at);
        *link = g->next;
        num_groups--;
        free(g);
    }
    wsfj_profile_unlock();
    return at;
}

void wsfj_groups_forget(void)
{
    for (size_t i = 0; i < (size_t)1 << GROUPS_LOG; i++) {
        while (groups[i]) {
            struct known *g = groups[i];

            groups[i] = g->next;
            free(g);
        }
    }
    num_groups = 0;
    last_number = 0;
    others = (struct wsfj_position){0, 0, 0};
}
