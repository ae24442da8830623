/* SPDX-License-Identifier: MIT */
/*
 * For address.sh: a task that other workers steal writes into its own stack frame, beyond its array if the argument is
 * `wrong`.
 */
#include <wsfj/sim.h>

#include <stdio.h>
#include <string.h>

#define MOST 8

static unsigned end = MOST;

static void fill(char *array)
{
    for (volatile unsigned i = 0; i < end; i++)
        array[i] = 1;
}

WS_TASK(int, tree, unsigned, depth)
{
    char array[MOST];
    int x, y;

    if (depth == 0) {
        sim_work(10000);
        fill(array);
        return array[MOST - 1];
    }
    ws_spawn(tree, &x, depth - 1);
    y = ws_call(tree, depth - 1);
    ws_sync();
    return x + y;
}

int sim_main(int argc, char **argv)
{
    struct ws_stats stats = {.size = sizeof stats};
    int sum;

    end += argc > 1 && strcmp(argv[1], "wrong") == 0;
    if (ws_run(tree, &sum, 8u) != 0 || ws_stats_get(&stats) != 0)
        return 1;
    printf("%d, %s\n", sum, stats.steals ? "stolen" : "not stolen");
    return 0;
}
