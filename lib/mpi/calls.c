/* SPDX-License-Identifier: MIT */
/* The functions that make a request and wait for it, and ws_mpi_call(). */
#include "mpi/trace.h"
#include "mpi/wait.h"

#include <errno.h>
#include <time.h>

/* What a function of MPI is called with that makes a request. */
struct arguments {
    int (*begin)(void *, MPI_Request *);
    const char *what, *preposition; /* record.h */
    const void *data;
    void *into;
    int count, into_count;
    MPI_Datatype type, into_type;
    int to, from, tag, from_tag, root;
    int peer, peer_tag; /* for dumps */
    MPI_Op op;
    MPI_Comm comm;
};

static int wait_for_own(const char *name, struct arguments *a, MPI_Request *requests, int n, MPI_Status *statuses,
                        bool lasting)
{
    return wsfj_mpi_wait(&(struct wsfj_mpi_wait){.name = name,
                                                 .kind = WSFJ_MPI_ALL,
                                                 .lasting = lasting,
                                                 .n = n,
                                                 .requests = requests,
                                                 .statuses = wsfj_mpi_status(statuses),
                                                 .begin = a->begin,
                                                 .arg = a,
                                                 .what = a->what,
                                                 .preposition = a->preposition,
                                                 .from = a->peer,
                                                 .tag = a->peer_tag},
                         WS_FOREVER);
}

/* The same with one request, which cannot be cancelled. */
static int last(const char *name, struct arguments a)
{
    MPI_Request request = MPI_REQUEST_NULL;

    return wait_for_own(name, &a, &request, 1, NULL, true);
}

static int begin_send(void *arg, MPI_Request *request)
{
    struct arguments *a = arg;

    return MPI_Isend(a->data, a->count, a->type, a->to, a->tag, a->comm, request);
}

WSFJ_MPI_EXPORT int ws_mpi_send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    wsfj_mpi_note_send(to, tag, comm);
    return last(__func__, (struct arguments){.begin = begin_send,
                                             .what = "MPI_Isend",
                                             .preposition = " to",
                                             .peer = to,
                                             .peer_tag = tag,
                                             .data = data,
                                             .count = count,
                                             .type = type,
                                             .to = to,
                                             .tag = tag,
                                             .comm = comm});
}

static int begin_receive(void *arg, MPI_Request *request)
{
    struct arguments *a = arg;

    return MPI_Irecv(a->into, a->into_count, a->into_type, a->from, a->from_tag, a->comm, request);
}

int wsfj_mpi_call_always(void (*fn)(void *), void *arg)
{
    return wsfj_mpi_wait(
        &(struct wsfj_mpi_wait){.name = "ws_mpi_call", .kind = WSFJ_MPI_CALL, .lasting = true, .call = fn, .arg = arg},
        WS_FOREVER);
}

/* A receive that was given up. */
struct back {
    MPI_Request *request;
    MPI_Status status;
    int code, cancelled;
};

/* MPI_Cancel() makes it complete soon: as cancelled, or because its message has come all the same. */
static void take_back(void *arg)
{
    struct back *b = arg;

    MPI_Cancel(b->request);
    b->code = MPI_Wait(b->request, &b->status);
    if (b->code == MPI_SUCCESS)
        MPI_Test_cancelled(&b->status, &b->cancelled);
}

WSFJ_MPI_EXPORT int ws_mpi_recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                                MPI_Status *status)
{
    struct arguments a = {.begin = begin_receive,
                          .what = "MPI_Irecv",
                          .preposition = " from",
                          .peer = from,
                          .peer_tag = tag,
                          .into = data,
                          .into_count = count,
                          .into_type = type,
                          .from = from,
                          .from_tag = tag,
                          .comm = comm};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status own, *filled = wsfj_mpi_traces && !wsfj_mpi_status(status) ? &own : status;
    int error = wait_for_own(__func__, &a, &request, 1, filled, false);

    struct back back = {.request = &request};

    if (!error)
        wsfj_mpi_note_receive(from, filled, comm);
    if (!error || request == MPI_REQUEST_NULL)
        return error;
    /* MPI has the buffer until then. EDEADLK: the thread that may call MPI comes back to ws_mpi_run() some time. */
    do
        while (!wsfj_mpi_may_call())
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    while (wsfj_mpi_call_always(take_back, &back) == EDEADLK);
    if (back.cancelled)
        return error;
    if (wsfj_mpi_status(status))
        *status = back.status;
    if (back.code == MPI_SUCCESS)
        wsfj_mpi_note_receive(from, &back.status, comm);
    return wsfj_mpi_error(back.code);
}

