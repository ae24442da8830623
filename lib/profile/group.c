/* SPDX-License-Identifier: MIT */
/* Where the tasks of groups end, by the group's address: a group itself has no room for that. */
#include "profile/profile.h"

#include "base/alloc.h"

#include <stdlib.h>

#define GROUPS_LOG 10
/* Groups that nobody waits for are forgotten by nobody, so there is an end. */
#define GROUPS_MOST 65536

/* Under the lock: where the tasks of groups end. */
static struct reached {
    const ws_group *group;
    struct wsfj_position at;
    struct reached *next;
} *groups[1 << GROUPS_LOG];
static size_t num_groups;
static struct wsfj_position others; /* those for which there is no memory */

static struct reached **find(const ws_group *group)
{
    struct reached **r = &groups[(uintptr_t)group * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GROUPS_LOG)];

    while (*r && (*r)->group != group)
        r = &(*r)->next;
    return r;
}

void wsfj_groups_reach(const ws_group *group, struct wsfj_position at)
{
    struct reached **place, *r;

    wsfj_profile_lock();
    place = find(group);
    r = *place;
    if (!r && num_groups < GROUPS_MOST && (r = wsfj_calloc(1, sizeof *r))) {
        r->group = group;
        *place = r;
        num_groups++;
    }
    wsfj_reach(r ? &r->at : &others, at);
    wsfj_profile_unlock();
}

struct wsfj_position wsfj_groups_take(const ws_group *group)
{
    struct wsfj_position at;
    struct reached **place, *r;

    wsfj_profile_lock();
    at = others;
    place = find(group);
    r = *place;
    if (r) {
        wsfj_reach(&at, r->at);
        *place = r->next;
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
}
