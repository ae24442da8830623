/* SPDX-License-Identifier: MIT */
#include "worker/team_cpus.h"

#include "base/thread.h"
#include "machine/affinity.h"
#include "worker/workers.h"

#include <limits.h>
#include <unistd.h>

static pid_t process; /* that made the threads */

void wsfj_team_note_process(void)
{
    process = getpid();
}

/* Adds the masks of a process's first thread and of the workers' threads. Returns how many workers' threads have a mask
 * that is known. `again`: binds a thread again whose mask has become larger than its place. */
static unsigned add_masks(struct wsfj_mask *sum, pid_t first, bool again)
{
    struct wsfj_mask mask;
    unsigned known = 0;

    if (!wsfj_mask_read(&mask, first))
        return 0;
    wsfj_mask_add(sum, &mask);
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_worker_thread t = wsfj_worker_thread(i);

        if (!t.tid || !wsfj_mask_read(&mask, t.tid))
            continue;
        known++;
        wsfj_mask_add(sum, &mask);
        if (again)
            (void)wsfj_mask_narrow(&mask, t.tid, t.cpus, t.num_cpus);
    }
    return known;
}

unsigned wsfj_team_cpus(void)
{
    struct wsfj_mask sum = {.sets = {{{0}}}};

    if (add_masks(&sum, getpid(), true) < wsfj_num_workers)
        return UINT_MAX;
    return wsfj_mask_count(&sum);
}

void wsfj_team_spread(void)
{
    struct wsfj_mask sum = {.sets = {{{0}}}};

    (void)add_masks(&sum, getpid(), false);
    wsfj_affinity_add(&sum);
}

void wsfj_team_unbind_child(void)
{
    struct wsfj_mask sum = {.sets = {{{0}}}};

    /* Looks after the masks are read whether the parent has ended: from then on getppid() is another process. Threads of
     * a process that ends may be there a moment longer. */
    if (wsfj_thread_is == WSFJ_THREAD_OURS && wsfj_affinity_forget() && add_masks(&sum, process, false) > 0 &&
        getppid() == process)
        wsfj_affinity_add(&sum);
}
