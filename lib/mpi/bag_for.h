/* SPDX-License-Identifier: MIT */
/* Loops over ranks, on a bag whose tasks are ranges. Neighbours: bag_for.c, the loop itself; bag_map.c, loops with results. */
#ifndef WSFJ_MPI_BAG_FOR_H
#define WSFJ_MPI_BAG_FOR_H

#include "mpi/bag.h"

#include <wsfj/mpi_loop.h>

/* The bag of all loops, made by the first one. Nobody else uses it until wsfj_mpi_loop_end(). Collective: `same` must be equal on
 * all ranks, else EINVAL. */
int wsfj_mpi_loop_begin(ws_mpi_bag **bag, const uint64_t *same, size_t n);
void wsfj_mpi_loop_end(void);

/* Runs the loop. `moves`: a rank without work takes from others. */
int wsfj_mpi_loop_run(ws_mpi_bag *bag, ws_mpi_part *fn, int64_t lo, int64_t hi, void *arg, bool moves);

/* Whether a loop runs. */
bool wsfj_mpi_loop_runs(void);

/* Frees the bag, if there is one. Collective. */
void wsfj_mpi_loops_free(void);

#endif
