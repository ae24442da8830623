/* SPDX-License-Identifier: MIT */
/* Who makes progress: the poll source, or the thread in ws_mpi_run(). */
#ifndef WSFJ_MPI_RUN_H
#define WSFJ_MPI_RUN_H

#include <stdbool.h>
#include <stdint.h>

/* The poll source. */
uint64_t wsfj_mpi_source(void *unused);

/* Whether the thread that makes all calls is in ws_mpi_run(). */
bool wsfj_mpi_is_served(void);

/* A record was queued: progress shall not sleep on. */
void wsfj_mpi_call_progress(void);

#endif
