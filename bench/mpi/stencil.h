/* SPDX-License-Identifier: MIT */
/*
 * The stencil of both programs: diffusion on a square plate, n x n points between edges of 0, whose rows are divided among the
 * ranks. A rank has its rows and one more above and below, which belong to its neighbours. Each step advances the rows inside
 * while the neighbours' rows are on their way, then the first and the last one. After kernels/heat.c, whose plate it has.
 */
#ifndef BENCH_MPI_STENCIL_H
#define BENCH_MPI_STENCIL_H

#include "figures.h"

#include <math.h>

struct plate {
    long n, first, rows; /* the rank's first row, from 1, and how many it has */
    double *now, *next;  /* rows + 2 rows of n + 2 points */
    int above, below;    /* the neighbours' ranks, or MPI_PROC_NULL */
};

static inline double *plate_row(const struct plate *p, double *grid, long row)
{
    return grid + row * (p->n + 2);
}

/* The rank's rows from lo to hi; its own first row is 1. */
static inline void plate_advance(const struct plate *p, long lo, long hi)
{
    for (long i = lo; i < hi; i++) {
        const double *here = plate_row(p, p->now, i), *above = here - (p->n + 2), *below = here + (p->n + 2);
        double *to = plate_row(p, p->next, i);

        for (long j = 1; j <= p->n; j++)
            to[j] = here[j] + 0.125 * ((above[j] + below[j]) + (here[j - 1] + here[j + 1]) - 4 * here[j]);
    }
}

static inline void plate_turn(struct plate *p)
{
    double *was = p->now;

    p->now = p->next;
    p->next = was;
}

/* A wave is an eigenvector of the step: each makes it smaller by the same factor. */
enum { PLATE_DOWN = 2, PLATE_ACROSS = 5 };

static inline double plate_wave(long waves, double i, long n)
{
    return sin(3.14159265358979323846 * (double)waves * i / (double)(n + 1));
}

static inline double plate_value(const struct plate *p, long row, long column, double height)
{
    return height * plate_wave(PLATE_DOWN, (double)(p->first + row - 1), p->n) *
           plate_wave(PLATE_ACROSS, (double)column, p->n);
}

static inline struct plate plate_make(long n)
{
    int rank, ranks;
    struct plate p = {.n = n};

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    p.first = n * rank / ranks + 1;
    p.rows = n * (rank + 1) / ranks + 1 - p.first;
    p.above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    p.below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    p.now = calloc((size_t)((p.rows + 2) * (n + 2)), sizeof(double));
    p.next = calloc((size_t)((p.rows + 2) * (n + 2)), sizeof(double));
    if (p.rows < 2 || !p.now || !p.next) {
        fprintf(stderr, "stencil: %ld rows are too few or too many for %d ranks\n", n, ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (long i = 1; i <= p.rows; i++)
        for (long j = 1; j <= n; j++)
            plate_row(&p, p.now, i)[j] = plate_value(&p, i, j, 1);
    return p;
}

/* Whether all points of the rank are what these steps make of them. */
static inline int plate_is_right(const struct plate *p, long steps)
{
    double x = plate_wave(PLATE_DOWN, 0.5, p->n), y = plate_wave(PLATE_ACROSS, 0.5, p->n);
    double height = pow(1 - 0.5 * (x * x + y * y), (double)steps);
    int right = 1;

    for (long i = 1; i <= p->rows; i++)
        for (long j = 1; j <= p->n; j++)
            right = right && fabs(plate_row(p, p->now, i)[j] - plate_value(p, i, j, height)) < 1e-12;
    return right;
}

static inline void plate_free(struct plate *p)
{
    free(p->now);
    free(p->next);
}

#endif
