/* SPDX-License-Identifier: MIT */
/* What each program of bench/mpi prints: one line for run, from rank 0. */
#ifndef BENCH_MPI_FIGURES_H
#define BENCH_MPI_FIGURES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct figures {
    double wall, cpu;
};

static inline double figures_cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* All ranks begin together. */
static inline struct figures figures_begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return (struct figures){MPI_Wtime(), figures_cpu()};
}

/* The rank has done its part. Prints: name, ranks, seconds until the last one has, the greatest CPU time of a rank, the sum of all,
 * "right" or "wrong". All ranks get whether all were right. */
static inline int figures_end(struct figures begin, const char *name, int right)
{
    double mine[2] = {MPI_Wtime() - begin.wall, figures_cpu() - begin.cpu}, most[2], sum;
    int rank, ranks, all;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Reduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine[1], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s %d %.6f %.6f %.6f %s\n", name, ranks, most[0], most[1], sum, all ? "right" : "wrong");
        fflush(stdout);
    }
    return all;
}

/* The i-th argument as a number; without it `otherwise`. */
static inline long figures_argument(int argc, char **argv, int i, long otherwise)
{
    char *end;
    long value = i < argc ? strtol(argv[i], &end, 10) : otherwise;

    if (value > 0 && (i >= argc || *end == '\0'))
        return value;
    fprintf(stderr, "%s: argument %d is '%s', and takes a number from 1\n", argv[0], i, argv[i]);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

#endif
