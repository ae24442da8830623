/* SPDX-License-Identifier: MIT */
/*
 * One run of a whole program: start, work of all sorts, stop, three times. Any error ends the process with a line on
 * stderr. For the child that failpoints.c makes for each of its cases.
 */
#ifndef TESTS_STRESS_DAY_H
#define TESTS_STRESS_DAY_H

#include <stdbool.h>

/* The exit code of a process with such an error. */
#define DAY_WRONG 11
#define DAY_WORKERS 3 /* at the first two starts; then there is one CPU, and one worker */

struct day {
    bool refuses;           /* ENOMEM is an answer, ... */
    bool (*is_hurt)(void);  /* ... once this is true; */
    bool refuses_once;      /* ws_init() does not say so twice; */
    bool refuses_arguments; /* a ws_run() inside a task may say so, too */
    unsigned seed;          /* of the random program that is part of the work */
};

void live_through(const struct day *day);

/* From here on there is one CPU for the calling thread, and for those that it makes. */
void allow_one_cpu(void);

#endif
