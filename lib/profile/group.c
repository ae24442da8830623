/* SPDX-License-Identifier: MIT */
/* Where the tasks of groups end, by the group's address: the group itself has no room for it. */
#include "profile/profile.h"

#include "base/alloc.h"

#include <stdlib.h>

#define GROUPS_LOG 10
/* A limit: groups for which no thread waits are never removed. */
#define GROUPS_MOST 65536

/* Under the lock: where the tasks of groups end. */
static struct reached {
    const ws_group *group;
    struct wsfj_position at;
    struct reached *next;
} * groups[1 << GROUPS_LOG];
static size_t num_groups;
static struct wsfj_position others; /* of groups for which there is no memory */

static struct reached **find(const ws_group *group)
{
    struct reached **r = &groups[(uintptr_t)group * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GROUPS_LOG)];

    while (*r && (*r)->group != group)
        r = &(*r)->next;
    return r;
}

void wsfj_groups_reach(const ws_group *group, struct wsfj_position at)
{
    struct reached **link, *r;

    wsfj_profile_lock();
    link = find(group);
    r = *link;
    if (!r && num_groups < GROUPS_MOST && (r = wsfj_calloc(1, sizeof *r))) {
        r->group = group;
        *link = r;
        num_groups++;
    }
    wsfj_reach(r ? &r->at : &others, at);
    wsfj_profile_unlock();
}

struct wsfj_position wsfj_groups_take(const ws_group *group)
{
    struct wsfj_position at;
    struct reached **link, *r;

    wsfj_profile_lock();
    at = others;
    link = find(group);
    r = *link;
    if (r) {
        wsfj_reach(&at, r->at);
        *link = r->next;
        num_groups--;
        free(r);
    }
    wsfj_profile_unlock();
    return at;
}

void wsfj_groups_forget(void)
{
    for (size_t i = 0; i < (size_t)1 << GROUPS_LOG; i++) {
        while (groups[i]) {
            struct reached *r = groups[i];

            groups[i] = r->next;
            free(r);
        }
    }
    num_groups = 0;
    others = (struct wsfj_position){0, 0, 0};
}
