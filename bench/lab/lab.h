/* SPDX-License-Identifier: MIT */
/*
 * The laboratory: shared by the experiments and the program. An experiment is one function in a file of its own; it
 * writes tables as CSV and its findings. Neighbours: work.h, crew.h, flood.h; doc/lab/README.md says how to run it.
 */
#ifndef LAB_H
#define LAB_H

#include "harness/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Most workers or threads of an experiment, most tasks, most values in a list. */
#define LAB_THREADS_MOST 256
#define LAB_COUNT_MOST 10000000
#define LAB_LIST_MOST 16
/* An experiment is stopped after this many seconds, at its tiny size after a tenth: the program ends even if the
 * library is broken. */
#define LAB_SECONDS 600

/* What users can set: the number of workers, a task's length in nanoseconds, the number of tasks. */
enum lab_option { LAB_WORKERS, LAB_LENGTH, LAB_COUNT, LAB_OPTIONS };

/* The values of such an option, one after the other. n = 0: the option is not given. */
struct lab_list {
    unsigned n;
    double at[LAB_LIST_MOST];
};

struct lab {
    bool quick;       /* tiny sizes, a moment for each experiment */
    bool is_own;      /* runs with values of the user: tables go to standard output, */
    const char *out;  /* and to this folder, unless it is NULL */
    const char *name; /* of the experiment and its files: 04-steal */
    struct lab_list own[LAB_OPTIONS];
    FILE *table, *findings;
    unsigned columns, broken; /* columns of the table; statements that did not hold */
    uint64_t said[32];        /* hashes of the findings, each of which is written once */
    unsigned num_said;
};

struct lab_experiment {
    const char *name;
    void (*run)(struct lab *lab);
    const char *what;
    enum lab_takes { LAB_NONE, LAB_ONE, LAB_MANY } takes[LAB_OPTIONS]; /* no value of an option, one, or a list */
};

/* Begins the table NAME.csv, or NAME-PART.csv where part is not "". `columns` is its first line. */
void lab_table(struct lab *lab, const char *part, const char *columns);

/* Ends the table and the findings of an experiment. */
void lab_close(struct lab *lab);

/* Writes a line of the table. */
void lab_row(struct lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A statement that must hold on any machine, however slow. If it does not, the program says so and ends with status
 * 1. */
void lab_must(struct lab *lab, bool held, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A statement that depends on the machine and its load: the program only records whether it was seen. */
void lab_saw(struct lab *lab, bool seen, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Any other finding, after a word that says of what kind: noise, note. */
void lab_find(struct lab *lab, const char *word, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Compares b with a, which were measured in turn, n rounds each. Writes "WHAT 1.10 times as long (1.05 to 1.20, 15
 * rounds)" as seen, or as noise if the interval contains 1. */
bool lab_differs(struct lab *lab, const double *a, const double *b, size_t n, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A condition for the experiment: a thread, memory, a file. Ends the program if it does not hold. */
void lab_need(struct lab *lab, bool there, const char *what);
void *lab_alloc(struct lab *lab, size_t n, size_t size);

static inline size_t lab_size(const struct lab *lab, size_t size, size_t quick)
{
    return lab->quick ? quick : size;
}

/* The user's value, or the experiment's: in full, or quick. */
static inline double lab_value(const struct lab *lab, enum lab_option option, double usual, double quick)
{
    return lab->own[option].n ? lab->own[option].at[0] : lab->quick ? quick : usual;
}

/* The user's values, or the experiment's: all, or the first `quick` of them. */
struct lab_list lab_values(const struct lab *lab, enum lab_option option, struct lab_list usual, unsigned quick);

/* A percentile in a table: "-" for NAN, if there are too few values. */
struct lab_text {
    char text[48];
};
struct lab_text lab_percentile(double value);

/* Three columns of a table: a ratio, and what it is at least and at most: "-" if there are too few rounds. */
struct lab_text lab_ratio(struct sample_ratio ratio);

static inline double lab_median(double *values, size_t n)
{
    return sample_of(values, n).median;
}

void lab_spread(struct lab *lab), lab_run_queue(struct lab *lab), lab_share(struct lab *lab),
    lab_steal(struct lab *lab);
void lab_overflow(struct lab *lab), lab_next(struct lab *lab), lab_source(struct lab *lab);
void lab_latency(struct lab *lab), lab_grain(struct lab *lab), lab_queues(struct lab *lab);

#endif
