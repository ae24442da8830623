/* SPDX-License-Identifier: MIT */
#include "profile/profile.h"

#include "base/debug.h"
#include "config/settings.h"
#include "profile/record.h"
#include "worker/between_tasks.h"
#include "worker/own.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t preparing = PTHREAD_MUTEX_INITIALIZER;

/* Under `preparing`, then constant. */
static bool is_prepared, unit, burden_is_measured;
static double steal_ns, join_ns;
static struct wsfj_profile start; /* the initial value of each account's profile */

/* Under the lock. */
static struct wsfj_totals totals;
static bool is_child; /* of a fork */

/*
 * Positions are those in the whole program. A region that begins while no other runs comes after all that have ended. A
 * region that overlaps others begins where they could begin, but after the last region of its own thread.
 */
static size_t num_regions;                 /* regions that run */
static struct wsfj_position frontier;      /* the farthest end of a region, or of a wait outside */
static uint64_t epoch;                     /* how often a region has begun while no other ran */
static struct wsfj_position common;        /* where regions that overlap could begin */
static __thread struct wsfj_position here; /* where this thread is outside of regions */

/* Once, while the parallel runtime runs: its workers measure what a steal costs. */
static void prepare(void)
{
    pthread_mutex_lock(&preparing);
    if (!is_prepared) {
        unit = wsfj_profile_unit();
        wsfj_clock_start();
        wsfj_strands_start(unit);
        if (unit) {
            start.wsfj_steal = start.wsfj_join = start.wsfj_unit = WSFJ_PROFILE_TICK;
        } else {
            burden_is_measured = wsfj_burden_measure(&steal_ns, &join_ns);
            start.wsfj_steal = (uint64_t)(steal_ns / wsfj_clock_tick() * WSFJ_PROFILE_TICK);
            start.wsfj_join = (uint64_t)(join_ns / wsfj_clock_tick() * WSFJ_PROFILE_TICK);
        }
        if (wsfj_settings.trace)
            wsfj_say("WSFJ_TRACE=%.80s: tasks compiled with -DWSFJ_PROFILE run serially and are not in the trace",
                     wsfj_settings.trace);
        is_prepared = true;
    }
    pthread_mutex_unlock(&preparing);
}

static void begin(struct wsfj_account *a, bool is_region)
{
    struct wsfj_position at;
    uint64_t now;

    wsfj_profile_lock();
    if (num_regions == 0) {
        common = frontier;
        epoch++;
    }
    now = epoch;
    num_regions += is_region;
    at = common;
    wsfj_profile_unlock();
    wsfj_reach(&at, here);
    wsfj_go_on(&a->profile, at);
    a->profile.wsfj_strands = 1;
    wsfj_profile_take_number(a);
    a->profile.wsfj_records = wsfj_record_open(is_child);
    if (a->profile.wsfj_records)
        wsfj_record_enter(a, now);
    a->profile.wsfj_records = a->profile.wsfj_records && a->record;
    a->profile.wsfj_started = a->profile.wsfj_records ? WSFJ_RECORDED : 0;
    wsfj_profile_tls = &a->profile;
    wsfj_strand_begin(&a->profile, &a->own.wsfj_child);
}

/* Only one line: the profile of everything else is right. */
static void say_it_is_not_profiled(void)
{
    static int is_said; /* a word: riscv64 has no exchange of a byte */

    if (!__atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED)) /* it orders no other access */
        wsfj_say("tasks compiled with -DWSFJ_PROFILE run inside tasks compiled without it: these are not profiled");
}

int wsfj_profile_enter(struct wsfj_profile_root *root, bool is_region)
{
    struct wsfj_use use;
    struct wsfj_account *a;
    int error;

    root->wsfj_profile = NULL;
    if (wsfj_profile_tls)
        return 0;
    if (wsfj_own_stack()) {
        say_it_is_not_profiled();
        return 0;
    }
    if (wsfj_between_tasks())
        return EDEADLK;
    error = wsfj_use_begin(&use);
    if (error)
        return error;
    prepare();
    a = wsfj_account_take(&start);
    if (!a) {
        wsfj_use_end(&use);
        return ENOMEM;
    }
    root->wsfj_profile = &a->profile;
    root->wsfj_generation = use.generation;
    root->wsfj_cancel_state = use.cancel_state;
    begin(a, is_region);
    return 0;
}

