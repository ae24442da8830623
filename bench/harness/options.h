/* SPDX-License-Identifier: MIT */
/* The command line of wsfj-bench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "suite.h"

/* The library's limit on workers, and more different numbers than a comparison needs. */
#define OPTIONS_WORKERS_MOST 4096
#define OPTIONS_COUNTS_MOST 64
#define OPTIONS_RUNS_MOST 1000
#define OPTIONS_RUNS_DEFAULT 5

enum options_format { OPTIONS_TABLE, OPTIONS_CSV, OPTIONS_JSON };

enum options_action { OPTIONS_MEASURE, OPTIONS_LIST, OPTIONS_HELP, OPTIONS_VERSION };

struct options {
    enum options_action action;
    enum options_format format;
    const struct suite_entry *kernels[SUITE_SIZE];
    size_t num_kernels;
    const char *size_text; /* as given; NULL: every kernel has its own size */
    long size;
    size_t workers[OPTIONS_COUNTS_MOST]; /* no number twice */
    size_t num_counts;
    unsigned runs;
};

/* Returns 0, or -1 after one line on stderr that names what is wrong. */
int options_read(struct options *options, int argc, char **argv);

/* The text of --help. */
void options_help(void);

/* The size at which a kernel is to be measured. */
long options_size(const struct options *options, const struct kernel *kernel);

#endif
