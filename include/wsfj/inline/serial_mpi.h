/* SPDX-License-Identifier: MIT */
/* The functions of mpi.h in a program without the runtime: MPI's own, which block the thread. It asks MPI only where there is a
 * deadline. */
#ifndef WSFJ_INLINE_SERIAL_MPI_H
#define WSFJ_INLINE_SERIAL_MPI_H

#include <errno.h>
#include <string.h>

static inline int wsfj_mpi_class(int wsfj_code)
{
    int wsfj_class = 0;

    if (wsfj_code != MPI_SUCCESS)
        MPI_Error_class(wsfj_code, &wsfj_class);
    return -wsfj_class;
}

static inline int ws_mpi_init(int *wsfj_argc, char ***wsfj_argv)
{
    int wsfj_flag = 0, wsfj_code = MPI_Initialized(&wsfj_flag);

    return wsfj_mpi_class(wsfj_code == MPI_SUCCESS && !wsfj_flag ? MPI_Init(wsfj_argc, wsfj_argv) : wsfj_code);
}
static inline int ws_mpi_fini(void)
{
    return wsfj_mpi_class(MPI_Finalize());
}
static inline const char *ws_mpi_strerror(int wsfj_error)
{
    static char wsfj_text[MPI_MAX_ERROR_STRING + 1];
    int wsfj_length;

    if (wsfj_error >= 0)
        return wsfj_error ? strerror(wsfj_error) : "success";
    MPI_Error_string(-wsfj_error, wsfj_text, &wsfj_length);
    return wsfj_text;
}

static inline int ws_mpi_wait(MPI_Request *wsfj_request, MPI_Status *wsfj_status)
{
    return wsfj_mpi_class(MPI_Wait(wsfj_request, wsfj_status));
}
static inline int ws_mpi_waitall(int wsfj_n, MPI_Request *wsfj_requests, MPI_Status *wsfj_statuses)
{
    return wsfj_mpi_class(MPI_Waitall(wsfj_n, wsfj_requests, wsfj_statuses));
}
static inline int ws_mpi_waitany(int wsfj_n, MPI_Request *wsfj_requests, int *wsfj_index, MPI_Status *wsfj_status)
{
    return wsfj_mpi_class(MPI_Waitany(wsfj_n, wsfj_requests, wsfj_index, wsfj_status));
}
static inline int ws_mpi_wait_until(MPI_Request *wsfj_request, MPI_Status *wsfj_status, uint64_t wsfj_until)
{
    int wsfj_flag = 0, wsfj_code;

    if (wsfj_until == WS_FOREVER)
        return ws_mpi_wait(wsfj_request, wsfj_status);
    do
        wsfj_code = MPI_Test(wsfj_request, &wsfj_flag, wsfj_status);
    while (wsfj_code == MPI_SUCCESS && !wsfj_flag && ws_now() < wsfj_until);
    return wsfj_code != MPI_SUCCESS || wsfj_flag ? wsfj_mpi_class(wsfj_code) : ETIMEDOUT;
}
static inline int ws_mpi_waitall_until(int wsfj_n, MPI_Request *wsfj_requests, MPI_Status *wsfj_statuses,
                                       uint64_t wsfj_until)
{
    int wsfj_flag = 0, wsfj_code;

    if (wsfj_until == WS_FOREVER)
        return ws_mpi_waitall(wsfj_n, wsfj_requests, wsfj_statuses);
    do
        wsfj_code = MPI_Testall(wsfj_n, wsfj_requests, &wsfj_flag, wsfj_statuses);
    while (wsfj_code == MPI_SUCCESS && !wsfj_flag && ws_now() < wsfj_until);
    return wsfj_code != MPI_SUCCESS || wsfj_flag ? wsfj_mpi_class(wsfj_code) : ETIMEDOUT;
}
static inline int ws_mpi_waitany_until(int wsfj_n, MPI_Request *wsfj_requests, int *wsfj_index, MPI_Status *wsfj_status,
                                       uint64_t wsfj_until)
{
    int wsfj_flag = 0, wsfj_code;

    if (wsfj_until == WS_FOREVER)
        return ws_mpi_waitany(wsfj_n, wsfj_requests, wsfj_index, wsfj_status);
    do
        wsfj_code = MPI_Testany(wsfj_n, wsfj_requests, wsfj_index, &wsfj_flag, wsfj_status);
    while (wsfj_code == MPI_SUCCESS && !wsfj_flag && ws_now() < wsfj_until);
    return wsfj_code != MPI_SUCCESS || wsfj_flag ? wsfj_mpi_class(wsfj_code) : ETIMEDOUT;
}

