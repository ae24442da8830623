/* SPDX-License-Identifier: MIT */
/* A list of numbers for WS_FOLD: the order matters, and it owns memory. */
#ifndef TESTS_USER_LIST_H
#define TESTS_USER_LIST_H

#include <stdlib.h>
#include <string.h>

struct list {
    long n, room, *v;
};

/* Each list that a fold has begun must be merged once. */
static int list_inits, list_merges;

static inline void list_clear(struct list *l)
{
    memset(l, 0, sizeof *l);
    (void)__atomic_add_fetch(&list_inits, 1, __ATOMIC_RELAXED);
}

static inline void list_put(struct list *l, long x)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 4;
        l->v = (long *)realloc(l->v, (size_t)l->room * sizeof *l->v);
        if (!l->v)
            abort();
    }
    l->v[l->n++] = x;
}

static inline void list_append(struct list *to, struct list *from)
{
    (void)__atomic_add_fetch(&list_merges, 1, __ATOMIC_RELAXED);
    for (long i = 0; i < from->n; i++)
        list_put(to, from->v[i]);
    free(from->v);
}

#endif
