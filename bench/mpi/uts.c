/* SPDX-License-Identifier: MIT */
/*
 * uts: counts the nodes of an unbalanced tree over all ranks, by a bag. A task counts a thousand nodes below its own and adds the
 * rest. One row for each run: what the ranks have cost and what they have said to each other.
 *
 * Usage: mpirun -n RANKS uts [TREE [RUNS]]; TREE: 0 a small one, 1 T1, 2 T1L, 3 T3, 4 T3L
 */
#include "kernels/uts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <wsfj.h>
#include <wsfj/mpi.h>
#include <wsfj/mpi_bag.h>

#define GRAIN 1000 /* nodes of a task: a quarter of a millisecond */
#define STACK (GRAIN * MAX_GEOMETRIC_CHILDREN + MAX_ROOT_CHILDREN)

struct counts {
    long nodes;
    char line[120]; /* no other slot's */
};

static const struct tree *tree;
static struct counts *counts; /* one for each slot */

static int children_of(const struct node *n)
{
    if (!tree->is_binomial)
        return geometric_children(tree, n);
    if (n->depth == 0)
        return tree->root_children;
    return random_of(n) < tree->q ? tree->children : 0;
}

/* Depth first on a stack of its own, which for most trees has some dozen nodes. */
static void visit(ws_mpi_bag *bag, void *bytes, size_t n)
{
    struct node *stack = malloc(STACK * sizeof *stack);
    int top = 1, seen = 0;

    if (!stack)
        abort();
    stack[0] = *(struct node *)bytes;
    for (; top && seen < GRAIN; seen++) {
        struct node node = stack[--top];

        for (int i = children_of(&node); i--;)
            stack[top++] = child_of(&node, i);
    }
    for (int i = 0; i < top; i++)
        if (ws_mpi_bag_add(bag, 0, &stack[i], sizeof *stack))
            abort();
    counts[ws_slot()].nodes += seen;
    free(stack);
    (void)n;
}

static void sum(void *into, const void *other, size_t n)
{
    for (size_t i = 0; i < n / sizeof(double); i++)
        ((double *)into)[i] += ((const double *)other)[i];
}

static void greatest(void *into, const void *other, size_t n)
{
    for (size_t i = 0; i < n / sizeof(double); i++)
        if (((double *)into)[i] < ((const double *)other)[i])
            ((double *)into)[i] = ((const double *)other)[i];
}

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { NODES, CPU, TASKS, STEALS, MESSAGES, BYTES, WAVES, IDLE, SUMS };

static int measure(ws_mpi_bag *bag, int rank, int ranks)
{
    struct node root = root_of(tree);
    struct ws_mpi_bag_stats s;
    double wall, sums[SUMS] = {0}, most[3];

    for (size_t i = 0; i < ws_num_slots(); i++)
        counts[i].nodes = 0;
    if (rank == 0 && ws_mpi_bag_add(bag, 0, &root, sizeof root))
        return 1;
    if (ws_mpi_barrier(MPI_COMM_WORLD))
        return 1;
    wall = seconds(CLOCK_MONOTONIC);
    most[0] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (ws_mpi_bag_run(bag) || ws_mpi_bag_stats_get(bag, &s))
        return 1;
    most[0] = sums[CPU] = seconds(CLOCK_PROCESS_CPUTIME_ID) - most[0];
    most[1] = wall = seconds(CLOCK_MONOTONIC) - wall;
    most[2] = -(double)s.end; /* of the rank that had the last task: the least time */
    for (size_t i = 0; i < ws_num_slots(); i++)
        sums[NODES] += (double)counts[i].nodes;
    sums[TASKS] = (double)s.tasks, sums[STEALS] = (double)s.steals, sums[MESSAGES] = (double)s.messages;
    sums[BYTES] = (double)s.bytes, sums[WAVES] = (double)s.waves, sums[IDLE] = (double)s.idle / 1e9 / wall;
    if (ws_mpi_bag_reduce(bag, sums, sizeof sums, sum) || ws_mpi_bag_reduce(bag, most, sizeof most, greatest))
        return 1;
    if (rank == 0)
        printf("%5d %7zu %10.0f %8.3f %8.3f %8.3f %8.0f %7.0f %9.0f %10.0f %6.1f %6.3f %8.3f\n", ranks,
               ws_num_workers(), sums[NODES], most[1], most[0], sums[CPU], sums[TASKS], sums[STEALS], sums[MESSAGES],
               sums[BYTES], sums[WAVES] / ranks, sums[IDLE] / ranks, -most[2] / 1e6);
    if ((long)sums[NODES] == tree->nodes)
        return 0;
    fprintf(stderr, "uts: %.0f nodes instead of %ld\n", sums[NODES], tree->nodes);
    return 1;
}

int main(int argc, char **argv)
{
    static const struct ws_mpi_function functions[] = {{"visit", visit, NULL}};
    ws_mpi_bag *bag;
    int rank, ranks, runs, failed = 0;

    if (ws_mpi_init(&argc, &argv))
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int number = argc > 1 ? atoi(argv[1]) : 0;

    if (number < 0 || number > 4) {
        fprintf(stderr, "uts: no tree %s; 0 to 4\n", argv[1]);
        return 1;
    }
    tree = &trees[number];
    runs = argc > 2 ? atoi(argv[2]) : 1;
    counts = calloc(ws_num_slots(), sizeof *counts);
    if (!counts || ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, NULL))
        return 1;
    if (rank == 0)
        printf(
            "ranks workers      nodes  wall, s  CPU, s   CPU of  tasks     steals  messages      bytes  waves   idle  end, ms\n"
            "                                of one      all                                         a rank  share\n");
    for (int i = 0; i < runs; i++)
        failed |= measure(bag, rank, ranks);
    failed |= ws_mpi_bag_free(&bag);
    free(counts);
    return ws_mpi_fini() || failed;
}
