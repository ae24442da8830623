/* SPDX-License-Identifier: MIT */
/*
 * mpi_search: counts the ways to place n queens on a board of n by n, over all ranks. A task has the queens of the first rows. Near
 * the root it adds a task for each next queen; below, it counts by itself.
 *
 * Build: mpicc -O2 mpi_search.c $(pkg-config --cflags --libs libwsfj-mpi libwsfj) -o mpi_search
 * Run:   mpirun -n 4 ./mpi_search 12
 */
#include <stdio.h>
#include <stdlib.h>
#include <wsfj.h>
#include <wsfj/mpi.h>
#include <wsfj/mpi_bag.h>

#define ROWS_OF_TASKS 3

struct board {
    int n, row;
    unsigned columns, left, right; /* taken, in the next row */
};

/* A counter for each slot, so that tasks need no lock. */
struct count {
    _Alignas(64) unsigned long long ways;
};

static struct board with_queen(const struct board *b, unsigned column)
{
    return (struct board){b->n, b->row + 1, b->columns | column, (b->left | column) << 1, (b->right | column) >> 1};
}

static unsigned free_columns(const struct board *b)
{
    return ((1u << b->n) - 1) & ~(b->columns | b->left | b->right);
}

static unsigned long long count(const struct board *b)
{
    unsigned long long ways = b->row == b->n;

    for (unsigned free = free_columns(b); free; free &= free - 1) {
        struct board next = with_queen(b, free & -free);

        ways += count(&next);
    }
    return ways;
}

static void search(ws_mpi_bag *bag, void *bytes, size_t n)
{
    const struct board *b = bytes;
    struct count *counts = ws_mpi_bag_local(bag);

    if (b->row >= ROWS_OF_TASKS) {
        counts[ws_slot()].ways += count(b);
        return;
    }
    for (unsigned free = free_columns(b); free; free &= free - 1) {
        struct board next = with_queen(b, free & -free);

        if (ws_mpi_bag_add(bag, 0, &next, n))
            abort();
    }
}

static void add(void *into, const void *other, size_t n)
{
    *(unsigned long long *)into += *(const unsigned long long *)other;
    (void)n;
}

int main(int argc, char **argv)
{
    static const struct ws_mpi_function functions[] = {{"search", search, NULL}};
    unsigned long long ways = 0;
    ws_mpi_bag *bag;
    int rank, error = ws_mpi_init(&argc, &argv);

    if (error) {
        fprintf(stderr, "mpi_search: %s\n", ws_mpi_strerror(error));
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct board empty = {.n = argc > 1 ? atoi(argv[1]) : 12};
    size_t slots = ws_num_slots();
    struct count *counts = aligned_alloc(64, slots * sizeof *counts);

    if (empty.n < 1 || empty.n > 20 || !counts) {
        fprintf(stderr, "mpi_search: a board of 1 to 20\n");
        return 1;
    }
    for (size_t i = 0; i < slots; i++)
        counts[i].ways = 0;
    struct ws_mpi_bag_config config = {.local = counts};

    if (ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, &config))
        return 1;
    if ((rank == 0 && ws_mpi_bag_add(bag, 0, &empty, sizeof empty)) || ws_mpi_bag_run(bag))
        return 1;
    for (size_t i = 0; i < slots; i++)
        ways += counts[i].ways;
    if (ws_mpi_bag_reduce(bag, &ways, sizeof ways, add) || ws_mpi_bag_free(&bag))
        return 1;
    if (rank == 0)
        printf("%d queens: %llu ways\n", empty.n, ways);
    free(counts);
    return ws_mpi_fini() != 0;
}
