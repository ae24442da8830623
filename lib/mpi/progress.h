/* SPDX-License-Identifier: MIT */
/*
 * Progress: MPI is asked about all who wait. One thread at a time does so: a worker that searches, through the poll source;
 * or, where the calls of MPI belong to one thread, that one (run.c).
 */
#ifndef WSFJ_MPI_PROGRESS_H
#define WSFJ_MPI_PROGRESS_H

#include "mpi/record.h"

/* Queues the record. From now on progress may end it, and the caller waits for its event. */
void wsfj_mpi_queue(struct wsfj_mpi_wait *wait);

/* The waiter gives up. True: nobody knows the record any more; false: it is done, or its function runs. */
bool wsfj_mpi_withdraw(struct wsfj_mpi_wait *wait);

/* Begins what is queued, and asks about 64 requests. Returns how much has begun or ended. */
size_t wsfj_mpi_progress(void);

/* In how many nanoseconds to ask again, after a round that has found so much; WS_FOREVER: nobody waits. */
uint64_t wsfj_mpi_pause(size_t found);

/* Nobody waits any more, and no thread makes progress: frees the memory. */
void wsfj_mpi_forget(void);

/* How many records there are. */
size_t wsfj_mpi_open(void);

#endif
