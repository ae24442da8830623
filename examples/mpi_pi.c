/* SPDX-License-Identifier: MIT */
/*
 * Pi by a sum over 10^8 numbers, on all ranks and their workers; the same bits whatever their number.
 *
 * mpicc -O2 mpi_pi.c $(pkg-config --cflags --libs libwsfj-mpi) -o mpi_pi && mpirun -n 4 --map-by slot:PE=2 ./mpi_pi
 */
#include <stdio.h>
#include <stdlib.h>
#include <wsfj.h>
#include <wsfj/mpi_loop.h>
#include <wsfj/mpi.h>

struct steps {
    int64_t n;
};

/* 1000 steps: a call for each alone would cost as much as the step. */
static void height(int64_t block, void *out, void *arg)
{
    int64_t n = ((struct steps *)arg)->n;
    double sum = 0;

    for (int64_t i = 1000 * block; i < 1000 * (block + 1); i++) {
        double x = ((double)i + 0.5) / (double)n;

        sum += 4 / (1 + x * x);
    }
    *(double *)out = sum / (double)n;
}

static void add(void *into, const void *other)
{
    *(double *)into += *(const double *)other;
}

int main(int argc, char **argv)
{
    int64_t blocks = argc > 1 ? atoll(argv[1]) : 100000;
    struct steps steps = {1000 * blocks};
    double pi = 0;
    int rank, error = ws_mpi_init(&argc, &argv);

    if (!error)
        error = ws_mpi_reduce(height, 0, blocks, &steps, &pi, sizeof pi, add);
    if (error) {
        fprintf(stderr, "mpi_pi: %s\n", ws_mpi_strerror(error));
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%.15f\n", pi);
    return ws_mpi_fini() ? 1 : 0;
}