static inline int ws_mpi_send(const void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, int wsfj_to, int wsfj_tag,
                              MPI_Comm wsfj_comm)
{
    return wsfj_mpi_class(MPI_Send(wsfj_data, wsfj_count, wsfj_type, wsfj_to, wsfj_tag, wsfj_comm));
}
static inline int ws_mpi_recv(void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, int wsfj_from, int wsfj_tag,
                              MPI_Comm wsfj_comm, MPI_Status *wsfj_status)
{
    return wsfj_mpi_class(MPI_Recv(wsfj_data, wsfj_count, wsfj_type, wsfj_from, wsfj_tag, wsfj_comm, wsfj_status));
}
static inline int ws_mpi_sendrecv(const void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, int wsfj_to,
                                  int wsfj_tag, void *wsfj_into, int wsfj_into_count, MPI_Datatype wsfj_into_type,
                                  int wsfj_from, int wsfj_from_tag, MPI_Comm wsfj_comm, MPI_Status *wsfj_status)
{
    return wsfj_mpi_class(MPI_Sendrecv(wsfj_data, wsfj_count, wsfj_type, wsfj_to, wsfj_tag, wsfj_into, wsfj_into_count,
                                       wsfj_into_type, wsfj_from, wsfj_from_tag, wsfj_comm, wsfj_status));
}
static inline int ws_mpi_probe(int wsfj_from, int wsfj_tag, MPI_Comm wsfj_comm, MPI_Status *wsfj_status)
{
    return wsfj_mpi_class(MPI_Probe(wsfj_from, wsfj_tag, wsfj_comm, wsfj_status));
}
static inline int ws_mpi_barrier(MPI_Comm wsfj_comm)
{
    return wsfj_mpi_class(MPI_Barrier(wsfj_comm));
}
static inline int ws_mpi_bcast(void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, int wsfj_root,
                               MPI_Comm wsfj_comm)
{
    return wsfj_mpi_class(MPI_Bcast(wsfj_data, wsfj_count, wsfj_type, wsfj_root, wsfj_comm));
}
static inline int ws_mpi_allreduce(const void *wsfj_data, void *wsfj_into, int wsfj_count, MPI_Datatype wsfj_type,
                                   MPI_Op wsfj_op, MPI_Comm wsfj_comm)
{
    return wsfj_mpi_class(MPI_Allreduce(wsfj_data, wsfj_into, wsfj_count, wsfj_type, wsfj_op, wsfj_comm));
}
static inline int ws_mpi_gather(const void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, void *wsfj_into,
                                int wsfj_into_count, MPI_Datatype wsfj_into_type, int wsfj_root, MPI_Comm wsfj_comm)
{
    return wsfj_mpi_class(
        MPI_Gather(wsfj_data, wsfj_count, wsfj_type, wsfj_into, wsfj_into_count, wsfj_into_type, wsfj_root, wsfj_comm));
}
static inline int ws_mpi_alltoall(const void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, void *wsfj_into,
                                  int wsfj_into_count, MPI_Datatype wsfj_into_type, MPI_Comm wsfj_comm)
{
    return wsfj_mpi_class(
        MPI_Alltoall(wsfj_data, wsfj_count, wsfj_type, wsfj_into, wsfj_into_count, wsfj_into_type, wsfj_comm));
}
static inline int ws_mpi_call(void (*wsfj_fn)(void *), void *wsfj_arg)
{
    wsfj_fn(wsfj_arg);
    return 0;
}
static inline int ws_mpi_run(void (*wsfj_fn)(void *), void *wsfj_arg)
{
    wsfj_fn(wsfj_arg);
    return 0;
}

#endif
