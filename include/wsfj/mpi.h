/* SPDX-License-Identifier: MIT */
/**
 * @file mpi.h
 * Tasks that wait for MPI: libwsfj-mpi, a library of its own (pkg-config libwsfj-mpi).
 *
 * A task that waits for a request is suspended, as for a child, and its worker does other work; it may resume on another
 * worker. Where MPI has no request, such as in ws_mpi_send(), the call makes one and waits for it. A thread that runs no
 * task, or is in a blocking section, waits itself. Nobody waits inside MPI: workers that search ask MPI about all open
 * requests, 64 at a time; while all workers are busy, the runtime asks once a millisecond, and so large messages go on.
 *
 * Each function returns 0, a number of errno.h, or minus the error class of MPI: ws_mpi_strerror() has the words. MPI returns
 * errors only for communicators with MPI_ERRORS_RETURN; else it ends the program. All functions return
 *
 * - EINVAL before ws_mpi_init() and after MPI_Finalize(), ECHILD in the child of a fork: MPI allows no call there;
 * - EDEADLK where a thread must not wait: in a poll source (outside.h), and in a destructor that runs as a thread of the
 *   runtime ends; and if the calls belong to one thread (see below) and that one is not in ws_mpi_run();
 *
 * each after a line on stderr that names the function, the first time; and ENOMEM.
 *
 * ws_mpi_wait() and its kin return ECANCELED if a scope or the group of the caller (scope.h) is cancelled before or meanwhile,
 * and ETIMEDOUT if the deadline comes first. Then the requests that have not completed stay the caller's, as they are.
 * ws_mpi_recv() and ws_mpi_probe() return ECANCELED, too; no message is lost. The other functions cannot be cancelled,
 * because MPI cannot take back what they have begun: they return when it is done.
 *
 * Threads. With MPI_THREAD_MULTIPLE any task or thread calls MPI, also directly. With MPI_THREAD_SERIALIZED or
 * MPI_THREAD_FUNNELED only the thread that has called ws_mpi_init() does: it calls ws_mpi_run(), which makes the calls of all
 * others until the program's work is done, and what is not here is called by ws_mpi_call(). MPI_THREAD_SINGLE is refused.
 *
 * With -DWSFJ_SERIAL, -DWSFJ_PROFILE and -DWSFJ_RACE all functions are MPI's own, in the calling thread, and need neither library (inline/serial_mpi.h).
 */
#ifndef WSFJ_MPI_H
#define WSFJ_MPI_H

#include "outside.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined WSFJ_SERIAL || defined WSFJ_PROFILE || defined WSFJ_RACE
#include "inline/serial_mpi.h"
#else

/**
 * Starts MPI, unless the program has, and the runtime, unless it runs. All ranks of MPI_COMM_WORLD call it, each from the thread
 * that has called MPI_Init() or that shall count as such.
 *
 * It asks for MPI_THREAD_MULTIPLE. If MPI runs, the level that is there counts. WSFJ_MPI_THREADS=funneled (or serialized) takes
 * less than there is, to test. The workers have the CPUs that the launcher has given to the rank. If ranks on a node share CPUs,
 * a line says so, and no worker is bound unless WSFJ_BIND is set: `mpirun --map-by slot:PE=n` gives each rank n CPUs.
 * With WSFJ_TRACE=run.json rank 3 writes run.rank3.json, if it is this function that starts the runtime (doc/mpi.md).
 *
 * @param wsfj_argc main's, or NULL
 * @param wsfj_argv main's, or NULL
 * @return 0; EALREADY after an earlier call; ENOTSUP if the level is MPI_THREAD_SINGLE; EPERM in another thread than
 *         MPI_Init()'s; an error of ws_init() or of MPI. Not thread-safe.
 */
int ws_mpi_init(int *wsfj_argc, char ***wsfj_argv);

/**
 * Ends what ws_mpi_init() has begun. Calls MPI_Finalize() if that has called MPI_Init(); the runtime runs on. From the same
 * thread, outside tasks.
 *
 * @return 0; EBUSY (nothing changes) while somebody waits for MPI; an error of MPI
 */
int ws_mpi_fini(void);

/** The words for what a function of this header has returned. Thread-safe; a text of MPI is valid until the thread's next call. */
const char *ws_mpi_strerror(int wsfj_error);

