/* SPDX-License-Identifier: MIT */
/* What the program says itself: race.h, and the slots of WS_LOCAL, of which each worker would have its own. */
#define _GNU_SOURCE
#include "shadow.h"

#include <wsfj/inline/race_hooks.h>

#include <link.h>

struct slot {
    uintptr_t begin, end;
};
enum { MOST_SLOTS = 4096 };
static struct slot *slots;
static size_t n_slots;

EXPORTED void wsfj_race_ignore_begin(void)
{
    if (race_checks()) {
        race.ignored++;
        race_apply_ignored();
    }
}

EXPORTED void wsfj_race_ignore_end(void)
{
    if (race_checks() && race.ignored) {
        race.ignored--;
        race_apply_ignored();
    }
}

EXPORTED void wsfj_race_lock(const void *lock)
{
    if (race_checks())
        race.locks = race_locks_with(race.locks, (uintptr_t)lock & ~(uintptr_t)1);
}

EXPORTED void wsfj_race_unlock(const void *lock)
{
    if (race_checks())
        race.locks = race_locks_without(race.locks, (uintptr_t)lock & ~(uintptr_t)1);
}

EXPORTED void *wsfj_race_local(int *used, void *slot, size_t size)
{
    size_t i = 0;

    if (*used)
        return slot;
    *used = 1;
    if (!slots)
        slots = race_map(sizeof *slots * MOST_SLOTS);
    while (i < n_slots && slots[i].begin != (uintptr_t)slot)
        i++;
    if (i == MOST_SLOTS)
        race_die("more than %d WS_LOCAL variables: this is not covered", MOST_SLOTS);
    slots[i] = (struct slot){(uintptr_t)slot, (uintptr_t)slot + size};
    n_slots += i == n_slots;
    return slot;
}

/* Thread-local variables have one address here, but one for each worker in the parallel program. */
static int in_tls(struct dl_phdr_info *info, size_t size, void *arg)
{
    const uintptr_t a = *(const uintptr_t *)arg;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data &&
            a - (uintptr_t)info->dlpi_tls_data < info->dlpi_phdr[i].p_memsz)
            return 1;
    return 0;
}

int race_is_ignored_memory(uintptr_t a)
{
    for (size_t i = 0; i < n_slots; i++)
        if (a - slots[i].begin < slots[i].end - slots[i].begin)
            return 1;
    return dl_iterate_phdr(in_tls, &a) != 0; /* those of a thread lie in what counts as its stack */
}
