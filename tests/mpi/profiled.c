/* SPDX-License-Identifier: MIT */
/*
 * profiled NAME: cases that MPI seldom or never makes by itself. The program replaces functions of MPI, as its profiling
 * interface allows, and pthread_create(). Prints "as expected" from each rank. Run by profiled.sh.
 */
#define _GNU_SOURCE 1
#include "ranks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <wsfj/mpi_bag.h>
#include <wsfj/mpi_loop.h>

static bool narrows, refuses_threads, has_started; /* MPI_Init_thread() has returned */

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (narrows)
        CHECK_IS(sched_setaffinity(0, sizeof one, &one), 0);
    has_started = true;
    return code;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return refuses_threads && has_started ? EAGAIN : real(thread, attributes, fn, arg);
}

/* A message that comes while its receive is taken back. */
static bool sends_before_cancel;

int MPI_Cancel(MPI_Request *request)
{
    static const int value = 17;

    if (sends_before_cancel)
        PMPI_Send(&value, 1, MPI_INT, rank, 8, MPI_COMM_WORLD);
    return PMPI_Cancel(request);
}

/* Once the `fails_at`th send has completed, MPI_Test() says that it has failed. */
static int fails_at, code_of_failure;
static MPI_Request failing = MPI_REQUEST_NULL;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int code = PMPI_Isend(data, count, type, to, tag, comm, request);

    if (fails_at && --fails_at == 0)
        failing = *request;
    return code;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    bool fails = failing != MPI_REQUEST_NULL && *request == failing;
    int code = PMPI_Test(request, flag, status);

    if (!fails || !*flag)
        return code;
    failing = MPI_REQUEST_NULL;
    return code_of_failure;
}

/* How many communicators there are; the `refused`th duplicate fails. */
static int communicators, refused;

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *result, MPI_Request *request)
{
    if (refused && --refused == 0)
        return MPI_ERR_NO_MEM;
    communicators++;
    return PMPI_Comm_idup(comm, result, request);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *result)
{
    communicators++;
    return PMPI_Comm_split_type(comm, type, key, info, result);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    communicators--;
    return PMPI_Comm_free(comm);
}

static void start(void)
{
    CHECK_IS(ws_mpi_init(NULL, NULL), 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static void stop(void)
{
    CHECK_IS(ws_mpi_fini(), 0);
    CHECK_IS(ws_fini(), 0);
}

/* Some MPIs narrow the mask of the thread that starts them. */
static void mask(void)
{
    cpu_set_t before, after;

    narrows = true;
    CHECK_IS(sched_getaffinity(0, sizeof before, &before), 0);
    start();
    CHECK_IS(sched_getaffinity(0, sizeof after, &after), 0);
    CHECK(CPU_EQUAL(&before, &after));
    stop();
}

/* Then it counts, with its status. */
static WS_TASK_VOID(receive_cancelled)
{
    MPI_Status status;
    ws_scope scope;
    int value = -1;

    ws_scope_begin(&scope);
    ws_scope_cancel(&scope, 1);
    status.MPI_SOURCE = status.MPI_TAG = -77;
    CHECK_IS(ws_mpi_recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status), 0);
    CHECK_IS(ws_scope_end(&scope), 1);
    CHECK_IS(value, 17);
    CHECK_IS(status.MPI_SOURCE, rank);
    CHECK_IS(status.MPI_TAG, 8);
}

static void late_message(void)
{
    start();
    sends_before_cancel = true;
    CHECK_IS(ws_run(receive_cancelled), 0);
    stop();
}

/* An error of MPI's own has a class, and a code that differs from it. */
static int add_error(void)
{
    int class;

    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code_of_failure);
    CHECK(code_of_failure != class);
    return class;
}

