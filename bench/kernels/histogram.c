/* SPDX-License-Identifier: MIT */
/*
 * histogram: how often each of 4096 values occurs. A reduction into an array: each worker counts into a copy of its own,
 * and the copies are added.
 */
#include "common.h"
#include "harness/kernel.h"

#define VALUES 4096
#define PASSES 8

struct bins {
    long n[VALUES];
};

static void clear(struct bins *bins)
{
    memset(bins, 0, sizeof *bins);
}

static void add(struct bins *into, struct bins *from)
{
    for (int k = 0; k < VALUES; k++)
        into->n[k] += from->n[k];
}

static WS_FOLD(struct bins, clear, add, count, struct bins *, bins, long, i, const uint16_t *, value)
{
    bins->n[value[i]]++;
}

struct histogram_data {
    long n;
    uint16_t *value;
    struct bins bins;
};

static void release(void *data)
{
    struct histogram_data *d = (struct histogram_data *)data;

    free(d->value);
    free(d);
}

/* The smaller of two random values: small ones are more frequent. */
static void *prepare(long size)
{
    struct histogram_data *d = (struct histogram_data *)calloc(1, sizeof *d);
    uint64_t seed = 1;

    if (!d)
        return NULL;
    d->n = size;
    d->value = (uint16_t *)malloc((size_t)size * sizeof(uint16_t));
    if (!d->value) {
        release(d);
        return NULL;
    }
    for (long i = 0; i < size; i++) {
        uint64_t x = kernel_random(&seed), a = x % VALUES, b = (x >> 32) % VALUES;

        d->value[i] = (uint16_t)(a < b ? a : b);
    }
    return d;
}

static void reset(void *data)
{
    clear(&((struct histogram_data *)data)->bins);
}

static int run(void *data)
{
    struct histogram_data *d = (struct histogram_data *)data;
    int error = 0;

    for (int pass = 0; pass < PASSES && !error; pass++)
        error = ws_for(count, &d->bins, 0, d->n, d->value);
    return error;
}

/* Takes every count back, once for each pass. */
static int check(void *data)
{
    struct histogram_data *d = (struct histogram_data *)data;
    struct bins *left = (struct bins *)malloc(sizeof *left);
    int is_right = left != NULL;

    if (!left)
        return 0;
    *left = d->bins;
    for (long i = 0; i < d->n; i++)
        left->n[d->value[i]] -= PASSES;
    for (int k = 0; k < VALUES; k++)
        is_right = is_right && left->n[k] == 0;
    free(left);
    return is_right;
}

static double result(void *data)
{
    struct histogram_data *d = (struct histogram_data *)data;
    uint64_t sum = 0;

    for (int k = 0; k < VALUES; k++)
        sum = sum * 31 + (uint64_t)d->bins.n[k];
    return (double)(sum >> 11);
}

KERNEL(histogram) = {"histogram", "8 times how often each of 4096 values occurs; size: values",
                     30000000,    10000,
                     400000000,   prepare,
                     reset,       run,
                     check,       result,
                     release};
