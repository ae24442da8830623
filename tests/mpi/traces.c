/* SPDX-License-Identifier: MIT */
/* traces: two ranks exchange 9 messages of MPI_COMM_WORLD, three of them each way in rounds 50 ms apart. "traces many": then
 * messages with 600 tags each way. "traces late": the runtime is started before MPI. "traces tasks": then the ranks share tasks of a
 * bag, over a communicator where their numbers are exchanged. traces.sh looks at the traces. */
#include "ranks.h"

#include <wsfj/mpi_bag.h>

static int number;

static void send_to(int to, int tag, MPI_Comm comm)
{
    CHECK_IS(ws_mpi_send(&number, 1, MPI_INT, to, tag, comm), 0);
}

static void receive_from(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    CHECK_IS(ws_mpi_recv(&number, 1, MPI_INT, from, tag, comm, status), 0);
}

/* The receiver has no status, or does not name the sender: the marks must. */
static void round_trip(void)
{
    MPI_Status status;

    if (rank == 0) {
        usleep(50000);
        send_to(1, 5, MPI_COMM_WORLD);
        receive_from(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        receive_from(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK_IS(status.MPI_TAG, 5);
        send_to(0, 6, MPI_COMM_WORLD);
    }
}

static void exchange(int tag)
{
    int mine = rank, theirs = -1;

    CHECK_IS(ws_mpi_sendrecv(&mine, 1, MPI_INT, 1 - rank, tag, &theirs, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE),
             0);
    CHECK_IS(theirs, 1 - rank);
}

static void talk(void *arg)
{
    MPI_Comm *other = arg;

    for (int i = 0; i < 3; i++)
        round_trip();
    exchange(7);
    /* No messages of MPI_COMM_WORLD. */
    send_to(MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    receive_from(MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        send_to(1, 5, *other);
    else
        receive_from(0, 5, *other, MPI_STATUS_IGNORE);
}

static void use_many_tags(void *arg)
{
    (void)arg;
    for (int tag = 100; tag < 700; tag++)
        exchange(tag);
}

static void wait_a_moment(ws_mpi_bag *bag, void *bytes, size_t n)
{
    (void)bag, (void)bytes, (void)n;
    usleep(2000);
}

/* Meanwhile the other rank has ceased to ask, and waits for a gift. */
static void add_many(ws_mpi_bag *bag, void *bytes, size_t n)
{
    (void)bytes, (void)n;
    usleep(30000);
    for (int i = 0; i < 64; i++)
        CHECK_IS(ws_mpi_bag_add(bag, 0, NULL, 0), 0);
}

/* How many chunks this rank has got. */
static int run(ws_mpi_bag *bag)
{
    struct ws_mpi_bag_stats stats;

    CHECK_IS(ws_mpi_bag_run(bag), 0);
    CHECK_IS(ws_mpi_bag_stats_get(bag, &stats), 0);
    return (int)stats.steals;
}

static void share_tasks(MPI_Comm reversed)
{
    static const struct ws_mpi_function functions[] = {{"wait_a_moment", wait_a_moment, NULL},
                                                       {"add_many", add_many, NULL}};
    ws_mpi_bag *bag;
    int chunks;

    CHECK_IS(ws_mpi_bag_create(&bag, reversed, functions, 2, NULL), 0);
    for (int i = 0; rank == 0 && i < 64; i++) /* of these rank 1 gets a chunk when it asks */
        CHECK_IS(ws_mpi_bag_add(bag, 0, NULL, 0), 0);
    chunks = run(bag);
    if (rank == 0)
        CHECK_IS(ws_mpi_bag_add(bag, 1, NULL, 0), 0);
    chunks += run(bag);
    printf("chunks %d\n", chunks);
    CHECK_IS(ws_mpi_bag_free(&bag), 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm other;

    if (strcmp(what, "late") == 0)
        CHECK_IS(ws_init(NULL), 0);
    CHECK_IS(ws_mpi_init(&argc, &argv), 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK_IS(ranks, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    CHECK_IS(ws_mpi_run(talk, &other), 0);
    if (rank == 0) /* not in a task */
        send_to(1, 8, MPI_COMM_WORLD);
    else
        receive_from(0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(what, "many") == 0)
        CHECK_IS(ws_mpi_run(use_many_tags, NULL), 0);
    if (strcmp(what, "tasks") == 0) {
        MPI_Comm reversed;

        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
        share_tasks(reversed);
        MPI_Comm_free(&reversed);
    }
    MPI_Comm_free(&other);
    CHECK_IS(ws_mpi_fini(), 0);
    ws_fini();
    return 0;
}
