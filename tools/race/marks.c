/* SPDX-License-Identifier: MIT */
/* What the program says itself (race.h), and memory that is never checked. */
#define _GNU_SOURCE
#include "shadow.h"

#include <wsfj/inline/race_hooks.h>

#include <link.h>

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

/* Thread-local variables have one address here, but one for each worker in the parallel program. Those of a thread that the
 * program makes lie in what counts as the thread's stack. */
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
    return race_is_slot(a) || dl_iterate_phdr(in_tls, &a) != 0;
}
