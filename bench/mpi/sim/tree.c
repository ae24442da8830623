/* SPDX-License-Identifier: MIT */
/*
 * tree TASK_US TASKS - a tree of tasks by ws_mpi_bag on simulated ranks. A rank stands for a node: a task takes TASK_US of its time,
 * and adds others afterwards. There are TASKS for each rank; rank 0 begins. Built by smpicc with -DWSFJ_SERIAL (see run).
 *
 * Prints: ranks; T1 / Tinf / ranks; the efficiency, T1 / ranks / time; messages of a rank, stolen chunks of a rank, waves;
 * microseconds from the last task to the end. Status 1: a task has not run, or has run twice.
 */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <wsfj/mpi.h>
#include <wsfj/mpi_bag.h>

#define FLOPS_PER_US 1e3 /* a host of run's platform does 1 Gf/s */

/* So many tasks; `depth` others were before them. */
struct part {
    uint64_t tasks, seed, depth;
};

static double task_us, last_end;
static uint64_t done, deepest;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* One task; the others become two parts, the first with an eighth to five eighths of them. */
static void work(ws_mpi_bag *bag, void *bytes, size_t n)
{
    const struct part *p = bytes;
    uint64_t rest = p->tasks - 1, first = rest / 8 + mix(p->seed) % (rest / 2 + 1);
    struct part parts[2] = {{first, mix(p->seed + 1), p->depth + 1}, {rest - first, mix(p->seed + 2), p->depth + 1}};

    smpi_execute_flops(task_us * FLOPS_PER_US);
    done++;
    deepest = deepest > p->depth + 1 ? deepest : p->depth + 1;
    last_end = MPI_Wtime();
    for (int i = 0; i < 2; i++)
        if (parts[i].tasks && ws_mpi_bag_add(bag, 0, &parts[i], n))
            abort();
}

static double all(double value, MPI_Op op)
{
    double of_all;

    MPI_Allreduce(&value, &of_all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return of_all;
}

int main(int argc, char **argv)
{
    static const struct ws_mpi_function functions[] = {{"work", work, NULL}};
    struct ws_mpi_bag_stats s;
    ws_mpi_bag *bag;
    double began, end, last, depth, ran;
    int rank, ranks;

    if (argc < 3 || ws_mpi_init(&argc, &argv))
        return 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    task_us = atof(argv[1]);
    struct part root = {strtoull(argv[2], NULL, 10) * (uint64_t)ranks, 1, 0};

    if (ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, NULL) ||
        (rank == 0 && ws_mpi_bag_add(bag, 0, &root, sizeof root)))
        return 2;
    MPI_Barrier(MPI_COMM_WORLD);
    began = all(MPI_Wtime(), MPI_MIN);
    if (ws_mpi_bag_run(bag))
        return 2;
    end = all(MPI_Wtime(), MPI_MAX);
    last = all(last_end, MPI_MAX);
    depth = all((double)deepest, MPI_MAX);
    ran = all((double)done, MPI_SUM);
    ws_mpi_bag_stats_get(bag, &s);
    double messages = all((double)s.messages, MPI_SUM) / ranks, steals = all((double)s.steals, MPI_SUM) / ranks;

    if (rank == 0)
        printf("%d %.0f %.4f %.0f %.0f %.0f %.1f\n", ranks, (double)root.tasks / depth / ranks,
               (double)root.tasks * task_us * 1e-6 / ranks / (end - began), messages, steals, (double)s.waves,
               (end - last) * 1e6);
    ws_mpi_bag_free(&bag);
    ws_mpi_fini();
    return ran != (double)root.tasks;
}
