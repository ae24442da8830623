/* SPDX-License-Identifier: MIT */
/*
 * nqueens [N] - counts the ways to place N queens on an N x N board. It shows a spawn in a loop: a task for each safe
 * column of the next row, and an array for the results. The tree is irregular, and work stealing does not mind.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wsfj.h>

enum { MAX_QUEENS = 18 };

/*
 * One bit for each column. `down`, `left` and `right` are the columns of the next row that the queens above attack,
 * straight and along both diagonals; `all` has the bits of the board.
 */
static WS_TASK(long, place, unsigned, all, unsigned, down, unsigned, left, unsigned, right)
{
    long counts[MAX_QUEENS], sum = 0;
    int children = 0;

    if (down == all)
        return 1;
    for (unsigned safe = all & ~(down | left | right), queen; safe; safe ^= queen) {
        queen = safe & -safe;
        ws_spawn(place, &counts[children++], all, down | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    ws_sync(); /* the counts are valid from here */
    for (int i = 0; i < children; i++)
        sum += counts[i];
    return sum;
}

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc == 2 ? strtol(argv[1], &end, 10) : 12, ways;

    if (argc > 2)
        return fputs("usage: nqueens [N]\n", stderr), 2;
    if ((argc == 2 && end == argv[1]) || *end || n < 1 || n > MAX_QUEENS)
        return fprintf(stderr, "nqueens: '%s' is not a number from 1 to %d\n", argv[1], MAX_QUEENS), 2;

    int error = ws_run(place, &ways, (1U << n) - 1, 0U, 0U, 0U);
    if (error)
        return fprintf(stderr, "nqueens: %s\n", ws_strerror(error)), 1;
    if (printf("%ld queens: %ld ways\n", n, ways) < 0 || fclose(stdout))
        return fprintf(stderr, "nqueens: standard output: %s\n", strerror(errno)), 1;
    return 0;
}
