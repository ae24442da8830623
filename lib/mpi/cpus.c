/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "mpi/cpus.h"

#include "mpi/record.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Masks of more CPUs than this are not compared. */
typedef cpu_set_t mask;

int wsfj_mpi_keep_cpus(int *argc, char ***argv, int *level)
{
    mask before, after;
    bool known = sched_getaffinity(0, sizeof before, &before) == 0;
    int code = MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, level);

    if (known && sched_getaffinity(0, sizeof after, &after) == 0 && !CPU_EQUAL(&before, &after))
        (void)sched_setaffinity(0, sizeof before, &before);
    return code;
}

/* The mask as 0-3,8. */
static void show(char *text, size_t size, const mask *cpus)
{
    size_t n = 0;

    *text = '\0';
    for (size_t first = 0; first < CPU_SETSIZE && n < size; first++) {
        size_t last = first;

        if (!CPU_ISSET(first, cpus))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
            last++;
        n += (size_t)snprintf(text + n, size - n, last > first ? "%s%zu-%zu" : "%s%zu", n ? "," : "", first, last);
        first = last;
    }
}

/* What a rank tells the others of its node. */
struct told {
    int rank; /* in MPI_COMM_WORLD */
    mask cpus;
};

static bool overlap(const struct told *a, const struct told *b, mask *both)
{
    CPU_AND(both, &a->cpus, &b->cpus);
    return CPU_COUNT(both) > 0;
}

/* The first rank that shares speaks for all. */
static void say(const struct told *all, int n, int me)
{
    char text[128];
    mask both;

    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (!overlap(&all[i], &all[j], &both))
                continue;
            show(text, sizeof text, &both);
            if (i == me)
                wsfj_mpi_say("ranks %d and %d both run on CPU%s %s: mpirun --map-by slot:PE=n", all[i].rank,
                             all[j].rank, CPU_COUNT(&both) > 1 ? "s" : "", text);
            return;
        }
    }
}

bool wsfj_mpi_share_cpus(int *first)
{
    struct told mine = {0}, *all;
    bool shared = false;
    MPI_Comm node;
    mask both;
    int n, me;

    *first = 0;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return false;
    MPI_Comm_size(node, &n);
    MPI_Comm_rank(node, &me);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine.rank);
    (void)sched_getaffinity(0, sizeof mine.cpus, &mine.cpus); /* if it fails the rank shares none */
    all = calloc((size_t)n, sizeof *all);
    if (!all) {
        wsfj_mpi_say("no memory for the affinity masks of %d ranks", n);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, node);
    for (int i = 0; i < n; i++)
        shared = shared || (i != me && overlap(&mine, &all[i], &both));
    say(all, n, me);
    *first = all[0].rank;
    free(all);
    MPI_Comm_free(&node);
    return shared;
}
