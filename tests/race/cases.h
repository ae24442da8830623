/* SPDX-License-Identifier: MIT */
/*
 * Pairs of a program with a race and one without, for tests/race/cases.sh. `program NAME bug` runs the first, `program NAME
 * clean` the second. Each pair is one function here, which asks `bug`. The script looks for the reported lines: a line of
 * a pair's race ends in the pair's name as a comment, and its title is what the table of the file says.
 */
#ifndef RACE_CASES_H
#define RACE_CASES_H

#include <stdio.h>
#include <string.h>
#include <wsfj.h>
#include <wsfj/race.h>

struct pair {
    const char *name;
    void (*run)(void);
    const char *title; /* a part of what the report says */
};

/* Two children of one task run `code` with i = 0 and 1. A race is on this line. */
#define TWO(name, ...)                                                                                                 \
    static WS_TASK_VOID(name##_child, long, i)                                                                         \
    {                                                                                                                  \
        (void)i;                                                                                                       \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    static WS_TASK_VOID(name##_root, long, n)                                                                          \
    {                                                                                                                  \
        ws_spawn(name##_child, 0L);                                                                                    \
        ws_spawn(name##_child, n);                                                                                     \
        ws_sync();                                                                                                     \
    }                                                                                                                  \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        ws_run(name##_root, 1L);                                                                                       \
    }

extern int bug; /* not a constant: both are compiled alike */

#define CASES(...)                                                                                                     \
    int bug;                                                                                                           \
    int main(int n, char **arguments)                                                                                  \
    {                                                                                                                  \
        static const struct pair pairs[] = {__VA_ARGS__};                                                              \
        if (n == 1)                                                                                                    \
            for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)                                                \
                printf("%s %s\n", pairs[i].name, pairs[i].title);                                                      \
        bug = n == 3 && strcmp(arguments[2], "bug") == 0;                                                              \
        for (unsigned i = 0; n == 3 && i < sizeof pairs / sizeof *pairs; i++)                                          \
            if (strcmp(arguments[1], pairs[i].name) == 0)                                                              \
                pairs[i].run();                                                                                        \
        return 0;                                                                                                      \
    }

#endif
