/* SPDX-License-Identifier: MIT */
/*
 * sort N: sorts N numbers a rank over all ranks. Each rank sorts its own by tasks, all choose the same borders from samples, the
 * parts change hands, and each rank sorts what it has got (sample sort: Frazer and McKellar 1970).
 */
#include "figures.h"

#include <string.h>
#include <wsfj.h>
#include <wsfj/mpi.h>

enum { SAMPLES = 64, LEAF = 4096, RANKS_MOST = 64 };

static int rank, ranks;

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Quicksort; the parts are children. */
static WS_TASK_VOID(sort, uint64_t *, a, long, n)
{
    while (n > LEAF) {
        uint64_t x = a[n / 4], y = a[n / 2], z = a[n - n / 4];
        uint64_t pivot = x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y);
        long i = 0, j = n - 1;

        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                uint64_t t = a[i];

                a[i++] = a[j];
                a[j--] = t;
            }
        }
        ws_spawn(sort, a, j + 1);
        a += i;
        n -= i;
    }
    qsort(a, (size_t)n, sizeof *a, compare);
    ws_sync();
}

/* The numbers above which the part of each rank but the first begins: the same on all ranks. */
static int choose_borders(const uint64_t *a, long n, uint64_t *borders)
{
    uint64_t mine[SAMPLES], all[SAMPLES * RANKS_MOST];
    int error;

    for (long i = 0; i < SAMPLES; i++)
        mine[i] = a[n * i / SAMPLES];
    error = ws_mpi_gather(mine, SAMPLES, MPI_UINT64_T, all, SAMPLES, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        qsort(all, (size_t)(SAMPLES * ranks), sizeof *all, compare);
        for (int i = 1; i < ranks; i++)
            borders[i] = all[SAMPLES * i];
    }
    return error ? error : ws_mpi_bcast(borders, ranks, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

static long first_from(const uint64_t *a, long n, uint64_t border)
{
    long lo = 0;

    while (n > 0) {
        long half = n / 2;

        if (a[lo + half] < border) {
            lo += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return lo;
}

/* Sends each rank its part, and gets this rank's from each. Returns how many came, or -1. */
static long exchange(uint64_t *a, long n, const uint64_t *borders, uint64_t **got)
{
    MPI_Request requests[2 * RANKS_MOST];
    long at[RANKS_MOST + 1], in = 0;
    int out_counts[RANKS_MOST], in_counts[RANKS_MOST];

    at[0] = 0;
    at[ranks] = n;
    for (int i = 1; i < ranks; i++)
        at[i] = first_from(a, n, borders[i]);
    for (int i = 0; i < ranks; i++)
        out_counts[i] = (int)(at[i + 1] - at[i]);
    if (ws_mpi_alltoall(out_counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD))
        return -1;
    for (int i = 0; i < ranks; i++)
        in += in_counts[i];
    *got = malloc((size_t)(in + 1) * sizeof **got);
    if (!*got)
        return -1;
    in = 0;
    for (int i = 0; i < ranks; i++) {
        MPI_Irecv(*got + in, in_counts[i], MPI_UINT64_T, i, 0, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(a + at[i], out_counts[i], MPI_UINT64_T, i, 0, MPI_COMM_WORLD, &requests[2 * i + 1]);
        in += in_counts[i];
    }
    return ws_mpi_waitall(2 * ranks, requests, MPI_STATUSES_IGNORE) ? -1 : in;
}

/* All numbers are there, in order, and no rank has a greater one than the next. */
static int is_right(const uint64_t *a, long n, uint64_t sum_before)
{
    uint64_t ends[2] = {n ? a[0] : UINT64_MAX, n ? a[n - 1] : 0}, all[2 * RANKS_MOST], sum = 0, sums;
    int right = 1;

    for (long i = 0; i < n; i++) {
        sum += a[i];
        right = right && (i == 0 || a[i - 1] <= a[i]);
    }
    MPI_Allreduce(&sum, &sums, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(ends, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int i = 1; i < ranks; i++)
        right = right && all[2 * i - 1] <= all[2 * i];
    return right && sums == sum_before;
}

static int sort_all(uint64_t *a, long n, uint64_t **result, long *count)
{
    uint64_t borders[RANKS_MOST] = {0};

    if (ws_run(sort, a, n) || choose_borders(a, n, borders))
        return 0;
    *count = exchange(a, n, borders, result);
    return *count >= 0 && ws_run(sort, *result, *count) == 0;
}

int main(int argc, char **argv)
{
    struct figures begin;
    uint64_t *a, *result = NULL, sum = 0, sums, x;
    int error = ws_mpi_init(&argc, &argv), right;
    long n = figures_argument(argc, argv, 1, 1000000), count = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    a = malloc((size_t)n * sizeof *a);
    if (error || !a || ranks > RANKS_MOST || n < SAMPLES || n > 1 << 28) {
        fprintf(stderr, "sort: %s\n", error ? ws_mpi_strerror(error) : "64 to 2^28 numbers, 64 ranks at most");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    x = 0x9e3779b97f4a7c15u * (uint64_t)(rank + 1);
    for (long i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        a[i] = x;
        sum += x;
    }
    MPI_Allreduce(&sum, &sums, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    begin = figures_begin();
    right = sort_all(a, n, &result, &count);
    right = figures_end(begin, "sort", right) && is_right(result, count, sums);
    free(a);
    free(result);
    return ws_mpi_fini() || !right;
}
