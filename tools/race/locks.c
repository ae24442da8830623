/* SPDX-License-Identifier: MIT */
/*
 * Sets of locks by number. A lock is the address of its object, which is even; 1 is added if the lock is held for reading,
 * by which it excludes writers and not other readers.
 */
#include "detector.h"

#include <string.h>

enum { MOST = 32, SETS = 65536 };

struct set {
    uint32_t n;
    uint32_t first; /**< of its locks, in ascending order */
};

static struct set *sets;
static uintptr_t *members;
static uint32_t n_sets = 1, n_members;

static uint32_t set_of(const uintptr_t *locks, uint32_t n)
{
    static int told;

    if (!sets) {
        sets = race_map(sizeof *sets * SETS);
        members = race_map(sizeof *members * SETS * MOST);
    }
    for (uint32_t i = 0; i < n_sets; i++)
        if (sets[i].n == n && memcmp(&members[sets[i].first], locks, n * sizeof *locks) == 0)
            return i;
    if (n_sets == SETS || n > MOST) {
        if (!told++)
            race_say("more than %d sets of locks, or more than %d locks at once: races may be missed from here on",
                     SETS, MOST);
        return n_sets - 1;
    }
    sets[n_sets] = (struct set){n, n_members};
    memcpy(&members[n_members], locks, n * sizeof *locks);
    n_members += n;
    return n_sets++;
}

/** The last change is mostly the next one, too. */
struct change {
    uint32_t from, to;
    uintptr_t lock;
};

uint32_t race_locks_with(uint32_t set, uintptr_t lock)
{
    static struct change last;
    uintptr_t locks[MOST + 1];
    uint32_t n = 0, i = 0;

    if (last.lock == lock && last.from == set)
        return last.to;
    if (sets) {
        const uintptr_t *old = &members[sets[set].first];

        for (; i < sets[set].n && old[i] < lock; i++)
            locks[n++] = old[i];
        if (i < sets[set].n && old[i] == lock) /* held already: a recursive mutex */
            return set;
        locks[n++] = lock;
        for (; i < sets[set].n; i++)
            locks[n++] = old[i];
    } else {
        locks[n++] = lock;
    }
    last = (struct change){set, set_of(locks, n), lock};
    return last.to;
}

uint32_t race_locks_without(uint32_t set, uintptr_t lock)
{
    static struct change last;
    uintptr_t locks[MOST];
    uint32_t n = 0;

    if (!set || (last.lock == lock && last.from == set))
        return set ? last.to : 0;
    for (uint32_t i = 0; i < sets[set].n; i++)
        if (members[sets[set].first + i] != lock)
            locks[n++] = members[sets[set].first + i];
    last = (struct change){set, n ? set_of(locks, n) : 0, lock};
    return last.to;
}

int race_locks_disjoint(uint32_t a, uint32_t b)
{
    const uintptr_t *x, *y;

    if (!a || !b)
        return 1;
    x = &members[sets[a].first];
    y = &members[sets[b].first];
    for (uint32_t i = 0, j = 0; i < sets[a].n && j < sets[b].n;) {
        if (x[i] >> 1 == y[j] >> 1) {
            if (!(x[i] & y[j] & 1))
                return 0;
            i++;
            j++;
        } else if (x[i] < y[j]) {
            i++;
        } else {
            j++;
        }
    }
    return 1;
}

/** Whether all locks of `a` are in `b`. */
int race_locks_subset(uint32_t a, uint32_t b)
{
    uint32_t j = 0;

    if (a == b || !a)
        return 1;
    if (!b)
        return 0;
    for (uint32_t i = 0; i < sets[a].n; i++) {
        while (j < sets[b].n && members[sets[b].first + j] < members[sets[a].first + i])
            j++;
        if (j == sets[b].n || members[sets[b].first + j] != members[sets[a].first + i])
            return 0;
    }
    return 1;
}
