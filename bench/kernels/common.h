/* SPDX-License-Identifier: MIT */
/* For several kernels: a random generator, a sum, and the common parts of the sorts. Neighbour: kernel.h. */
#ifndef BENCH_KERNELS_COMMON_H
#define BENCH_KERNELS_COMMON_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The next number of a splitmix64 sequence (Steele, Lea and Flood 2014). Any value of `*state` is a good seed. */
static inline uint64_t kernel_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Adds up the results of children, without vectors: the children have just stored them one by one, and a vector load of them
 * would wait until all stores are in the cache. The asm keeps the compiler from vectors, and takes no instruction. */
static inline long kernel_sum(const long *a, long n)
{
    long sum = 0;

    for (long i = 0; i < n; i++) {
        sum += a[i];
        __asm__("" : "+r"(sum));
    }
    return sum;
}

static inline void kernel_insertion_sort(long *a, long n)
{
    for (long i = 1; i < n; i++) {
        long x = a[i], j = i;

        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

static inline long kernel_median(long a, long b, long c)
{
    if (a < b)
        return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

/* Hoare's partition (1962) for n >= 2: returns the length of the left side, which is 1 to n - 1. No number of the left
 * side is greater than any of the right. The last number must not be the pivot, or the right side could be empty. */
static inline long kernel_partition(long *a, long n)
{
    long pivot = kernel_median(a[0], a[(n - 1) / 2], a[n - 2]), i = -1, j = n;

    for (;;) {
        do
            i++;
        while (a[i] < pivot);
        do
            j--;
        while (a[j] > pivot);
        if (i >= j)
            return j + 1;
        long x = a[i];

        a[i] = a[j];
        a[j] = x;
    }
}

static inline void kernel_quicksort(long *a, long n)
{
    while (n > 24) {
        long left = kernel_partition(a, n);

        kernel_quicksort(a, left);
        a += left;
        n -= left;
    }
    kernel_insertion_sort(a, n);
}

/* An array to sort: n random numbers from 0 to n - 1, so some are equal. */
struct kernel_sort {
    long n;
    long *input; /* unchanged */
    long *array; /* sorted by a run */
    long *scratch;
};

static inline void kernel_sort_reset(void *data)
{
    struct kernel_sort *d = (struct kernel_sort *)data;

    memcpy(d->array, d->input, (size_t)d->n * sizeof(long));
}

static inline void kernel_sort_release(void *data)
{
    struct kernel_sort *d = (struct kernel_sort *)data;

    free(d->input);
    free(d->array);
    free(d->scratch);
    free(d);
}

static inline void *kernel_sort_prepare(long size)
{
    struct kernel_sort *d = (struct kernel_sort *)calloc(1, sizeof *d);
    size_t bytes = (size_t)size * sizeof(long);
    uint64_t seed = 1;

    if (!d)
        return NULL;
    d->n = size;
    d->input = (long *)malloc(bytes + 1);
    d->array = (long *)malloc(bytes + 1);
    d->scratch = (long *)malloc(bytes + 1);
    if (!d->input || !d->array || !d->scratch) {
        kernel_sort_release(d);
        return NULL;
    }
    for (long i = 0; i < size; i++)
        d->input[i] = (long)(kernel_random(&seed) % (uint64_t)size);
    memset(d->scratch, 0, bytes); /* a run should not pay for its pages */
    kernel_sort_reset(d);
    return d;
}

/* Sorted, and with the numbers of the input: the sums of their hashes agree. */
static inline int kernel_sort_check(void *data)
{
    struct kernel_sort *d = (struct kernel_sort *)data;
    uint64_t before = 0, after = 0;

    for (long i = 0; i < d->n; i++) {
        uint64_t x = (uint64_t)d->input[i], y = (uint64_t)d->array[i];

        if (i > 0 && d->array[i - 1] > d->array[i])
            return 0;
        before += kernel_random(&x);
        after += kernel_random(&y);
    }
    return before == after;
}

/* A checksum in which the order counts. */
static inline double kernel_sort_result(void *data)
{
    struct kernel_sort *d = (struct kernel_sort *)data;
    uint64_t sum = 0;

    for (long i = 0; i < d->n; i++)
        sum = sum * 31 + (uint64_t)d->array[i];
    return (double)(sum >> 11);
}

#endif
