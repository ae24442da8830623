/* SPDX-License-Identifier: MIT */
/* A program for profile.sh: two sites, one of them in a file with a name that no report may take for its own text. With
 * the argument "one" only its first region; with "nothing" a task that spawns none; with "many" and a number so many short tasks at once; with "rough" one of short strands, but for a few that are most of the work. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wsfj.h>

#ifdef ELSEWHERE
WS_DECLARE(long, elsewhere, long, n);
#endif

static WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static WS_TASK(long, root)
{
    long x = 0;

#ifdef ELSEWHERE
    ws_spawn(elsewhere, &x, 20);
#else
#line 7 "a \"<b>&c,'d.c"
    ws_spawn(fib, &x, 20);
#endif
    ws_sync();
    return x;
}

static WS_TASK_VOID(rarely, long, i)
{
    if (i % 4000 == 3999)
        for (clock_t then = clock(); clock() - then < CLOCKS_PER_SEC / 500;)
            ;
}

static WS_TASK_VOID(many, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(rarely, i);
    ws_sync();
}

static WS_TASK_VOID(rough)
{
    for (long i = 0; i < 40000; i++)
        ws_spawn(rarely, i);
    ws_sync();
}

int main(int argc, char **argv)
{
    long x = 0;

    if (argc > 1 && strcmp(argv[1], "rough") == 0)
        return ws_run(rough);
    if (argc > 1 && strcmp(argv[1], "nothing") == 0)
        return ws_run(rarely, 0);
    if (argc > 2 && strcmp(argv[1], "many") == 0)
        return ws_run(many, atol(argv[2]));
    if (argc > 1)
        return ws_run(root, &x) || x != 6765;
    return ws_run(root, &x) || x != 6765 || ws_run(fib, &x, 10) || x != 55;
}
