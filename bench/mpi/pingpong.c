/* SPDX-License-Identifier: MIT */
/*
 * pingpong: 8 bytes there and back between rank 0 and 1, one way in microseconds: MPI_Send and MPI_Recv by the threads; tasks that
 * ask MPI for a moment before they are suspended; tasks that are suspended before the message comes. Then
 * what a rank costs that waits two seconds for a message, and one that waits for nothing: CPU time, and how often its threads woke up.
 */
#include "figures.h"

#include <sys/resource.h>
#include <wsfj.h>
#include <wsfj/mpi.h>

enum { TIMES = 5000, ROUNDS = 5 };
static int rank;

static int plain(int n)
{
    char bytes[8] = {0};

    for (int i = 0; i < n; i++) {
        if (rank == 0)
            MPI_Send(bytes, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(bytes, 8, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(bytes, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return 0;
}

/* `late`: each answer comes so much later that the other task is suspended meanwhile. */
#define LATE_NS 10000

static void stay(int late)
{
    uint64_t began = ws_now();

    while (late && ws_now() - began < LATE_NS)
        ;
}

static WS_TASK(int, as_task, int, n, int, late)
{
    char bytes[8] = {0};
    int error = 0;

    for (int i = 0; i < n && !error; i++) {
        if (rank == 0) {
            stay(late);
            error = ws_mpi_send(bytes, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        }
        if (!error)
            error = ws_mpi_recv(bytes, 8, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1 && !error) {
            stay(late);
            error = ws_mpi_send(bytes, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return error;
}

static int run(int kind, int n)
{
    int failed = 0, error = kind == 0 ? plain(n) : ws_run(as_task, &failed, n, kind == 2);

    return error ? error : failed;
}

static long switches(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

/* Two seconds in which rank 0 waits, for a message or for nothing. */
static WS_TASK(int, wait, int, for_message)
{
    char byte;

    if (!for_message)
        return ws_sleep_until(ws_now() + 2000000000);
    if (rank == 1)
        (void)ws_sleep_until(ws_now() + 2000000000);
    return rank == 0 ? ws_mpi_recv(&byte, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
                     : ws_mpi_send(&byte, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

static int idle(int for_message, const char *what)
{
    double cpu;
    long woken;
    int failed, error;

    MPI_Barrier(MPI_COMM_WORLD);
    cpu = figures_cpu();
    woken = switches();
    error = ws_run(wait, &failed, for_message);
    if (rank == 0)
        printf("a rank that waits 2 s for %s: %.1f %% of a CPU, its threads woke up %ld times\n", what,
               (figures_cpu() - cpu) / 2 * 100, switches() - woken);
    return error ? error : failed;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"MPI_Send, MPI_Recv", "tasks", "tasks, suspended"};
    int error = ws_mpi_init(&argc, &argv), ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (error || ranks != 2) {
        fprintf(stderr, "pingpong: %s\n", error ? ws_mpi_strerror(error) : "it needs two ranks");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int round = 0; round < ROUNDS && !error; round++) {
        double us[3];

        for (int kind = 0; kind < 3 && !error; kind++) {
            double began;

            error = run(kind, TIMES / 10);
            MPI_Barrier(MPI_COMM_WORLD);
            began = MPI_Wtime();
            error = error ? error : run(kind, TIMES);
            us[kind] = (MPI_Wtime() - began) / TIMES / 2 * 1e6 - (kind == 2 ? LATE_NS / 1e3 : 0);
        }
        if (rank == 0 && !error)
            printf("one way: %s %.2f us, %s %.2f us (%.1f), %s %.2f us (%.1f)\n", kinds[0], us[0], kinds[1], us[1],
                   us[1] / us[0], kinds[2], us[2], us[2] / us[0]);
    }
    error = error ? error : idle(1, "a message");
    error = error ? error : idle(0, "no message");
    if (error)
        fprintf(stderr, "pingpong: %s\n", ws_mpi_strerror(error));
    return ws_mpi_fini() || error;
}
