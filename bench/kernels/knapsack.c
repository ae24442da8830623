/* SPDX-License-Identifier: MIT */
/*
 * knapsack: the most valuable items that fit, by two-way branching; a few comparisons for each task, on an uneven tree.
 * The branch and bound of the Cilk-5 distribution (Frigo, Leiserson and Randall 1998), but the value that a branch must
 * beat is fixed before the run: every variant makes the same tasks, in any order.
 */
#include "common.h"
#include "harness/kernel.h"

#define MAX_ITEMS 48
#define MAX_WEIGHT 100

struct item {
    long weight, value;
    long needed; /* a branch that has less before this item cannot beat the greedy choice */
};

/* The best value with a choice among the next `items`, or 0 if they do not fit or cannot beat the greedy choice. */
static WS_TASK(long, search, const struct item *, next, long, items, long, capacity, long, value)
{
    if (capacity < 0)
        return 0;
    if (items == 0)
        return value;
    if (value < next->needed)
        return 0;
    long with, without;

    ws_spawn(search, &without, next + 1, items - 1, capacity, value);
    with = ws_call(search, next + 1, items - 1, capacity - next->weight, value + next->value);
    ws_sync();
    return with > without ? with : without;
}

struct knapsack_data {
    long n, capacity, result;
    struct item items[MAX_ITEMS]; /* by falling value for the weight */
};

static int is_denser(const struct item *a, const struct item *b)
{
    return a->value * b->weight > b->value * a->weight;
}

static void insert_item(struct knapsack_data *d, struct item it)
{
    long i = d->n++;

    for (; i > 0 && is_denser(&it, &d->items[i - 1]); i--)
        d->items[i] = d->items[i - 1];
    d->items[i] = it;
}

/* The value of the items that fit, the densest first. */
static long greedy_value(const struct knapsack_data *d)
{
    long capacity = d->capacity, value = 0;

    for (long i = 0; i < d->n; i++) {
        if (d->items[i].weight <= capacity) {
            capacity -= d->items[i].weight;
            value += d->items[i].value;
        }
    }
    return value;
}

/* Values are near the weights, so density tells little; the sack holds half of the weight. */
static void *prepare(long size)
{
    struct knapsack_data *d = (struct knapsack_data *)calloc(1, sizeof *d);
    uint64_t seed = 1;
    long needed;

    if (!d)
        return NULL;
    while (d->n < size) {
        struct item it = {(long)(kernel_random(&seed) % MAX_WEIGHT) + 1, 0, 0};

        it.value = it.weight + (long)(kernel_random(&seed) % (MAX_WEIGHT / 10)) + 1;
        d->capacity += it.weight;
        insert_item(d, it);
    }
    d->capacity /= 2;
    needed = greedy_value(d);
    for (long i = d->n - 1; i >= 0; i--) {
        needed -= d->items[i].value;
        d->items[i].needed = needed;
    }
    return d;
}

static int run(void *data)
{
    struct knapsack_data *d = (struct knapsack_data *)data;

    d->result = -1;
    return ws_run(search, &d->result, d->items, d->n, d->capacity, 0L);
}

/* Against dynamic programming over the capacity (Bellman 1957). */
static int check(void *data)
{
    struct knapsack_data *d = (struct knapsack_data *)data;
    long best[MAX_ITEMS * MAX_WEIGHT / 2 + 1] = {0}; /* by the capacity used */

    for (long i = 0; i < d->n; i++) {
        for (long c = d->capacity; c >= d->items[i].weight; c--) {
            long with = best[c - d->items[i].weight] + d->items[i].value;

            if (best[c] < with)
                best[c] = with;
        }
    }
    return d->result == best[d->capacity];
}

static double result(void *data)
{
    return (double)((struct knapsack_data *)data)->result;
}

KERNEL(knapsack) = {"knapsack", "the most valuable items that fit, by exhaustive branching; size: items",
                    29,         22,
                    MAX_ITEMS,  prepare,
                    NULL,       run,
                    check,      result,
                    free};
