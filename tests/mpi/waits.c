/* SPDX-License-Identifier: MIT */
/*
 * waits: tasks wait for MPI, on any number of ranks, and whatever the thread level. Each case is a task of each rank. MPI
 * itself is called by ws_mpi_call() only.
 */
#include "ranks.h"

#include <pthread.h>

static pthread_t main_thread;
static int funneled;

static int next_rank(void)
{
    return (rank + 1) % ranks;
}

static int last_rank(void)
{
    return (rank + ranks - 1) % ranks;
}

/* MPI_Isend and MPI_Irecv of ints. */
struct message {
    int *data, count, peer, tag;
    MPI_Request *request;
};

static void begin_send(void *arg)
{
    struct message *m = arg;

    CHECK(!funneled || pthread_equal(pthread_self(), main_thread));
    MPI_Isend(m->data, m->count, MPI_INT, m->peer, m->tag, MPI_COMM_WORLD, m->request);
}

static void begin_receive(void *arg)
{
    struct message *m = arg;

    MPI_Irecv(m->data, m->count, MPI_INT, m->peer, m->tag, MPI_COMM_WORLD, m->request);
}

static void isend(int *data, int count, int to, int tag, MPI_Request *request)
{
    CHECK_IS(ws_mpi_call(begin_send, &(struct message){data, count, to, tag, request}), 0);
}

static void irecv(int *data, int count, int from, int tag, MPI_Request *request)
{
    CHECK_IS(ws_mpi_call(begin_receive, &(struct message){data, count, from, tag, request}), 0);
}

/* Catches: messages that mix; a status that is not the message's. */
static WS_TASK_VOID(send_one, int, tag)
{
    int value = 1000 * rank + tag;

    CHECK_IS(ws_mpi_send(&value, 1, MPI_INT, next_rank(), tag, MPI_COMM_WORLD), 0);
}

static WS_TASK_VOID(receive_one, int, tag)
{
    MPI_Status status;
    int value = -1;

    CHECK_IS(ws_mpi_recv(&value, 1, MPI_INT, last_rank(), tag, MPI_COMM_WORLD, &status), 0);
    CHECK_IS(value, 1000 * last_rank() + tag);
    CHECK_IS(status.MPI_SOURCE, last_rank());
    CHECK_IS(status.MPI_TAG, tag);
}

static WS_TASK_VOID(ring)
{
    for (int tag = 0; tag < 100; tag++) {
        ws_spawn(receive_one, 99 - tag);
        ws_spawn(send_one, tag);
    }
    ws_sync();
}

static WS_TASK_VOID(both_ways)
{
    for (int i = 0; i < 20; i++) {
        int mine = rank * 100 + i, its = -1;
        MPI_Status status;

        CHECK_IS(ws_mpi_sendrecv(&mine, 1, MPI_INT, next_rank(), 5, &its, 1, MPI_INT, last_rank(), 5, MPI_COMM_WORLD,
                                 &status),
                 0);
        CHECK_IS(its, last_rank() * 100 + i);
        CHECK_IS(status.MPI_SOURCE, last_rank());
    }
    CHECK_IS(ws_mpi_sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 5, NULL, 0, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE),
             0);
}

static WS_TASK_VOID(collectives)
{
    int value = rank == ranks - 1 ? 42 : 0, sum = 0, mine = rank + 1, all[64] = {0}, out[64], in[64] = {0};

    CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_bcast(&value, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD), 0);
    CHECK_IS(value, 42);
    CHECK_IS(ws_mpi_allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 0);
    CHECK_IS(sum, ranks * (ranks + 1) / 2);
    CHECK_IS(ws_mpi_gather(&mine, 1, MPI_INT, all, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD), 0);
    for (int i = 0; i < ranks; i++) {
        CHECK_IS(all[i], rank == ranks - 1 ? i + 1 : 0);
        out[i] = 10 * rank + i;
    }
    CHECK_IS(ws_mpi_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), 0);
    for (int i = 0; i < ranks; i++)
        CHECK_IS(in[i], 10 * i + rank);
}

/* Two ints are one of another type. */
static void make_pair(void *type)
{
    MPI_Type_contiguous(2, MPI_INT, type);
    MPI_Type_commit(type);
}

static void free_pair(void *type)
{
    MPI_Type_free(type);
}

