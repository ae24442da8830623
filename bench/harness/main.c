/* SPDX-License-Identifier: MIT */
/* wsfj-bench: times the kernels on libwsfj against their serial elision. README.md says what is measured and how. */
#include "machine.h"
#include "measure.h"
#include "options.h"
#include "report.h"
#include "suite.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2

static struct options options;

/* Overwrites one line of a terminal. Nothing where standard error is a file. */
static void show_progress(const struct kernel *kernel, const char *step)
{
    size_t number = 1;

    if (!isatty(STDERR_FILENO))
        return;
    while (number < options.num_kernels && strcmp(options.kernels[number - 1]->serial->name, kernel->name) != 0)
        number++;
    fprintf(stderr, "\r\033[K%zu/%zu %s: %s", number, options.num_kernels, kernel->name, step);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void list(void)
{
    printf("%-10s %10s %22s  %s\n", "kernel", "size", "smallest to largest", "what");
    for (size_t i = 0; i < SUITE_SIZE; i++) {
        const struct kernel *k = suite[i].serial;
        char range[48];

        snprintf(range, sizeof range, "%ld to %ld", suite_least_size(k), k->largest_size);
        printf("%-10s %10ld %22s  %s\n", k->name, k->size, range, k->what);
    }
}

/* Prints what went wrong; returns 1 if anything did. */
static int report_faults(const struct measurement *m)
{
    int failed = 0;

    if (m->why[0]) {
        fprintf(stderr, "wsfj-bench: %s, serial elision: %s\n", m->kernel->name, m->why);
        return 1;
    }
    for (size_t i = 0; i < m->num_counts; i++) {
        const struct measure_parallel *p = &m->parallel[i];

        if (!p->why[0])
            continue;
        fprintf(stderr, "wsfj-bench: %s with %zu worker%s: %s\n", m->kernel->name, p->workers,
                p->workers == 1 ? "" : "s", p->why);
        failed = 1;
    }
    return failed;
}

static int run_all(void)
{
    struct machine machine;
    struct measurement m;
    int failed = 0;

    machine_read(&machine);
    report_begin(options.format, &machine, options.runs);
    for (size_t i = 0; i < options.num_kernels; i++) {
        measure(&m, options.kernels[i], &options, show_progress);
        clear_progress();
        failed |= report_faults(&m);
        report_add(options.format, &m);
    }
    report_end(options.format);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int status = EXIT_SUCCESS;

    if (options_read(&options, argc, argv) != 0)
        return EXIT_USAGE;
    switch (options.action) {
    case OPTIONS_LIST: list(); break;
    case OPTIONS_HELP: options_help(); break;
    case OPTIONS_VERSION: puts("wsfj-bench (libwsfj) " WSFJ_VERSION_STRING); break;
    case OPTIONS_MEASURE: status = run_all(); break;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("wsfj-bench: standard output cannot be written\n", stderr);
        return EXIT_FAILURE;
    }
    return status;
}