/** MPI_Wait: waits until the request has completed. @return 0, or as above; what MPI returns for the request. Thread-safe. */
int ws_mpi_wait(MPI_Request *wsfj_request, MPI_Status *wsfj_status);
/** The same with a deadline, a time of ws_now(). @return also ETIMEDOUT. Thread-safe. */
int ws_mpi_wait_until(MPI_Request *wsfj_request, MPI_Status *wsfj_status, uint64_t wsfj_until);
/** MPI_Waitall. On an error, too, all have completed: their statuses tell which have failed. Thread-safe. */
int ws_mpi_waitall(int wsfj_n, MPI_Request *wsfj_requests, MPI_Status *wsfj_statuses);
/** The same with a deadline. @return also ETIMEDOUT: those that have completed by then are MPI_REQUEST_NULL. Thread-safe. */
int ws_mpi_waitall_until(int wsfj_n, MPI_Request *wsfj_requests, MPI_Status *wsfj_statuses, uint64_t wsfj_until);
/** MPI_Waitany: *index is that of a request that has completed, MPI_UNDEFINED if none is active. Thread-safe. */
int ws_mpi_waitany(int wsfj_n, MPI_Request *wsfj_requests, int *wsfj_index, MPI_Status *wsfj_status);
/** The same with a deadline. @return also ETIMEDOUT: then *index is MPI_UNDEFINED. Thread-safe. */
int ws_mpi_waitany_until(int wsfj_n, MPI_Request *wsfj_requests, int *wsfj_index, MPI_Status *wsfj_status,
                         uint64_t wsfj_until);

/** MPI_Send. Returns when the buffer may be used again. Thread-safe, as are all that follow. */
int ws_mpi_send(const void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, int wsfj_to, int wsfj_tag,
                MPI_Comm wsfj_comm);
/** MPI_Recv. */
int ws_mpi_recv(void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, int wsfj_from, int wsfj_tag,
                MPI_Comm wsfj_comm, MPI_Status *wsfj_status);
/** MPI_Sendrecv. */
int ws_mpi_sendrecv(const void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, int wsfj_to, int wsfj_tag,
                    void *wsfj_into, int wsfj_into_count, MPI_Datatype wsfj_into_type, int wsfj_from, int wsfj_from_tag,
                    MPI_Comm wsfj_comm, MPI_Status *wsfj_status);
/** MPI_Probe: waits for a message, and does not receive it. With tasks that receive beside it the message may be gone. */
int ws_mpi_probe(int wsfj_from, int wsfj_tag, MPI_Comm wsfj_comm, MPI_Status *wsfj_status);
/** MPI_Barrier. Of collective calls MPI allows one at a time on a communicator, in the same order on all ranks. */
int ws_mpi_barrier(MPI_Comm wsfj_comm);
/** MPI_Bcast. */
int ws_mpi_bcast(void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, int wsfj_root, MPI_Comm wsfj_comm);
/** MPI_Allreduce. */
int ws_mpi_allreduce(const void *wsfj_data, void *wsfj_into, int wsfj_count, MPI_Datatype wsfj_type, MPI_Op wsfj_op,
                     MPI_Comm wsfj_comm);
/** MPI_Gather. */
int ws_mpi_gather(const void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, void *wsfj_into, int wsfj_into_count,
                  MPI_Datatype wsfj_into_type, int wsfj_root, MPI_Comm wsfj_comm);
/** MPI_Alltoall. */
int ws_mpi_alltoall(const void *wsfj_data, int wsfj_count, MPI_Datatype wsfj_type, void *wsfj_into, int wsfj_into_count,
                    MPI_Datatype wsfj_into_type, MPI_Comm wsfj_comm);

/**
 * Runs fn(arg) where MPI may be called: here, or in ws_mpi_run() if the calls belong to one thread. For calls of MPI that do
 * not block, such as MPI_Isend(): all others wait meanwhile. Cannot be cancelled once it has begun.
 *
 * @return 0 when it is done; ECANCELED if it has not begun, and as above
 */
int ws_mpi_call(void (*wsfj_fn)(void *), void *wsfj_arg);

/**
 * Runs fn(arg) as a task and returns when it is done. Meanwhile the calling thread makes the calls of MPI for all others, if they
 * belong to it; while nobody waits for MPI it sleeps. It runs no tasks: so no long task delays a message.
 *
 * @return 0; EPERM in another thread than that of ws_mpi_init(), or in a task; EINVAL as above; an error of ws_submit()
 */
int ws_mpi_run(void (*wsfj_fn)(void *), void *wsfj_arg);
#endif

#ifdef __cplusplus
}
#endif

#endif