/* Adds the account to the totals: its region has ended. */
static void fold_locked(struct wsfj_account *a, bool is_region)
{
    if (a->is_orphan) {
        wsfj_sites_clear(a);
        a->is_orphan = false;
        return;
    }
    wsfj_sites_fold(a, &totals);
    wsfj_reach(&totals.end, wsfj_at(&a->profile));
    wsfj_reach(&totals.end, a->farthest);
    if (is_region) {
        num_regions--;
        totals.regions++;
        wsfj_reach(&frontier, wsfj_at(&a->profile));
    } else {
        totals.detached++;
    }
}

void wsfj_profile_leave(struct wsfj_profile_root *root, bool is_region)
{
    struct wsfj_use use = {root->wsfj_generation, root->wsfj_cancel_state};
    struct wsfj_account *a;

    if (!root->wsfj_profile)
        return;
    a = wsfj_account_of(root->wsfj_profile);
    wsfj_strand_end(&a->profile, WSFJ_END_CHILD);
    wsfj_strands_check(a);
    if (a->profile.wsfj_records)
        wsfj_record_leave(a);
    a->profile.wsfj_started = 0;
    wsfj_profile_tls = NULL;
    if (is_region && !a->is_orphan)
        here = wsfj_at(&a->profile);
    wsfj_profile_lock();
    fold_locked(a, is_region);
    wsfj_account_give(a);
    wsfj_profile_unlock();
    wsfj_use_end(&use);
}

WSFJ_EXPORT int wsfj_profile_open(struct wsfj_profile_root *root)
{
    return wsfj_profile_enter(root, true);
}

WSFJ_EXPORT void wsfj_profile_close(struct wsfj_profile_root *root)
{
    wsfj_profile_leave(root, true);
}

void wsfj_profile_reached(struct wsfj_position at)
{
    wsfj_reach(&here, at);
    wsfj_profile_lock();
    wsfj_reach(&frontier, here);
    wsfj_profile_unlock();
}

struct wsfj_profile *wsfj_profile_hide(void)
{
    struct wsfj_profile *p = wsfj_profile_tls;

    wsfj_profile_tls = NULL;
    return p;
}

void wsfj_profile_show(struct wsfj_profile *p)
{
    wsfj_profile_tls = p;
}

WSFJ_EXPORT void wsfj_profile_dropped(const char *task)
{
    wsfj_say("%s returned without ws_sync(): results of its children are dropped", task);
}

/* Regions from before the fork are the parent's, even the one that continues here. The child's begin anew. */
void wsfj_profile_forget(void)
{
    pthread_mutex_init(&preparing, NULL);
    wsfj_accounts_forget(wsfj_profile_tls);
    wsfj_totals_free(&totals);
    wsfj_groups_forget();
    wsfj_record_forget();
    is_child = true;
    num_regions = 0;
    frontier = here = (struct wsfj_position){0, 0, 0};
}

/* exit() may be called inside a region, or while other threads are in regions: these have not ended, and their threads
 * still run. */
__attribute__((destructor)) static void report(void)
{
    bool none_remains;

    wsfj_profile_lock();
    totals.unfinished = num_regions;
    if (wsfj_profile_tls && !wsfj_account_of(wsfj_profile_tls)->is_orphan) {
        wsfj_strand_end(wsfj_profile_tls, WSFJ_END_CHILD);
        if (wsfj_profile_tls->wsfj_records)
            wsfj_record_leave(wsfj_account_of(wsfj_profile_tls));
        fold_locked(wsfj_account_of(wsfj_profile_tls), true);
    }
    if (totals.regions || totals.detached)
        wsfj_profile_write(&totals, unit, is_child, steal_ns, join_ns, burden_is_measured);
    else if (!is_child)
        wsfj_record_missed();
    none_remains = num_regions == 0 && !wsfj_profile_tls;
    wsfj_profile_unlock();
    if (none_remains) {
        wsfj_accounts_free();
        wsfj_groups_forget();
        wsfj_record_clear();
        wsfj_totals_free(&totals);
    }
}
