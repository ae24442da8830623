/* SPDX-License-Identifier: MIT */
/* The CPUs that the launcher has given to the ranks of a node. */
#ifndef WSFJ_MPI_CPUS_H
#define WSFJ_MPI_CPUS_H

#include <stdbool.h>

/* MPI_Init_thread() for MPI_THREAD_MULTIPLE, after which the thread has the affinity mask that it had before. */
int wsfj_mpi_keep_cpus(int *argc, char ***argv, int *level);

/* Whether another rank on this node may run on a CPU of the caller's mask. All ranks call it; the first of those that share says
 * so. `first`: the lowest rank on this node. */
bool wsfj_mpi_share_cpus(int *first);

#endif
