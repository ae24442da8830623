/* SPDX-License-Identifier: MIT */
#include "idle/cpu_limit.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "config/settings.h"
#include "idle/allowed.h"
#include "idle/retire.h"
#include "machine/cgroup.h"
#include "worker/team_cpus.h"

#include <errno.h>
#include <pthread.h>

/* To read masks and quota takes some 20 us. Once a second is soon enough for quotas that change by hand or by
 * program. */
#define PERIOD_NS 1000000000

const char *wsfj_cpu_limit_root = "/";
uint64_t wsfj_cpu_limit_period = PERIOD_NS;

/* Set while the runtime is down. */
static enum wsfj_cpu_limit follows;
static unsigned all;

/* Only for the thread that has set wsfj_cpu_limit_next to NEVER. Static: callers of ws_run() may have small stacks. */
static struct wsfj_cgroup quota;

/* Read at each wsfj_cpu_limit_check(); written once a second. */
__attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t wsfj_cpu_limit_next = WSFJ_CPU_LIMIT_NEVER;

unsigned wsfj_cpu_limit_open(enum wsfj_cpu_limit what)
{
    follows = what;
    if (what != WSFJ_CPU_LIMIT_QUOTA)
        return WSFJ_CGROUP_NONE;
    wsfj_cgroup_find(&quota, wsfj_cpu_limit_root);
    return wsfj_cgroup_read(&quota);
}

void wsfj_cpu_limit_start(unsigned workers)
{
    store_relaxed(&wsfj_cpu_limit_next, WSFJ_CPU_LIMIT_NEVER); /* the workers' threads begin after this */
    all = workers;
    store_seq(&wsfj_allowed_workers, workers);
}

void wsfj_cpu_limit_follow(void)
{
    if (follows != WSFJ_CPU_LIMIT_FIXED)
        /* Release: the team, for the thread that checks (acquire). */
        store_release(&wsfj_cpu_limit_next, wsfj_coarse_now() + wsfj_cpu_limit_period);
}

void wsfj_cpu_limit_change(unsigned workers)
{
    unsigned before = load_relaxed(&wsfj_allowed_workers); /* one thread at a time writes it */

    /* PARK-7: the store comes before the loads of the park words; a worker changes its park word, then loads the
     * number. */
    store_seq(&wsfj_allowed_workers, workers);
    wsfj_retire_change(before < workers ? before : workers, before < workers ? workers : before);
}

static void read_again(void)
{
    unsigned cpus = wsfj_team_cpus();
    unsigned most = follows == WSFJ_CPU_LIMIT_QUOTA ? wsfj_cgroup_read(&quota) : WSFJ_CGROUP_NONE;
    unsigned n = cpus < most ? cpus : most;

    if (n > all)
        n = all;
    if (n == load_relaxed(&wsfj_allowed_workers))
        return;
    wsfj_cpu_limit_change(n);
    if (wsfj_settings.display)
        wsfj_say("the %s now leaves %u of %u workers", most <= cpus ? "CPU quota" : "affinity mask", n, all);
}

static WSFJ_COLD void read_again_undisturbed(void)
{
    int error = errno, cancel;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    read_again();
    pthread_setcancelstate(cancel, &cancel);
    errno = error;
}

void wsfj_cpu_limit_check_clock(void)
{
    uint64_t due = load_relaxed(&wsfj_cpu_limit_next); /* if it is stale, the swap fails, or the next caller checks */

    /* NEVER keeps other threads out meanwhile. Acquire and release: `quota`, as the last thread left it. */
    if (due == WSFJ_CPU_LIMIT_NEVER || wsfj_coarse_now() < due ||
        !cas_acq_rel(&wsfj_cpu_limit_next, &due, WSFJ_CPU_LIMIT_NEVER))
        return;
    read_again_undisturbed();
    store_release(&wsfj_cpu_limit_next, wsfj_coarse_now() + wsfj_cpu_limit_period);
}
