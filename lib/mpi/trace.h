/* SPDX-License-Identifier: MIT */
/*
 * What wsfj-view needs to join the traces of all ranks (WSFJ_TRACE): a file for each rank, a mark that says which rank it is
 * and when it left a barrier, and marks for messages. The texts: trace_marks.h.
 */
#ifndef WSFJ_MPI_TRACE_H
#define WSFJ_MPI_TRACE_H

#include <mpi.h>
#include <stdbool.h>

/* Before the runtime starts: puts the rank into the name of the trace. */
void wsfj_mpi_trace_name(void);

/* After ws_init() has returned `error`; on all ranks, for it is a barrier. `node`: the lowest rank of the caller's node. */
void wsfj_mpi_trace_start(int error, int node);

/* Whether messages have marks. Written before the workers know of MPI, then constant. */
extern bool wsfj_mpi_traces;

/* Only for MPI_COMM_WORLD: another communicator has no name that its ranks agree on. */
void wsfj_mpi_mark(bool is_send, int peer, int tag, MPI_Comm comm);

/* Tasks go to a rank of the communicator `comm`, or have come from there. Where MPI may be called. */
void wsfj_mpi_mark_tasks(bool is_send, int peer, MPI_Comm comm);

/* Before a message is sent. */
static inline void wsfj_mpi_note_send(int to, int tag, MPI_Comm comm)
{
    if (wsfj_mpi_traces)
        wsfj_mpi_mark(true, to, tag, comm);
}

/* After a message was received. `from`: as the caller asked; MPICH 4.0 says rank 0 of what comes from MPI_PROC_NULL. */
static inline void wsfj_mpi_note_receive(int from, const MPI_Status *status, MPI_Comm comm)
{
    if (wsfj_mpi_traces && from != MPI_PROC_NULL)
        wsfj_mpi_mark(false, status->MPI_SOURCE, status->MPI_TAG, comm);
}

#endif