/* Catches: the count or the type of one side where the other one's belongs. */
static WS_TASK_VOID(pairs)
{
    int out[64], in[64], mine[2] = {rank, -rank};
    MPI_Datatype pair;

    CHECK_IS(ws_mpi_call(make_pair, &pair), 0);
    for (int i = 0; i < 2 * ranks; i++)
        out[i] = 100 * rank + i;
    CHECK_IS(ws_mpi_alltoall(out, 1, pair, in, 2, MPI_INT, MPI_COMM_WORLD), 0);
    for (int i = 0; i < 2 * ranks; i++)
        CHECK_IS(in[i], 100 * (i / 2) + 2 * rank + i % 2);
    CHECK_IS(ws_mpi_alltoall(out, 2, MPI_INT, in, 1, pair, MPI_COMM_WORLD), 0);
    for (int i = 0; i < 2 * ranks; i++)
        CHECK_IS(in[i], 100 * (i / 2) + 2 * rank + i % 2);
    CHECK_IS(ws_mpi_gather(mine, 1, pair, in, 2, MPI_INT, 0, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_gather(mine, 2, MPI_INT, in, 1, pair, 0, MPI_COMM_WORLD), 0);
    for (int i = 0; i < ranks && rank == 0; i++)
        CHECK(in[2 * i] == i && in[2 * i + 1] == -i);
    CHECK_IS(ws_mpi_sendrecv(mine, 1, pair, next_rank(), 6, in, 2, MPI_INT, last_rank(), 6, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE),
             0);
    CHECK(in[0] == last_rank() && in[1] == -last_rank());
    CHECK_IS(ws_mpi_call(free_pair, &pair), 0);
}

/* More requests than are asked about at once; null ones among them; statuses in their places. */
static WS_TASK_VOID(all_of_many)
{
    enum { N = 150 };
    MPI_Request requests[2 * N + 1];
    MPI_Status statuses[2 * N + 1];
    int out[N], in[N];

    requests[2 * N] = MPI_REQUEST_NULL;
    for (int i = 0; i < N; i++) {
        out[i] = rank + 7 * i;
        in[i] = -1;
        irecv(&in[i], 1, last_rank(), i, &requests[2 * i]);
    }
    for (int i = N - 1; i >= 0; i--)
        isend(&out[i], 1, next_rank(), i, &requests[2 * i + 1]);
    CHECK_IS(ws_mpi_waitall(2 * N + 1, requests, statuses), 0);
    for (int i = 0; i < N; i++) {
        CHECK_IS(in[i], last_rank() + 7 * i);
        CHECK_IS(statuses[2 * i].MPI_TAG, i);
        CHECK(requests[2 * i] == MPI_REQUEST_NULL && requests[2 * i + 1] == MPI_REQUEST_NULL);
    }
    CHECK_IS(ws_mpi_waitall(0, NULL, MPI_STATUSES_IGNORE), 0);
    CHECK_IS(ws_mpi_wait(&requests[0], MPI_STATUS_IGNORE), 0);
}

/* A detached task: a child would stay with its parent while that waits. */
struct later {
    int tag, value;
    ws_scope *scope; /* which it cancels then */
};
static ws_group others = WS_GROUP_INIT;

static void run_later(void *arg)
{
    struct later *l = arg;

    CHECK_IS(ws_sleep_until(ws_now() + 5 * MS), 0);
    if (l->scope)
        ws_scope_cancel(l->scope, 9);
    else
        CHECK_IS(ws_mpi_send(&l->value, 1, MPI_INT, rank, l->tag, MPI_COMM_WORLD), 0);
    free(l);
}

static void later(struct later what)
{
    struct later *l = malloc(sizeof *l);

    CHECK(l);
    *l = what;
    CHECK_IS(ws_group_submit(&others, run_later, l), 0);
}

/* Each request comes once, and none is lost if several complete together. */
static WS_TASK_VOID(any_of_many)
{
    enum { N = 9 };
    MPI_Request requests[N];
    int in[N], seen[N] = {0}, index;
    MPI_Status status;

    for (int i = 0; i < N; i++)
        irecv(&in[i], 1, rank, 100 + i, &requests[i]);
    for (int i = 0; i < N; i++)
        later((struct later){100 + i, 50 + i, NULL});
    for (int i = 0; i < N; i++) {
        CHECK_IS(ws_mpi_waitany(N, requests, &index, &status), 0);
        CHECK(index >= 0 && index < N && !seen[index]++);
        CHECK_IS(status.MPI_TAG, 100 + index);
        CHECK_IS(in[index], 50 + index);
        CHECK(requests[index] == MPI_REQUEST_NULL);
    }
    CHECK_IS(ws_mpi_waitany(N, requests, &index, &status), 0);
    CHECK_IS(index, MPI_UNDEFINED);
    CHECK_IS(ws_group_wait(&others), 0);
}

/* Each small number of requests, whose last one comes last. Catches: notes about them that lie beside their room, where the next
 * call finds what the last one has left. */
static WS_TASK_VOID(all_of_few)
{
    enum { MOST = 9 };
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int in[MOST], out[MOST], n;

    for (n = 1; n <= MOST; n++) {
        for (int i = 0; i < n; i++) {
            in[i] = -1;
            out[i] = 10 * n + i;
            irecv(&in[i], 1, rank, i, &requests[i]);
        }
        for (int i = 0; i < n - 1; i++)
            CHECK_IS(ws_mpi_send(&out[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD), 0);
        later((struct later){n - 1, out[n - 1], NULL});
        CHECK_IS(ws_mpi_waitall(n, requests, statuses), 0);
        for (int i = 0; i < n; i++) {
            CHECK_IS(in[i], out[i]);
            CHECK_IS(statuses[i].MPI_TAG, i);
            CHECK(requests[i] == MPI_REQUEST_NULL);
        }
    }
    CHECK_IS(ws_group_wait(&others), 0);
}

/* Requests that have not completed stay the caller's. */
static WS_TASK_VOID(deadlines)
{
    MPI_Request requests[2], one;
    int in[2] = {-1, -1}, value = 5, index = 77;
    uint64_t began = ws_now();

    irecv(&in[0], 1, rank, 20, &requests[0]);
    irecv(&in[1], 1, rank, 21, &requests[1]);
    CHECK_IS(ws_mpi_wait_until(&requests[0], MPI_STATUS_IGNORE, ws_now() + 5 * MS), ETIMEDOUT);
    CHECK(ws_now() - began >= 5 * MS);
    CHECK_IS(ws_mpi_wait_until(&requests[0], MPI_STATUS_IGNORE, 0), ETIMEDOUT);
    CHECK_IS(ws_mpi_waitany_until(2, requests, &index, MPI_STATUS_IGNORE, ws_now() + 5 * MS), ETIMEDOUT);
    CHECK_IS(index, MPI_UNDEFINED);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    CHECK_IS(ws_mpi_send(&value, 1, MPI_INT, rank, 21, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_waitall_until(2, requests, MPI_STATUSES_IGNORE, ws_now() + 20 * MS), ETIMEDOUT);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    CHECK_IS(in[1], 5);
    isend(&value, 1, rank, 20, &one);
    CHECK_IS(ws_mpi_waitall_until(2, requests, MPI_STATUSES_IGNORE, ws_now() + 10000 * MS), 0);
    CHECK_IS(in[0], 5);
    CHECK_IS(ws_mpi_wait(&one, MPI_STATUS_IGNORE), 0);
}

static WS_TASK_VOID(give_up, MPI_Request *, request, int *, value)
{
    MPI_Status status;
    int index;

    CHECK_IS(ws_mpi_recv(value, 1, MPI_INT, rank, 30, MPI_COMM_WORLD, &status), ECANCELED);
    CHECK_IS(ws_mpi_wait(request, &status), ECANCELED);
    CHECK_IS(ws_mpi_waitany(1, request, &index, &status), ECANCELED);
    CHECK_IS(ws_mpi_probe(rank, 32, MPI_COMM_WORLD, &status), ECANCELED);
    CHECK_IS(ws_mpi_send(value, 1, MPI_INT, rank, 33, MPI_COMM_WORLD), 0); /* cannot be cancelled */
}

/* A cancelled wait loses neither the request nor a message. */
static WS_TASK_VOID(cancellation)
{
    MPI_Request request, sent;
    ws_scope scope;
    int value = 1, in = -1, late = -1;

    irecv(&in, 1, rank, 31, &request);
    irecv(&late, 1, rank, 33, &sent); /* MPI need not keep a message to oneself */
    ws_scope_begin(&scope);
    later((struct later){0, 0, &scope});
    ws_call(give_up, &request, &value);
    CHECK_IS(ws_scope_end(&scope), 9);
    CHECK_IS(ws_group_wait(&others), 0);
    value = 30;
    CHECK_IS(
        ws_mpi_sendrecv(&value, 1, MPI_INT, rank, 30, &in, 1, MPI_INT, rank, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    CHECK_IS(in, 30);
    value = 31;
    CHECK_IS(ws_mpi_send(&value, 1, MPI_INT, rank, 31, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_wait(&request, MPI_STATUS_IGNORE), 0);
    CHECK_IS(in, 31);
    CHECK_IS(ws_mpi_wait(&sent, MPI_STATUS_IGNORE), 0);
    CHECK_IS(late, 1);
}

static WS_TASK_VOID(probing)
{
    MPI_Status status;
    int in = -1;

    later((struct later){40, 4, NULL});
    CHECK_IS(ws_mpi_probe(MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &status), 0);
    CHECK_IS(status.MPI_SOURCE, rank);
    CHECK_IS(ws_mpi_recv(&in, 1, MPI_INT, status.MPI_SOURCE, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    CHECK_IS(in, 4);
    CHECK_IS(ws_group_wait(&others), 0);
}

static void begin_persistent(void *arg)
{
    struct message *m = arg;

    MPI_Recv_init(m->data, m->count, MPI_INT, m->peer, m->tag, MPI_COMM_WORLD, m->request);
    MPI_Start(m->request);
}

static void free_request(void *arg)
{
    MPI_Request_free(arg);
}

/* A persistent request stays, and is inactive afterwards: nobody waits for it then. */
static WS_TASK_VOID(persistent)
{
    MPI_Request requests[2];
    int in = -1, index;

    CHECK_IS(ws_mpi_call(begin_persistent, &(struct message){&in, 1, rank, 50, &requests[0]}), 0);
    requests[1] = MPI_REQUEST_NULL;
    later((struct later){50, 3, NULL});
    CHECK_IS(ws_mpi_waitall(2, requests, MPI_STATUSES_IGNORE), 0);
    CHECK_IS(in, 3);
    CHECK(requests[0] != MPI_REQUEST_NULL);
    CHECK_IS(ws_mpi_wait(&requests[0], MPI_STATUS_IGNORE), 0);
    CHECK_IS(ws_mpi_waitany(2, requests, &index, MPI_STATUS_IGNORE), 0);
    CHECK_IS(index, MPI_UNDEFINED);
    CHECK_IS(ws_group_wait(&others), 0);
    CHECK_IS(ws_mpi_call(free_request, &requests[0]), 0);
}

static void return_errors(void *unused)
{
    (void)unused;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

/* Catches: an error that is taken for success, or for a number of errno.h; a request that is left behind. */
static WS_TASK_VOID(errors)
{
    int value[4] = {1, 2, 3, 4}, in = 0, out = 0, error;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    char words[200];

    CHECK_IS(ws_mpi_call(return_errors, NULL), 0);
    CHECK_IS(ws_mpi_send(value, 1, MPI_INT, ranks + 7, 0, MPI_COMM_WORLD), -MPI_ERR_RANK);
    CHECK(strlen(ws_mpi_strerror(-MPI_ERR_RANK)) > 5);
    snprintf(words, sizeof words, "%s", ws_mpi_strerror(-MPI_ERR_RANK));
    CHECK(strcmp(words, ws_mpi_strerror(-MPI_ERR_TAG)) != 0);
    CHECK(strcmp(ws_mpi_strerror(EBUSY), ws_strerror(EBUSY)) == 0);
    CHECK(strstr(ws_mpi_strerror(ENOTSUP), "MPI_THREAD_SINGLE") && strstr(ws_mpi_strerror(ECHILD), "fork"));
    CHECK_IS(
        ws_mpi_sendrecv(value, 1, MPI_INT, ranks + 7, 60, &in, 1, MPI_INT, rank, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        -MPI_ERR_RANK);
    /* The receive of the last line is gone, and takes no message of another one. */
    irecv(&out, 1, rank, 60, &requests[0]);
    CHECK_IS(ws_mpi_send(&value[2], 1, MPI_INT, rank, 60, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_wait_until(&requests[0], MPI_STATUS_IGNORE, ws_now() + 20000 * MS), 0);
    CHECK_IS(out, 3);
    /* This message is longer than its buffer. */
    later((struct later){61, 1, NULL});
    isend(value, 4, rank, 62, &requests[0]);
    CHECK_IS(ws_mpi_recv(&in, 1, MPI_INT, rank, 62, MPI_COMM_WORLD, MPI_STATUS_IGNORE), -MPI_ERR_TRUNCATE);
    (void)ws_mpi_wait(&requests[0], MPI_STATUS_IGNORE); /* MPICH: an error of the sender, too */
    CHECK_IS(ws_mpi_recv(&in, 1, MPI_INT, rank, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    CHECK_IS(ws_group_wait(&others), 0);
    /* Of two receives one fails; the other one's message comes later, so both were suspended. Open MPI 4.1 says nothing of a
     * message that is too long for a receive that was there before. */
    irecv(&in, 1, rank, 63, &requests[0]);
    irecv(&out, 1, rank, 64, &requests[1]);
    CHECK_IS(ws_mpi_send(value, 4, MPI_INT, rank, 63, MPI_COMM_WORLD), 0);
    later((struct later){64, 6, NULL});
    error = ws_mpi_waitall(2, requests, statuses);
#ifdef OMPI_MAJOR_VERSION
    CHECK(error == 0 || error == -MPI_ERR_IN_STATUS);
#else
    CHECK_IS(error, -MPI_ERR_IN_STATUS);
    MPI_Error_class(statuses[0].MPI_ERROR, &error);
    CHECK_IS(error, MPI_ERR_TRUNCATE);
#endif
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    CHECK_IS(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_IS(out, 6);
    CHECK_IS(ws_group_wait(&others), 0);
}

/* Tasks that wait hold no worker: there are fewer workers than tasks, and the last one ends the waits of all. */
static void wait_in_row(void *arg)
{
    int i = (int)(intptr_t)arg, in = -1;

    CHECK_IS(ws_mpi_recv(&in, 1, MPI_INT, rank, 200 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    CHECK_IS(in, i);
    in++;
    CHECK_IS(ws_mpi_send(&in, 1, MPI_INT, rank, 201 + i, MPI_COMM_WORLD), 0);
}

static WS_TASK_VOID(no_worker_is_held)
{
    int in = 0, last = -1;
    MPI_Request request;

    irecv(&last, 1, rank, 260, &request);
    for (int i = 0; i < 60; i++)
        CHECK_IS(ws_group_submit(&others, wait_in_row, (void *)(intptr_t)(59 - i)), 0);
    CHECK_IS(ws_sleep_until(ws_now() + 5 * MS), 0);
    CHECK_IS(ws_mpi_send(&in, 1, MPI_INT, rank, 200, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_group_wait(&others), 0);
    CHECK_IS(ws_mpi_wait(&request, MPI_STATUS_IGNORE), 0);
    CHECK_IS(last, 60);
}

/* Requests that stay open do not stand before others: more of them than are asked about at once. */
enum { OPEN = 70 };

static void wait_for_open(void *requests)
{
    CHECK_IS(ws_mpi_waitall(OPEN, requests, MPI_STATUSES_IGNORE), 0);
}

static WS_TASK_VOID(open_requests)
{
    int in[OPEN], out[OPEN] = {0}, one = -1;
    MPI_Request requests[OPEN], sent[OPEN], request;
    uint64_t until = ws_now() + 20000 * MS;

    for (int i = 0; i < OPEN; i++)
        irecv(&in[i], 1, rank, 300 + i, &requests[i]);
    CHECK_IS(ws_group_submit(&others, wait_for_open, requests), 0);
    CHECK_IS(ws_sleep_until(ws_now() + 5 * MS), 0);
    irecv(&one, 1, rank, 299, &request);
    later((struct later){299, 2, NULL});
    CHECK_IS(ws_mpi_wait_until(&request, MPI_STATUS_IGNORE, until), 0); /* at its end it asks once more */
    CHECK(ws_now() < until);
    CHECK_IS(one, 2);
    for (int i = 0; i < OPEN; i++)
        isend(&out[i], 1, rank, 300 + i, &sent[i]);
    CHECK_IS(ws_mpi_waitall(OPEN, sent, MPI_STATUSES_IGNORE), 0);
    CHECK_IS(ws_group_wait(&others), 0);
}

/* A function that is called where MPI may be called waits for another task, which needs the same thread. */
static void wait_in_call(void *value)
{
    CHECK_IS(ws_mpi_recv(value, 1, MPI_INT, rank, 290, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
}

static WS_TASK_VOID(call_that_waits)
{
    int value = -1;

    later((struct later){290, 6, NULL});
    CHECK_IS(ws_mpi_call(wait_in_call, &value), 0);
    CHECK_IS(value, 6);
    CHECK_IS(ws_group_wait(&others), 0);
}

/* The program itself completes a request for which a task waits: a persistent one, which is inactive then. MPI allows that only
 * where one thread calls it. */
static void take_back(void *request)
{
    MPI_Cancel(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void wait_for_one(void *request)
{
    CHECK_IS(ws_mpi_wait_until(request, MPI_STATUS_IGNORE, ws_now() + 20000 * MS), 0);
}

static WS_TASK_VOID(completed_elsewhere)
{
    MPI_Request request;
    int in = -1;

    CHECK_IS(ws_mpi_call(begin_persistent, &(struct message){&in, 1, rank, 51, &request}), 0);
    CHECK_IS(ws_group_submit(&others, wait_for_one, &request), 0);
    CHECK_IS(ws_sleep_until(ws_now() + 5 * MS), 0);
    CHECK_IS(ws_mpi_call(take_back, &request), 0);
    CHECK_IS(ws_group_wait(&others), 0);
    CHECK_IS(ws_mpi_call(free_request, &request), 0);
}

/* 10^5 open requests, of tasks that wait for a thousand each. Messages come in the order in which their receives were posted,
 * because MPI looks for a message's receive from the oldest one on. */
enum { TASKS = 100, EACH = 1000, MANY = TASKS * EACH };

struct many {
    int *in, *out;
    MPI_Request *requests;
};

static void post_many(void *arg)
{
    struct many *m = arg;

    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&m->in[i], 1, MPI_INT, last_rank(), 90, MPI_COMM_WORLD, &m->requests[i]);
}

static void send_some(void *arg)
{
    int *first = arg;
    MPI_Request requests[EACH];

    for (int i = 0; i < EACH; i++)
        MPI_Isend(&first[i], 1, MPI_INT, next_rank(), 90, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(EACH, requests, MPI_STATUSES_IGNORE);
}

static void wait_for_some(void *requests)
{
    CHECK_IS(ws_mpi_waitall(EACH, requests, MPI_STATUSES_IGNORE), 0);
}

static WS_TASK_VOID(very_many)
{
    struct many m = {calloc(MANY, sizeof *m.in), calloc(MANY, sizeof *m.out), calloc(MANY, sizeof *m.requests)};

    CHECK(m.in && m.out && m.requests);
    CHECK_IS(ws_mpi_call(post_many, &m), 0);
    for (int i = 0; i < MANY; i++)
        m.out[i] = i;
    for (int i = 0; i < TASKS; i++)
        CHECK_IS(ws_group_submit(&others, wait_for_some, &m.requests[i * EACH]), 0);
    CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), 0); /* nobody sends before all have posted */
    for (int i = 0; i < TASKS; i++)
        CHECK_IS(ws_mpi_call(send_some, &m.out[i * EACH]), 0);
    CHECK_IS(ws_group_wait(&others), 0);
    for (int i = 0; i < MANY; i++)
        CHECK(m.in[i] == i && m.requests[i] == MPI_REQUEST_NULL);
    free(m.in);
    free(m.out);
    free(m.requests);
}

/* A thread that runs no task waits itself. */
static void *in_a_thread(void *unused)
{
    int in = -1, value = 8, both[2] = {-1, -1};
    MPI_Request request, two[2];

    (void)unused;
    irecv(&both[0], 1, rank, 73, &two[0]);
    irecv(&both[1], 1, rank, 74, &two[1]);
    CHECK_IS(ws_mpi_send(&value, 1, MPI_INT, rank, 74, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_waitall_until(2, two, MPI_STATUSES_IGNORE, ws_now() + 20 * MS), ETIMEDOUT);
    CHECK(two[0] != MPI_REQUEST_NULL && two[1] == MPI_REQUEST_NULL && both[1] == 8);
    CHECK_IS(ws_mpi_send(&value, 1, MPI_INT, rank, 73, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_waitall_until(2, two, MPI_STATUSES_IGNORE, ws_now() + 20000 * MS), 0);
    irecv(&in, 1, rank, 71, &request);
    CHECK_IS(ws_mpi_wait_until(&request, MPI_STATUS_IGNORE, ws_now() + 5 * MS), ETIMEDOUT);
    CHECK_IS(ws_mpi_send(&value, 1, MPI_INT, rank, 70, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_wait(&request, MPI_STATUS_IGNORE), 0);
    CHECK_IS(in, 9);
    return NULL;
}

static WS_TASK_VOID(threads)
{
    pthread_t thread;
    int in = -1, again = 5;

    CHECK_IS(pthread_create(&thread, NULL, in_a_thread, NULL), 0);
    CHECK_IS(ws_mpi_recv(&in, 1, MPI_INT, rank, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    in++;
    CHECK_IS(ws_mpi_send(&in, 1, MPI_INT, rank, 71, MPI_COMM_WORLD), 0);
    WS_BLOCKING
    {
        pthread_join(thread, NULL);
        MPI_Request request;

        irecv(&in, 1, rank, 72, &request);
        CHECK_IS(ws_mpi_send(&again, 1, MPI_INT, rank, 72, MPI_COMM_WORLD), 0);
        CHECK_IS(ws_mpi_wait(&request, MPI_STATUS_IGNORE), 0);
        CHECK_IS(in, 5);
    }
}

/* A large message goes on while the sender's only worker computes, and no task of the rank calls MPI. */
static int answered;

static void get_answer(void *unused)
{
    int in = -1;

    (void)unused;

    CHECK_IS(ws_mpi_recv(&in, 1, MPI_INT, next_rank(), 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    __atomic_store_n(&answered, 1, __ATOMIC_RELEASE);
}

static WS_TASK_VOID(busy_rank)
{
    enum { LARGE = 2 << 20 };
    int *data = calloc(2 * LARGE, sizeof *data), answer = 0;
    MPI_Request requests[2];
    uint64_t began = ws_now();

    CHECK(data);
    if (rank % 2 == 0) {
        isend(data, LARGE, next_rank(), 81, &requests[0]);
        CHECK_IS(ws_group_submit(&others, get_answer, NULL), 0);
        CHECK_IS(ws_sleep_until(ws_now() + 20 * MS), 0); /* it waits by now */
        /* The answer has come when its task has run, or waits for this worker. */
        while (!__atomic_load_n(&answered, __ATOMIC_ACQUIRE) && !ws_others_wait() && ws_now() - began < 20000 * MS)
            ;
        CHECK(ws_now() - began < 20000 * MS);
        CHECK_IS(ws_group_wait(&others), 0);
        CHECK_IS(ws_mpi_wait(&requests[0], MPI_STATUS_IGNORE), 0);
    } else {
        irecv(data + LARGE, LARGE, last_rank(), 81, &requests[1]);
        CHECK_IS(ws_mpi_wait(&requests[1], MPI_STATUS_IGNORE), 0);
        CHECK_IS(ws_mpi_send(&answer, 1, MPI_INT, last_rank(), 80, MPI_COMM_WORLD), 0);
    }
    free(data);
}

static void run_all(void *unused)
{
    (void)unused;
#define RUN(f)                                                                                                         \
    do {                                                                                                               \
        case_name = #f;                                                                                                \
        CHECK_IS(ws_run(f), 0);                                                                                        \
        CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), 0);                                                                   \
    } while (0)
    RUN(ring);
    RUN(both_ways);
    RUN(collectives);
    RUN(pairs);
    RUN(all_of_many);
    RUN(any_of_many);
    RUN(all_of_few);
    RUN(deadlines);
    RUN(cancellation);
    RUN(probing);
    RUN(persistent);
    RUN(errors);
    RUN(no_worker_is_held);
    RUN(open_requests);
    RUN(call_that_waits);
    if (funneled)
        RUN(completed_elsewhere);
    RUN(very_many);
    RUN(threads);
    if (ranks % 2 == 0)
        RUN(busy_rank);
    case_name = "end";
}

int main(int argc, char **argv)
{
    int level;

    CHECK_IS(ws_mpi_init(&argc, &argv), 0);
    CHECK_IS(ws_mpi_init(&argc, &argv), EALREADY);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Query_thread(&level);
    CHECK(level == MPI_THREAD_MULTIPLE); /* WSFJ_MPI_THREADS lowers what the library uses, not what there is */
    funneled = getenv("WSFJ_MPI_THREADS") && strcmp(getenv("WSFJ_MPI_THREADS"), "multiple") != 0;
    main_thread = pthread_self();
    CHECK_IS(ws_mpi_run(run_all, NULL), 0);
    CHECK_IS(ws_mpi_fini(), 0);
    CHECK_IS(ws_fini(), 0);
    if (rank == 0)
        puts("all cases");
    return 0;
}
