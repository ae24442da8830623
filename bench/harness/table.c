/* SPDX-License-Identifier: MIT */
#include "table.h"

#include "duration.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static void put_text(int width, const void *value)
{
    printf("%-*s", width, *(const char *const *)value);
}

/* A number with decimals, '-' if it is not known. */
static void put_number(int width, int decimals, double value)
{
    if (isfinite(value))
        printf("%*.*f", width, decimals, value);
    else
        printf("%*s", width, "-");
}

static void put_whole(int width, const void *value)
{
    put_number(width, 0, *(const double *)value);
}

static void put_ratio(int width, const void *value)
{
    double ratio = *(const double *)value;

    put_number(width, ratio < 100 ? 2 : ratio < 1000 ? 1 : 0, ratio);
}

static void put_seconds(int width, const void *value)
{
    printf("%*s", width, duration_of(*(const double *)value).text);
}

static void put_cost(int width, const void *ns)
{
    double cost = fabs(*(const double *)ns);

    put_number(width, cost < 10 ? 2 : cost < 100 ? 1 : 0, *(const double *)ns);
}

static void put_mib(int width, const void *kib)
{
    put_number(width, 1, *(const double *)kib / 1024);
}

static void put_ok(int width, const void *value)
{
    printf("%*s", width, *(const int *)value ? "yes" : "NO");
}

static const struct column {
    const char *name, *unit;
    int width;
    void (*put)(int width, const void *value);
    size_t offset;
} columns[] = {
    {"kernel", "", 9, put_text, offsetof(struct entry, kernel)},
    {"size", "", 10, put_whole, offsetof(struct entry, size)},
    {"P", "", 4, put_whole, offsetof(struct entry, workers)},
    {"Ts", "s", 7, put_seconds, offsetof(struct entry, serial_s)},
    {"T1", "s", 7, put_seconds, offsetof(struct entry, t1_s)},
    {"TP", "s", 7, put_seconds, offsetof(struct entry, median_s)},
    {"min", "s", 7, put_seconds, offsetof(struct entry, min_s)},
    {"max", "s", 7, put_seconds, offsetof(struct entry, max_s)},
    {"T1/Ts", "", 6, put_ratio, offsetof(struct entry, overhead)},
    {"Ts/TP", "", 6, put_ratio, offsetof(struct entry, speedup)},
    {"spawns", "", 10, put_whole, offsetof(struct entry, spawns)},
    {"spawn", "ns", 7, put_cost, offsetof(struct entry, ns_per_spawn)},
    {"steals", "", 8, put_whole, offsetof(struct entry, steals)},
    {"susp.", "", 6, put_whole, offsetof(struct entry, suspensions)},
    {"stacks", "", 7, put_whole, offsetof(struct entry, stacks)},
    {"RSS", "MiB", 7, put_mib, offsetof(struct entry, rss_kb)},
    {"ok", "", 4, put_ok, offsetof(struct entry, ok)},
};

#define NUM_COLUMNS (sizeof columns / sizeof *columns)

static const char legend[] =
    "Times without a unit are seconds. Ts: serial elision. T1, TP: with 1 and P workers; min, max: of TP.\n"
    "T1/Ts: overhead, Ts/TP: speed-up. spawn: (T1 - Ts) / spawns, if it is no noise. susp.: joins that were suspended.\n"
    "RSS: peak memory of a process that does one run.\n";

void table_begin(const struct machine *machine, unsigned runs)
{
    machine_print(machine);
    printf(runs == 1 ? "; %u run\n" : "; medians of %u runs\n", runs);
    printf("%s\n", legend);
    for (size_t i = 0; i < NUM_COLUMNS; i++)
        printf("%*s", i ? columns[i].width : -columns[i].width, columns[i].name);
    puts("");
    for (size_t i = 0; i < NUM_COLUMNS; i++)
        printf("%*s", columns[i].width, columns[i].unit);
    puts("");
}

void table_add(const struct entry *e)
{
    for (size_t i = 0; i < NUM_COLUMNS; i++)
        columns[i].put(columns[i].width, (const char *)e + columns[i].offset);
    puts("");
}
