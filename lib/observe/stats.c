/* SPDX-License-Identifier: MIT */
#include "observe/stats.h"

#include "arch/arch.h"
#include "base/debug.h"
#include "task/pool.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static uint64_t started; /* wsfj_now() at the start of the runtime */

void wsfj_stats_reset(void)
{
    store_relaxed(&started, wsfj_now());
    for (unsigned i = 0; i < WSFJ_EVENT_COUNT; i++)
        store_relaxed(&wsfj_foreign_log.count[i], 0);
}

/* Adds each event to its field. */
static void add(struct ws_stats *sum, const struct wsfj_log *log)
{
#define COLUMN(field, heading) sum->field += load_relaxed(n);
#define FIELD(field) sum->field += load_relaxed(n);
#define UNCOUNTED (void)n;
#define ADD(name, recorded, counted, drawn, text)                                                                      \
    {                                                                                                                  \
        const uint64_t *n = &log->count[WSFJ_EVENT_##name];                                                            \
        counted                                                                                                        \
    }
    WSFJ_EVENTS(ADD)
#undef ADD
#undef UNCOUNTED
#undef FIELD
#undef COLUMN
    sum->slices += load_relaxed(&log->count[WSFJ_EVENT_slice_home]);
    sum->tasks += load_relaxed(&log->followed);
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

/* The fields of struct ws_stats as an array, and the heading of each that has a column. */
#define AT(field) (offsetof(struct ws_stats, field) / sizeof(uint64_t))
#define NUM_FIELDS (sizeof(struct ws_stats) / sizeof(uint64_t))
static const char *const headings[NUM_FIELDS] = {
#define COLUMN(field, heading) [AT(field)] = heading,
#define FIELD(field)
#define UNCOUNTED
#define HEADING(name, recorded, counted, drawn, text) counted
    WSFJ_EVENTS(HEADING)
#undef HEADING
#undef UNCOUNTED
#undef FIELD
#undef COLUMN
};
_Static_assert(AT(steals) == 1 && sizeof(struct ws_stats) % sizeof(uint64_t) == 0, "an array of uint64_t");

enum { COLUMN_MOST = 32 }; /* characters */

/* Puts the value, or if that is NULL the heading. */
static size_t put_column(char *to, const char *heading, const uint64_t *value)
{
    return (size_t)(value ? snprintf(to, COLUMN_MOST, " %9llu", (unsigned long long)*value)
                          : snprintf(to, COLUMN_MOST, " %9s", heading));
}

/* The columns of the fields from `first` on, before `end`; in front of `steals` those by distance. `log`: NULL for the
 * headings. */
static void print_row(const char *name, const struct wsfj_log *log, size_t first, size_t end)
{
    char row[COLUMN_MOST * (NUM_FIELDS + 1)];
    uint64_t values[NUM_FIELDS];
    struct ws_stats sum = {0};
    size_t length = (size_t)snprintf(row, COLUMN_MOST, "%6s", name);

    if (log)
        add(&sum, log);
    memcpy(values, &sum, sizeof values);
    for (size_t i = 0; first == AT(steals) && i < WSFJ_TIERS; i++)
        length += put_column(row + length, wsfj_tier_names[i], log ? &values[AT(steals_by_distance) + i] : NULL);
    for (size_t i = first; i < end; i++) {
        if (headings[i])
            length += put_column(row + length, headings[i], log ? &values[i] : NULL);
    }
    wsfj_print("%s\n", row);
}

static void print_table(size_t first, size_t end)
{
    print_row("worker", NULL, first, end);
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        char name[16];

        snprintf(name, sizeof name, "%u", i);
        print_row(name, &wsfj_workers[i].log, first, end);
    }
    print_row("others", &wsfj_foreign_log, first, end);
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
    print_table(AT(steals), AT(stacks));
    wsfj_print("libwsfj: tasks with a stack of their own, how often their fibers were resumed, and queues\n");
    print_table(AT(tasks), NUM_FIELDS);
    print_rates();
}
