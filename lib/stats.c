/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include "atomic.h"
#include "debug.h"
#include "pool.h"
#include "worker.h"

#include <string.h>

static uint64_t steals_of(const struct wsfj_stats *s)
{
    uint64_t sum = 0;

    for (unsigned tier = 0; tier < WSFJ_TIERS; tier++)
        sum += load_relaxed(&s->steals[tier]);
    return sum;
}

void wsfj_stats_sum(struct ws_stats *sum)
{
    size_t size = sum->size;

    memset(sum, 0, sizeof *sum);
    sum->size = size;
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        const struct wsfj_stats *s = &wsfj_workers[i].stats;

        sum->steals += steals_of(s);
        sum->steals_failed += load_relaxed(&s->failed);
        sum->exposures_asked += load_relaxed(&s->asked);
        sum->exposures_answered += load_relaxed(&s->answered);
        sum->exposures_forced += load_relaxed(&s->forced);
        sum->suspensions += load_relaxed(&s->suspensions);
        sum->parks += load_relaxed(&s->parks);
        sum->wakes += load_relaxed(&s->wakes);
    }
    sum->stacks = wsfj_pool_high_water();
}

#define ROW "%6s %9s %9s %9s %9s %9s %10s %9s %9s %9s %9s %8s %8s\n"
#define NUMBERS "%9llu %9llu %9llu %9llu %9llu %10llu %9llu %9llu %9llu %9llu %8llu %8llu\n"
#define N(field) (unsigned long long)load_relaxed(&s->field)

void wsfj_stats_print(void)
{
    wsfj_print("libwsfj: steals by distance, exposures asked of others, answered and forced; stacks made: %zu\n",
               wsfj_pool_high_water());
    wsfj_print(ROW, "worker", wsfj_tier_names[0], wsfj_tier_names[1], wsfj_tier_names[2], wsfj_tier_names[3],
               wsfj_tier_names[4], "failed", "asked", "answered", "forced", "suspended", "parks", "wakes");
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        const struct wsfj_stats *s = &wsfj_workers[i].stats;

        wsfj_print("%6u " NUMBERS, i, N(steals[0]), N(steals[1]), N(steals[2]), N(steals[3]), N(steals[4]), N(failed),
                   N(asked), N(answered), N(forced), N(suspensions), N(parks), N(wakes));
    }
}