static void failure(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int value = 4, in = -1, class;

    start();
    class = add_error();
    fails_at = 1;
    CHECK_IS(ws_mpi_sendrecv(&value, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             -class);
    CHECK_IS(in, 4);
    fails_at = 1;
    MPI_Irecv(&in, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[1]);
    statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = -1;
    CHECK_IS(ws_mpi_waitall(2, requests, statuses), -MPI_ERR_IN_STATUS);
    CHECK_IS(statuses[0].MPI_ERROR, MPI_SUCCESS);
    CHECK_IS(statuses[1].MPI_ERROR, code_of_failure);
    stop();
}

static void nothing(ws_mpi_bag *bag, void *bytes, size_t n)
{
    (void)bag, (void)bytes, (void)n;
}

static void no_part(int64_t lo, int64_t hi, void *arg)
{
    (void)lo, (void)hi, (void)arg;
}

/* All go, also if a bag cannot be made, and at the end that of the loops. MPI is the program's. */
static void all_freed(void)
{
    static const struct ws_mpi_function functions[] = {{"nothing", nothing, NULL}};
    ws_mpi_bag *bag;
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    start();
    for (int i = 1; i <= 2; i++) {
        refused = i;
        CHECK_IS(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, NULL), EINVAL);
        CHECK(!bag);
        CHECK_IS(communicators, 0);
    }
    CHECK_IS(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, NULL), 0);
    CHECK_IS(communicators, 2);
    CHECK_IS(ws_mpi_bag_free(&bag), 0);
    CHECK_IS(communicators, 0);
    CHECK_IS(ws_mpi_for(no_part, 0, 10, NULL), 0);
    stop();
    CHECK_IS(communicators, 0);
    MPI_Finalize();
}

static MPI_Request posted;

/* Comes before the send, which may wait for it: with one rank MPICH keeps no copy. */
static void post_receive(void *value)
{
    MPI_Irecv(value, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &posted);
}

static void wait_for_message(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_wait(&posted, MPI_STATUS_IGNORE), 0);
}

static void send_message(void *value)
{
    CHECK_IS(ws_mpi_send(value, 1, MPI_INT, rank, 3, MPI_COMM_WORLD), 0);
}

static void count(int64_t lo, int64_t hi, void *sum)
{
    __atomic_fetch_add((int64_t *)sum, hi - lo, __ATOMIC_RELAXED);
}

static void loop_without_threads(void *sum)
{
    CHECK_IS(ws_mpi_for(count, 0, 100, sum), 0);
}

/* A task that waits, and one that it has submitted. */
static WS_TASK_VOID(wait_as_root)
{
    int all = 0, one = 1, in = -1;
    MPI_Request request;

    CHECK_IS(ws_mpi_allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 0);
    CHECK_IS(all, ranks);
    MPI_Irecv(&in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &request); /* this is the thread of ws_mpi_init() */
    CHECK_IS(ws_mpi_wait_until(&request, MPI_STATUS_IGNORE, ws_now() + 5 * MS), ETIMEDOUT);
    CHECK_IS(ws_mpi_send(&one, 1, MPI_INT, rank, 4, MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_wait(&request, MPI_STATUS_IGNORE), 0);
}

/* The threads of the program do all: a task runs as it is submitted. */
static void no_threads(void)
{
    ws_group group = WS_GROUP_INIT;
    int64_t sum = 0, all = 0;
    int out = 5, in = -1;

    refuses_threads = true;
    start();
    post_receive(&in);
    CHECK_IS(ws_group_submit(&group, send_message, &out), 0);
    CHECK_IS(ws_group_submit(&group, wait_for_message, NULL), 0);
    CHECK_IS(ws_group_wait(&group), 0);
    CHECK_IS(in, 5);
    post_receive(&in);
    CHECK_IS(ws_mpi_run(send_message, &(int){6}), 0);
    CHECK_IS(ws_mpi_run(wait_for_message, NULL), 0);
    CHECK_IS(in, 6);
    CHECK_IS(ws_mpi_run(loop_without_threads, &sum), 0);
    CHECK_IS(ws_run(wait_as_root), 0);
    MPI_Reduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK(rank > 0 || all == 100);
    stop();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"mask", mask},
             {"late_message", late_message},
             {"failure", failure},
             {"all_freed", all_freed},
             {"no_threads", no_threads}};

int main(int argc, char **argv)
{
    alarm(50);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            case_name = argv[1];
            cases[i].run();
            puts("as expected");
            return 0;
        }
    }
    fprintf(stderr, "%s: no such case\n", argv[0]);
    return 2;
}
