/* SPDX-License-Identifier: MIT */
/* stencil N STEPS: the stencil with libwsfj-mpi: tasks wait for the neighbours' rows. Neighbour: stencil_openmp.c. */
#include "stencil.h"

#include <wsfj.h>
#include <wsfj/mpi.h>

static WS_RANGE(inside, long, lo, hi, const struct plate *, p)
{
    plate_advance(p, lo, hi);
}

/* Gives the neighbour this row, gets its own, and advances what has waited for that. */
static WS_TASK(int, exchange, const struct plate *, p, int, neighbour, long, mine, long, its)
{
    int n = (int)p->n + 2;
    int error = ws_mpi_sendrecv(plate_row(p, p->now, mine), n, MPI_DOUBLE, neighbour, 0, plate_row(p, p->now, its), n,
                                MPI_DOUBLE, neighbour, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    if (!error)
        plate_advance(p, mine, mine + 1);
    return error;
}

static WS_TASK(int, simulate, struct plate *, p, long, steps)
{
    for (long i = 0; i < steps; i++) {
        int above, below;

        ws_spawn(inside, 2, p->rows, p);
        ws_spawn(exchange, &above, p, p->above, 1, 0);
        ws_spawn(exchange, &below, p, p->below, p->rows, p->rows + 1);
        ws_sync(); /* runs the newest child first: both exchanges have begun when the inside is computed */
        if (above || below)
            return above ? above : below;
        plate_turn(p);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct figures begin;
    struct plate p;
    long steps;
    int error = ws_mpi_init(&argc, &argv), failed, right;

    if (error) {
        fprintf(stderr, "stencil: %s\n", ws_mpi_strerror(error));
        return 1;
    }
    p = plate_make(figures_argument(argc, argv, 1, 1024));
    steps = figures_argument(argc, argv, 2, 400);
    begin = figures_begin();
    error = ws_run(simulate, &failed, &p, steps);
    right = figures_end(begin, "stencil", !error && !failed && plate_is_right(&p, steps));
    plate_free(&p);
    ws_mpi_fini();
    return !right;
}
