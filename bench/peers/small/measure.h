/* SPDX-License-Identifier: MIT */
/* The measurements of main.c: one file for each kind. They print the result. */
#ifndef BENCH_PEERS_MEASURE_H
#define BENCH_PEERS_MEASURE_H

#include "small.h"

#include <stdint.h>

#define COUNTED_TASKS 10007
#define COUNTED_STARTS 100
#define SEARCHING_NS 5000
#define PARKED_NS 5000000

/* Prints the message and ends the program with this status. */
void stop(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Ends the program if one of the n counts is not 1. */
void expect_once(const unsigned char *runs, long n, const char *what);

/* Nanoseconds a task, 0 or 570 steps each. */
void check_tasks(void);
void measure_tasks(long n, int is_work);

/* Microseconds from submission to start, the median and the 99th percentile. Before each submission the submitter waits for
 * so many nanoseconds, by polling if these are few. */
void make_starts(int n, uint64_t gap_ns);
void measure_starts(int n, uint64_t gap_ns);

/* Microseconds a loop. check_loops() returns how many iterations it has counted, and 0 if there are no loops at the
 * place; measure_loops() then returns -1. */
long check_loops(enum small_place place);
int measure_loops(enum small_place place);

#endif
