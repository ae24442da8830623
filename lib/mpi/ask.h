/* SPDX-License-Identifier: MIT */
/* Asks MPI about one record. Called where MPI may be called; nobody else has the record meanwhile. */
#ifndef WSFJ_MPI_ASK_H
#define WSFJ_MPI_ASK_H

#include "mpi/record.h"

/* Makes the record's request, unless there is none to make or it was made before. False: that has failed, and the record is done. */
bool wsfj_mpi_begin(struct wsfj_mpi_wait *wait);

/* Whether all that the record waits for has come. Then it is done. */
bool wsfj_mpi_ask(struct wsfj_mpi_wait *wait);

/* Asks about each request of a record for all alone, and stores the status of each that has completed. True: all have, and the
 * record is done. */
bool wsfj_mpi_ask_each(struct wsfj_mpi_wait *wait);

/* Request i of a record for all has completed, with this status and error code of MPI. */
void wsfj_mpi_completed(struct wsfj_mpi_wait *wait, int i, const MPI_Status *status, int code);

/* The record is done, with this error of MPI. Returns true. */
bool wsfj_mpi_done(struct wsfj_mpi_wait *wait, int code);

#endif
