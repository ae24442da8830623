/* SPDX-License-Identifier: MIT */
#include "mpi/ask.h"

bool wsfj_mpi_done(struct wsfj_mpi_wait *wait, int code)
{
    if (!wait->error)
        wait->error = wsfj_mpi_error(code);
    wait->done = true;
    return true;
}

bool wsfj_mpi_begin(struct wsfj_mpi_wait *wait)
{
    int code = MPI_SUCCESS;

    if (!wait->begun && wait->begin)
        code = wait->begin(wait->arg, wait->requests);
    wait->begun = true;
    return code == MPI_SUCCESS || !wsfj_mpi_done(wait, code);
}

/* Without memory for entries. If one of them fails, MPICH says so while others are open, and only once. */
static int ask_all(struct wsfj_mpi_wait *wait, int *flag)
{
    if (wait->n == 1)
        return MPI_Test(wait->requests, flag, wait->statuses ? wait->statuses : MPI_STATUS_IGNORE);
    return MPI_Testall(wait->n, wait->requests, flag, wait->statuses ? wait->statuses : MPI_STATUSES_IGNORE);
}

bool wsfj_mpi_ask(struct wsfj_mpi_wait *wait)
{
    MPI_Status *status = wait->statuses ? wait->statuses : MPI_STATUS_IGNORE;
    int flag = 0, code = MPI_SUCCESS;

    if (wait->entries)
        return wsfj_mpi_ask_each(wait);
    switch (wait->kind) {
    case WSFJ_MPI_ALL: code = ask_all(wait, &flag); break;
    case WSFJ_MPI_ANY: code = MPI_Testany(wait->n, wait->requests, &wait->index, &flag, status); break;
    case WSFJ_MPI_PROBE: code = MPI_Iprobe(wait->from, wait->tag, wait->comm, &flag, status); break;
    case WSFJ_MPI_CALL: break;
    }
    return (flag || code != MPI_SUCCESS) && wsfj_mpi_done(wait, code);
}

/* As MPI_Waitall(): of several requests the statuses say which have failed. */
void wsfj_mpi_completed(struct wsfj_mpi_wait *wait, int i, const MPI_Status *status, int code)
{
    wait->entries[i].done = true;
    if (wait->statuses) {
        wait->statuses[i] = *status;
        if (wait->n > 1)
            wait->statuses[i].MPI_ERROR = code;
    }
    if (code != MPI_SUCCESS)
        wait->error = wait->n > 1 ? -MPI_ERR_IN_STATUS : wsfj_mpi_error(code);
}

bool wsfj_mpi_ask_each(struct wsfj_mpi_wait *wait)
{
    int open = 0;

    for (int i = 0; i < wait->n; i++) {
        MPI_Status status;
        int flag = 0, code;

        if (wait->entries[i].done)
            continue;
        code = MPI_Test(&wait->requests[i], &flag, &status);
        if (flag || code != MPI_SUCCESS)
            wsfj_mpi_completed(wait, i, &status, code);
        else
            open++;
    }
    return open == 0 && wsfj_mpi_done(wait, MPI_SUCCESS);
}
