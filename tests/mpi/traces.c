/* SPDX-License-Identifier: MIT */
/* traces: two ranks exchange 9 messages of MPI_COMM_WORLD, three of them each way in rounds 50 ms apart. "traces many": then
 * messages with 600 tags each way. "traces late": the runtime is started before MPI. traces.sh looks at the traces. */
#include "ranks.h"

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
    MPI_Comm_free(&other);
    CHECK_IS(ws_mpi_fini(), 0);
    ws_fini();
    return 0;
}
