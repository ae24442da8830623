/* SPDX-License-Identifier: MIT */
/* nqueens N: counts the ways of N queens by a bag over ranks: a task is a prefix; below some rows it is counted by tasks of the rank. */
#include "figures.h"

#include <wsfj.h>
#include <wsfj/mpi.h>
#include <wsfj/mpi_bag.h>

/* A task of the bag has so many rows at most. */
enum { PREFIX = 3, MOST = 17 };

struct board {
    uint32_t columns, left, right; /* where a queen of the next row would be attacked */
    int rows;                      /* that have a queen */
};

static int size;
static long *found; /* by slot */

static struct board with_queen(const struct board *b, uint32_t at)
{
    return (struct board){b->columns | at, (b->left | at) << 1, (b->right | at) >> 1, b->rows + 1};
}

static uint32_t free_columns(const struct board *b)
{
    return ~(b->columns | b->left | b->right) & ((1u << size) - 1);
}

static long count_serially(const struct board *b)
{
    long ways = 0;

    if (b->rows == size)
        return 1;
    for (uint32_t free = free_columns(b); free; free &= free - 1) {
        struct board next = with_queen(b, free & -free);

        ways += count_serially(&next);
    }
    return ways;
}

static WS_TASK(long, count, struct board, b)
{
    long ways[MOST], sum = 0;
    int n = 0;

    if (size - b.rows <= 8)
        return count_serially(&b);
    for (uint32_t free = free_columns(&b); free; free &= free - 1)
        ws_spawn(count, &ways[n++], with_queen(&b, free & -free));
    ws_sync();
    while (n > 0)
        sum += ways[--n];
    return sum;
}

static void visit(ws_mpi_bag *bag, void *bytes, size_t n)
{
    const struct board *b = bytes;
    long ways;

    if (b->rows < PREFIX && b->rows < size) {
        for (uint32_t free = free_columns(b); free; free &= free - 1) {
            struct board next = with_queen(b, free & -free);

            if (ws_mpi_bag_add(bag, 0, &next, n))
                abort();
        }
        return;
    }
    if (ws_run(count, &ways, *b))
        abort();
    found[ws_slot()] += ways;
}

static void add(void *into, const void *other, size_t n)
{
    (void)n;
    *(long *)into += *(const long *)other;
}

int main(int argc, char **argv)
{
    static const long known[MOST + 1] = {1,   1,   0,    0,     2,     10,     4,       40,       92,
                                         352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104};
    static const struct ws_mpi_function functions[] = {{"visit", visit, NULL}};
    struct board empty = {0, 0, 0, 0};
    struct figures begin;
    ws_mpi_bag *bag;
    long ways = 0;
    int error = ws_mpi_init(&argc, &argv), rank, right;

    size = (int)figures_argument(argc, argv, 1, 14);
    found = calloc(ws_num_slots(), sizeof *found);
    if (error || size > MOST || !found || ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, NULL)) {
        fprintf(stderr, "nqueens: %s\n", error ? ws_mpi_strerror(error) : "a board of 1 to 17, and memory");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin = figures_begin();
    if (rank == 0)
        error = ws_mpi_bag_add(bag, 0, &empty, sizeof empty);
    error = error ? error : ws_mpi_bag_run(bag);
    for (size_t i = 0; i < ws_num_slots(); i++)
        ways += found[i];
    error = error ? error : ws_mpi_bag_reduce(bag, &ways, sizeof ways, add);
    right = figures_end(begin, "nqueens", !error && ways == known[size]);
    free(found);
    return ws_mpi_bag_free(&bag) || ws_mpi_fini() || !right;
}
