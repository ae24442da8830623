/* SPDX-License-Identifier: MIT */
#include "observe/stats.h"

#include "arch/arch.h"
#include "base/debug.h"
#include "task/pool.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <stdio.h>

static uint64_t started; /* wsfj_now() at the start of the runtime */

void wsfj_stats_reset(void)
{
    store_relaxed(&started, wsfj_now());
    for (unsigned i = 0; i < WSFJ_EVENT_COUNT; i++)
        store_relaxed(&wsfj_foreign_log.count[i], 0);
}

static void add(struct ws_stats *sum, const struct wsfj_log *log)
{
#define ADD(field, event) sum->field += load_relaxed(&log->count[WSFJ_EVENT_##event])
    ADD(steals, steal);
    ADD(steals_failed, steal_fail);
    ADD(exposures_asked, expose_request);
    ADD(exposures_answered, expose);
    ADD(exposures_forced, expose_force);
    ADD(suspensions, suspend);
    ADD(parks, park);
    ADD(wakes, wake);
    ADD(tasks, task_end);
    sum->tasks += load_relaxed(&log->followed);
    ADD(regions, region_end);
    ADD(resumptions, resume);
    ADD(group_waits, wait);
    ADD(yields, yield);
    ADD(blockings, block_begin);
    ADD(overflows, overflow);
    ADD(global_takes, global_queue_take);
    ADD(searches, search);
    ADD(splits, split);
    ADD(slices, slice_home);
    ADD(slices, slice_other);
    ADD(slices_home, slice_home);
    ADD(cancelled, cancel);
#undef ADD
    for (unsigned tier = 0; tier < WSFJ_TIERS; tier++)
        sum->steals_by_distance[tier] += load_relaxed(&log->steals[tier]);
}

bool wsfj_stats_of(size_t worker, struct ws_stats *stats)
{
    if (worker >= wsfj_num_workers)
        return false;
    add(stats, &wsfj_workers[worker].log);
    return true;
}

void wsfj_stats_sum(struct ws_stats *sum)
{
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        add(sum, &wsfj_workers[i].log);
    add(sum, &wsfj_foreign_log);
    sum->stacks = wsfj_pool_high_water();
}

#define N(event) (unsigned long long)load_relaxed(&log->count[WSFJ_EVENT_##event])
#define TIER(n) (unsigned long long)load_relaxed(&log->steals[n])

static void print_steals(const char *name, const struct wsfj_log *log)
{
    wsfj_print("%6s %9llu %9llu %9llu %9llu %9llu %10llu %9llu %9llu %9llu %9llu %8llu %8llu\n", name, TIER(0), TIER(1),
               TIER(2), TIER(3), TIER(4), N(steal_fail), N(expose_request), N(expose), N(expose_force), N(suspend),
               N(park), N(wake));
}

static void print_tasks(const char *name, const struct wsfj_log *log)
{
    wsfj_print("%6s %10llu %9llu %9llu %9llu %9llu %9llu %9llu %9llu %9llu %9llu\n", name,
               N(task_end) + (unsigned long long)load_relaxed(&log->followed), N(resume), N(region_end), N(wait),
               N(yield), N(block_begin), N(overflow), N(global_queue_take), N(search), N(cancel));
}

static void print_all(void (*print)(const char *name, const struct wsfj_log *log))
{
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        char name[16];

        snprintf(name, sizeof name, "%u", i);
        print(name, &wsfj_workers[i].log);
    }
    print("others", &wsfj_foreign_log);
}

/* Tenths, with a point in every locale; "-" without anything to divide by. */
static void put_tenths(char text[32], double part, double whole)
{
    uint64_t tenths = whole > 0 ? (uint64_t)(part / whole * 10 + 0.5) : 0;

    snprintf(text, 32, whole > 0 ? "%llu.%llu" : "-", (unsigned long long)(tenths / 10),
             (unsigned long long)(tenths % 10));
}

static void print_rate(const char *name, uint64_t steals, uint64_t failed, uint64_t ns)
{
    uint64_t attempts = steals + failed;
    char percent[32], rate[32];

    put_tenths(percent, 100 * (double)steals, (double)attempts);
    put_tenths(rate, (double)steals, (double)ns * 1e-9);
    wsfj_print("%6s %9llu %10llu %12s %10s\n", name, (unsigned long long)steals, (unsigned long long)attempts, percent,
               rate);
}

static void print_rates(void)
{
    uint64_t ns = wsfj_now() - load_relaxed(&started), all_steals = 0, all_failed = 0;

    wsfj_print("libwsfj: steals of each worker in %llu.%03llu s\n", (unsigned long long)(ns / 1000000000),
               (unsigned long long)(ns / 1000000 % 1000));
    wsfj_print("%6s %9s %10s %12s %10s\n", "worker", "steals", "attempts", "successful %", "per second");
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        const struct wsfj_log *log = &wsfj_workers[i].log;
        uint64_t steals = load_relaxed(&log->count[WSFJ_EVENT_steal]);
        uint64_t failed = load_relaxed(&log->count[WSFJ_EVENT_steal_fail]);
        char name[16];

        snprintf(name, sizeof name, "%u", i);
        print_rate(name, steals, failed, ns);
        all_steals += steals;
        all_failed += failed;
    }
    print_rate("all", all_steals, all_failed, ns);
}

void wsfj_stats_print(void)
{
    wsfj_print("libwsfj: steals by distance; exposures that thieves requested, owners made, thieves forced; stacks "
               "made: %zu\n",
               wsfj_pool_high_water());
    wsfj_print("%6s %9s %9s %9s %9s %9s %10s %9s %9s %9s %9s %8s %8s\n", "worker", wsfj_tier_names[0],
               wsfj_tier_names[1], wsfj_tier_names[2], wsfj_tier_names[3], wsfj_tier_names[4], "failed", "requested",
               "exposed", "forced", "suspended", "parks", "wakes");
    print_all(print_steals);
    wsfj_print("libwsfj: tasks with a stack of their own, how often their fibers were resumed, and queues\n");
    wsfj_print("%6s %10s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "worker", "tasks", "resumed", "regions", "waits",
               "yields", "blocked", "overflows", "global", "searches", "cancelled");
    print_all(print_tasks);
    print_rates();
}
