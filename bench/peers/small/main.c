/* SPDX-License-Identifier: MIT */
/*
 * wsfj-small-RUNTIME MEASUREMENT WORKERS - one measurement of small operations on this runtime.
 *
 *   empty, work                  nanoseconds a detached task: empty, or with 570 steps of 4 cycles (700 ns at 3.2 GHz)
 *   searching, parked            from a task's submission to its start, median and 99th percentile in microseconds: 5 us
 *                                or 5 ms after the last one
 *   outside, inside, phase       microseconds a loop of 1000 iterations of 8 steps, one after the other
 *   check                        how many tasks, starts and iterations ran, each once
 *
 * Tasks and iterations are counted before each measurement. Status 1 if a count is wrong, 3 if the runtime cannot do it.
 */
#include "measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CANNOT 3

void stop(int status, const char *format, ...)
{
    va_list arguments;

    fputs("wsfj-small: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

void expect_once(const unsigned char *runs, long n, const char *what)
{
    for (long i = 0; i < n; i++) {
        if (runs[i] != 1)
            stop(1, "%s %ld of %ld ran %d times", what, i, n, runs[i]);
    }
}

static void begin(int workers, int beside)
{
    int error = contender.begin(workers, beside);

    if (error)
        stop(1, "%s", strerror(error));
}

static void tasks(int workers, long n, int is_work)
{
    if (!contender.tasks)
        exit(CANNOT);
    begin(workers, 0);
    measure_tasks(n, is_work);
}

static void empty(int workers)
{
    tasks(workers, 100000, 0);
}

static void work(int workers)
{
    tasks(workers, 20000, 1);
}

static void start(int workers, int n, uint64_t gap_ns)
{
    if (!contender.submit)
        exit(CANNOT);
    begin(workers, 1);
    measure_starts(n, gap_ns);
}

static void searching(int workers)
{
    start(workers, 2000, SEARCHING_NS);
}

static void parked(int workers)
{
    start(workers, 200, PARKED_NS);
}

static void loop(int workers, enum small_place place)
{
    begin(workers, 0);
    if (measure_loops(place))
        exit(CANNOT);
}

static void outside(int workers)
{
    loop(workers, SMALL_OUTSIDE);
}

static void inside(int workers)
{
    loop(workers, SMALL_INSIDE);
}

static void phase(int workers)
{
    loop(workers, SMALL_PHASE);
}

static void check(int workers)
{
    const char *separator = "";

    begin(workers, 1);
    if (contender.tasks) {
        check_tasks();
        printf("tasks %d", COUNTED_TASKS);
        separator = ", ";
    }
    if (contender.submit) {
        make_starts(COUNTED_STARTS, SEARCHING_NS);
        printf("%sstarts %d", separator, COUNTED_STARTS);
    }
    if (contender.loop)
        printf(", iterations %ld", check_loops(SMALL_OUTSIDE) + check_loops(SMALL_INSIDE) + check_loops(SMALL_PHASE));
    putchar('\n');
}

static const struct {
    const char *name;
    void (*run)(int workers);
} measurements[] = {{"empty", empty},     {"work", work},     {"searching", searching}, {"parked", parked},
                    {"outside", outside}, {"inside", inside}, {"phase", phase},         {"check", check}};

int main(int argc, char **argv)
{
    char *end = NULL;
    long workers = argc == 3 ? strtol(argv[2], &end, 10) : 0;

    if (argc != 3 || end == argv[2] || *end || workers < 1 || workers > 1024)
        stop(2, "usage: wsfj-small-RUNTIME MEASUREMENT WORKERS");
    for (size_t i = 0; i < sizeof measurements / sizeof *measurements; i++) {
        if (strcmp(measurements[i].name, argv[1]) == 0) {
            measurements[i].run((int)workers);
            return fflush(stdout) != 0 || ferror(stdout);
        }
    }
    stop(2, "there is no measurement %s", argv[1]);
}
