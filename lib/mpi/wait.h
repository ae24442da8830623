/* SPDX-License-Identifier: MIT */
/* Waiting: a task is suspended, a thread asks MPI itself. */
#ifndef WSFJ_MPI_WAIT_H
#define WSFJ_MPI_WAIT_H

#include "mpi/record.h"

/* Waits as the record says until the deadline, if MPI may be called. */
int wsfj_mpi_wait(struct wsfj_mpi_wait *wait, uint64_t until);

/* How many callers ask MPI themselves, and are no records of progress.h. */
size_t wsfj_mpi_waits_here(void);

/* Whether somebody calls MPI for the caller, or the caller may itself. */
bool wsfj_mpi_may_call(void);

/* ws_mpi_call(), but no cancellation ends it. */
int wsfj_mpi_call_always(void (*fn)(void *), void *arg);

#endif
