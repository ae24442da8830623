/* SPDX-License-Identifier: MIT */
/* stencil_openmp N STEPS: the stencil with MPI and OpenMP, written as one would. Neighbour: stencil.c, with libwsfj-mpi. */
#include "stencil.h"

static void step(struct plate *p)
{
    int n = (int)p->n + 2;
    MPI_Request requests[4];

    MPI_Irecv(plate_row(p, p->now, 0), n, MPI_DOUBLE, p->above, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(plate_row(p, p->now, p->rows + 1), n, MPI_DOUBLE, p->below, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(plate_row(p, p->now, 1), n, MPI_DOUBLE, p->above, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(plate_row(p, p->now, p->rows), n, MPI_DOUBLE, p->below, 0, MPI_COMM_WORLD, &requests[3]);
#pragma omp parallel for schedule(static)
    for (long i = 2; i < p->rows; i++)
        plate_advance(p, i, i + 1);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    plate_advance(p, 1, 2);
    plate_advance(p, p->rows, p->rows + 1);
    plate_turn(p);
}

int main(int argc, char **argv)
{
    struct figures begin;
    struct plate p;
    long steps;
    int level, right;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    p = plate_make(figures_argument(argc, argv, 1, 1024));
    steps = figures_argument(argc, argv, 2, 400);
    begin = figures_begin();
    for (long i = 0; i < steps; i++)
        step(&p);
    right = figures_end(begin, "stencil-openmp", plate_is_right(&p, steps));
    plate_free(&p);
    MPI_Finalize();
    return !right;
}
