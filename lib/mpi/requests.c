/* SPDX-License-Identifier: MIT */
/* The functions that wait for requests of the caller. */
#include "mpi/wait.h"

WSFJ_MPI_EXPORT int ws_mpi_wait(MPI_Request *request, MPI_Status *status)
{
    return ws_mpi_wait_until(request, status, WS_FOREVER);
}

WSFJ_MPI_EXPORT int ws_mpi_wait_until(MPI_Request *request, MPI_Status *status, uint64_t until)
{
    return wsfj_mpi_wait(&(struct wsfj_mpi_wait){.name = "ws_mpi_wait",
                                                 .kind = WSFJ_MPI_ALL,
                                                 .n = 1,
                                                 .requests = request,
                                                 .statuses = wsfj_mpi_status(status)},
                         until);
}

WSFJ_MPI_EXPORT int ws_mpi_waitall(int n, MPI_Request *requests, MPI_Status *statuses)
{
    return ws_mpi_waitall_until(n, requests, statuses, WS_FOREVER);
}

WSFJ_MPI_EXPORT int ws_mpi_waitall_until(int n, MPI_Request *requests, MPI_Status *statuses, uint64_t until)
{
    return wsfj_mpi_wait(&(struct wsfj_mpi_wait){.name = "ws_mpi_waitall",
                                                 .kind = WSFJ_MPI_ALL,
                                                 .n = n,
                                                 .requests = requests,
                                                 .statuses = wsfj_mpi_status(statuses)},
                         until);
}

WSFJ_MPI_EXPORT int ws_mpi_waitany(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    return ws_mpi_waitany_until(n, requests, index, status, WS_FOREVER);
}

WSFJ_MPI_EXPORT int ws_mpi_waitany_until(int n, MPI_Request *requests, int *index, MPI_Status *status, uint64_t until)
{
    struct wsfj_mpi_wait wait = {.name = "ws_mpi_waitany",
                                 .kind = WSFJ_MPI_ANY,
                                 .n = n,
                                 .requests = requests,
                                 .statuses = wsfj_mpi_status(status)};
    int error = wsfj_mpi_wait(&wait, until);

    *index = wait.done ? wait.index : MPI_UNDEFINED;
    return error;
}
