/* SPDX-License-Identifier: MIT */
/*
 * nqueens: a task for each legal placement, spawned in a loop with a copy of the board. Small tasks, an irregular tree.
 * The backtrack search of the Cilk distributions (Frigo, Leiserson and Randall 1998).
 */
#include "common.h"
#include "harness/kernel.h"

#define MAX_QUEENS 18

struct board {
    signed char n;                  /* rows and columns */
    signed char rows;               /* rows that have their queen */
    signed char column[MAX_QUEENS]; /* of each queen */
};

static int is_safe(const struct board *b, int column)
{
    for (int i = 0; i < b->rows; i++) {
        int across = column - b->column[i], down = b->rows - i;

        if (across == 0 || across == down || across == -down)
            return 0;
    }
    return 1;
}

static WS_TASK(long, place, struct board, b)
{
    long counts[MAX_QUEENS];
    int children = 0;

    if (b.rows == b.n)
        return 1;
    for (int column = 0; column < b.n; column++) {
        if (is_safe(&b, column)) {
            struct board next = b;

            next.column[next.rows++] = (signed char)column;
            ws_spawn(place, &counts[children++], next);
        }
    }
    ws_sync();
    return kernel_sum(counts, children);
}

struct nqueens_data {
    long n, result;
};

static void *prepare(long size)
{
    struct nqueens_data *d = (struct nqueens_data *)calloc(1, sizeof *d);

    if (d)
        d->n = size;
    return d;
}

static int run(void *data)
{
    struct nqueens_data *d = (struct nqueens_data *)data;
    struct board empty = {(signed char)d->n, 0, {0}};

    d->result = -1;
    return ws_run(place, &d->result, empty);
}

static int check(void *data)
{
    static const long known[MAX_QUEENS + 1] = {
        1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624};
    struct nqueens_data *d = (struct nqueens_data *)data;

    return d->result == known[d->n];
}

static double result(void *data)
{
    return (double)((struct nqueens_data *)data)->result;
}

KERNEL(nqueens) = {"nqueens",  "ways to place n queens on an n x n board; size: n",
                   13,         8,
                   MAX_QUEENS, prepare,
                   NULL,       run,
                   check,      result,
                   free};
