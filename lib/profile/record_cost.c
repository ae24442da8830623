/* SPDX-License-Identifier: MIT */
/* What the costs in the nodes stand for: lengths, as far as a node has them, and means of all accounts. */
#include "base/alloc.h"
#include "profile/record_file.h"

#include <string.h>

/* Under the file's lock. */
static bool is_used[WSFJ_COSTS_LENGTHS];
static struct wsfj_cost *means;
static size_t num_means;

void wsfj_record_cost_is_used(uint32_t cost)
{
    if (cost < WSFJ_COSTS_LENGTHS)
        is_used[cost] = true;
}

bool wsfj_record_add_means(const struct wsfj_cost *costs, size_t n)
{
    if (n > num_means) {
        struct wsfj_cost *more = wsfj_realloc(means, n * sizeof *more);

        if (!more)
            return false;
        memset(more + num_means, 0, (n - num_means) * sizeof *more);
        means = more;
        num_means = n;
    }
    for (size_t i = 0; i < n; i++) {
        means[i].sum += costs[i].sum;
        means[i].count += costs[i].count;
    }
    return true;
}

static void print_lengths(double scale)
{
    for (uint32_t i = 0; i < WSFJ_COSTS_LENGTHS; i++) {
        if (!is_used[i])
            continue;
        wsfj_record_print("cost %u %.17g", i, (double)wsfj_cost_length(i) * scale);
        wsfj_record_end_line();
    }
}

static void print_means(double scale)
{
    static const char *const begins[] = {"child", "after", "synced"}, *const ends[] = {"spawn", "end", "sync"};

    for (size_t i = 0; i < num_means; i++) {
        if (!means[i].count)
            continue;
        wsfj_record_print("cost %zu %.17g site %zu %s %s", WSFJ_COSTS_LENGTHS + i,
                          (double)means[i].sum * scale / (double)means[i].count, i / WSFJ_ENDS / 3,
                          begins[i / WSFJ_ENDS % 3], ends[i % WSFJ_ENDS]);
        wsfj_record_end_line();
    }
}

void wsfj_record_print_costs(double scale, bool is_unit)
{
    print_lengths(is_unit ? 1 : scale);
    print_means(scale);
}

void wsfj_record_costs_forget(void)
{
    memset(is_used, 0, sizeof is_used);
    if (means)
        memset(means, 0, num_means * sizeof *means);
}

void wsfj_record_costs_clear(void)
{
    free(means);
    means = NULL;
    num_means = 0;
}