/* The receive first, so that the message finds it. */
static int begin_both(void *arg, MPI_Request *requests)
{
    int code = begin_receive(arg, &requests[0]);

    if (code != MPI_SUCCESS)
        return code;
    code = begin_send(arg, &requests[1]);
    if (code != MPI_SUCCESS) {
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    return code;
}

WSFJ_MPI_EXPORT int ws_mpi_sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *into,
                                    int into_count, MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm,
                                    MPI_Status *status)
{
    struct arguments a = {.begin = begin_both,
                          .what = "MPI_Irecv",
                          .preposition = " from",
                          .peer = from,
                          .peer_tag = from_tag,
                          .data = data,
                          .count = count,
                          .type = type,
                          .to = to,
                          .tag = tag,
                          .into = into,
                          .into_count = into_count,
                          .into_type = into_type,
                          .from = from,
                          .from_tag = from_tag,
                          .comm = comm};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    int error;

    wsfj_mpi_note_send(to, tag, comm);
    error = wait_for_own(__func__, &a, requests, 2, statuses, true);
    if (!error)
        wsfj_mpi_note_receive(from, &statuses[0], comm);
    if (!error && wsfj_mpi_status(status))
        *status = statuses[0];
    if (error == -MPI_ERR_IN_STATUS)
        error = wsfj_mpi_error(statuses[statuses[0].MPI_ERROR == MPI_SUCCESS].MPI_ERROR);
    return error;
}

WSFJ_MPI_EXPORT int ws_mpi_probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    return wsfj_mpi_wait(&(struct wsfj_mpi_wait){.name = __func__,
                                                 .kind = WSFJ_MPI_PROBE,
                                                 .what = "MPI_Iprobe",
                                                 .preposition = " from",
                                                 .from = from,
                                                 .tag = tag,
                                                 .comm = comm,
                                                 .statuses = wsfj_mpi_status(status)},
                         WS_FOREVER);
}

static int begin_barrier(void *arg, MPI_Request *request)
{
    return MPI_Ibarrier(((struct arguments *)arg)->comm, request);
}

WSFJ_MPI_EXPORT int ws_mpi_barrier(MPI_Comm comm)
{
    return last(__func__, (struct arguments){.begin = begin_barrier, .what = "MPI_Ibarrier", .comm = comm});
}

static int begin_bcast(void *arg, MPI_Request *request)
{
    struct arguments *a = arg;

    return MPI_Ibcast(a->into, a->count, a->type, a->root, a->comm, request);
}

WSFJ_MPI_EXPORT int ws_mpi_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return last(__func__, (struct arguments){.begin = begin_bcast,
                                             .what = "MPI_Ibcast",
                                             .into = data,
                                             .count = count,
                                             .type = type,
                                             .root = root,
                                             .comm = comm});
}

static int begin_allreduce(void *arg, MPI_Request *request)
{
    struct arguments *a = arg;

    return MPI_Iallreduce(a->data, a->into, a->count, a->type, a->op, a->comm, request);
}

WSFJ_MPI_EXPORT int ws_mpi_allreduce(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op,
                                     MPI_Comm comm)
{
    return last(__func__, (struct arguments){.begin = begin_allreduce,
                                             .what = "MPI_Iallreduce",
                                             .data = data,
                                             .into = into,
                                             .count = count,
                                             .type = type,
                                             .op = op,
                                             .comm = comm});
}

static int begin_gather(void *arg, MPI_Request *request)
{
    struct arguments *a = arg;

    return MPI_Igather(a->data, a->count, a->type, a->into, a->into_count, a->into_type, a->root, a->comm, request);
}

WSFJ_MPI_EXPORT int ws_mpi_gather(const void *data, int count, MPI_Datatype type, void *into, int into_count,
                                  MPI_Datatype into_type, int root, MPI_Comm comm)
{
    return last(__func__, (struct arguments){.begin = begin_gather,
                                             .what = "MPI_Igather",
                                             .data = data,
                                             .count = count,
                                             .type = type,
                                             .into = into,
                                             .into_count = into_count,
                                             .into_type = into_type,
                                             .root = root,
                                             .comm = comm});
}

static int begin_alltoall(void *arg, MPI_Request *request)
{
    struct arguments *a = arg;

    return MPI_Ialltoall(a->data, a->count, a->type, a->into, a->into_count, a->into_type, a->comm, request);
}

WSFJ_MPI_EXPORT int ws_mpi_alltoall(const void *data, int count, MPI_Datatype type, void *into, int into_count,
                                    MPI_Datatype into_type, MPI_Comm comm)
{
    return last(__func__, (struct arguments){.begin = begin_alltoall,
                                             .what = "MPI_Ialltoall",
                                             .data = data,
                                             .count = count,
                                             .type = type,
                                             .into = into,
                                             .into_count = into_count,
                                             .into_type = into_type,
                                             .comm = comm});
}

WSFJ_MPI_EXPORT int ws_mpi_call(void (*fn)(void *), void *arg)
{
    return wsfj_mpi_wait(
        &(struct wsfj_mpi_wait){
            .name = __func__, .kind = WSFJ_MPI_CALL, .what = "a call of MPI by another thread", .call = fn, .arg = arg},
        WS_FOREVER);
}
