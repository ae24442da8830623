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

/* MPI_ERR_IN_STATUS says that one of several has failed: the statuses say which and why. */
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

    switch (wait->kind) {
    case WSFJ_MPI_ALL: code = ask_all(wait, &flag); break;
    case WSFJ_MPI_ANY: code = MPI_Testany(wait->n, wait->requests, &wait->index, &flag, status); break;
    case WSFJ_MPI_PROBE: code = MPI_Iprobe(wait->from, wait->tag, wait->comm, &flag, status); break;
    case WSFJ_MPI_CALL: break;
    }
    return (flag || code != MPI_SUCCESS) && wsfj_mpi_done(wait, code);
}
