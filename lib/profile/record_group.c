/* SPDX-License-Identifier: MIT */
/* Numbers for groups, by address. A group that somebody has waited for is empty: its next use has another number, since
 * tasks of a parallel run may then use both at once. */
#include "base/alloc.h"
#include "profile/record.h"

#include <pthread.h>
#include <stdlib.h>

#define LOG 10
/* Groups for which nobody waits are never removed. */
#define MOST 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static struct numbered {
    const ws_group *group;
    uint64_t number;
    struct numbered *next;
} * groups[1 << LOG];
static size_t num_groups;
static uint64_t next_number;

static struct numbered **find(const ws_group *group)
{
    struct numbered **g = &groups[(uintptr_t)group * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LOG)];

    while (*g && (*g)->group != group)
        g = &(*g)->next;
    return g;
}

uint64_t wsfj_record_group(const ws_group *group)
{
    struct numbered **link, *g;
    uint64_t number = WSFJ_GROUP_MOST;

    pthread_mutex_lock(&lock);
    link = find(group);
    g = *link;
    if (!g && num_groups < MOST && next_number < WSFJ_GROUP_MOST && (g = wsfj_calloc(1, sizeof *g))) {
        g->group = group;
        g->number = next_number++;
        *link = g;
        num_groups++;
    }
    if (g)
        number = g->number;
    pthread_mutex_unlock(&lock);
    return number;
}

void wsfj_record_group_ends(const ws_group *group)
{
    struct numbered **link, *g;

    pthread_mutex_lock(&lock);
    link = find(group);
    g = *link;
    if (g) {
        *link = g->next;
        num_groups--;
        free(g);
    }
    pthread_mutex_unlock(&lock);
}

void wsfj_record_groups_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    for (size_t i = 0; i < (size_t)1 << LOG; i++) {
        while (groups[i]) {
            struct numbered *g = groups[i];

            groups[i] = g->next;
            free(g);
        }
    }
    num_groups = 0;
    next_number = 0;
}
