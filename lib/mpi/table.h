/* SPDX-License-Identifier: MIT */
/* The table of requests about which MPI is asked together, 64 in turn. Under the lock of progress.c. */
#ifndef WSFJ_MPI_TABLE_H
#define WSFJ_MPI_TABLE_H

#include "mpi/record.h"

/* Puts those requests of a record for all in that have not completed. False: no memory. */
bool wsfj_mpi_table_add(struct wsfj_mpi_wait *wait);

/* Takes out those that have still not completed. */
void wsfj_mpi_table_remove(struct wsfj_mpi_wait *wait);

/* Asks about the next 64, and calls `end` for each record that is done. Returns how many requests have completed. */
size_t wsfj_mpi_table_ask(void (*end)(struct wsfj_mpi_wait *wait));

/* Frees the memory. The table is empty. */
void wsfj_mpi_table_free(void);

#endif
