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

/* Most workers or threads of an experiment. */
#define LAB_THREADS_MOST 16
/* An experiment is stopped after this many seconds, at its tiny size after a tenth: the program ends even if the
 * library is broken. */
#define LAB_SECONDS 600

struct lab {
    bool quick;       /* tiny sizes, a moment for each experiment */
    const char *out;  /* the results' folder */
    const char *name; /* of the experiment and its files: 04-steal */
    FILE *table, *findings;
    unsigned columns, broken; /* columns of the table; statements that did not hold */
    uint64_t said[32];        /* hashes of the findings, each of which is written once */
    unsigned num_said;
};

struct lab_experiment {
    const char *name;
    void (*run)(struct lab *lab);
    const char *what;
};

/* Begins the table NAME.csv, or NAME-PART.csv where part is not "". `columns` is its first line. */
void lab_table(struct lab *lab, const char *part, const char *columns);

/* Writes a line of the table. */
void lab_row(struct lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A statement that must hold on any machine, however slow. If it does not, the program says so and ends with status
 * 1. */
void lab_must(struct lab *lab, bool held, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A statement that depends on the machine and its load: the program only records whether it was seen. */
void lab_saw(struct lab *lab, bool seen, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A condition for the experiment: a thread, memory, a file. Ends the program if it does not hold. */
void lab_need(struct lab *lab, bool there, const char *what);
void *lab_alloc(struct lab *lab, size_t n, size_t size);

static inline size_t lab_size(const struct lab *lab, size_t size, size_t quick)
{
    return lab->quick ? quick : size;
}

static inline double lab_median(double *values, size_t n)
{
    return sample_of(values, n).median;
}

void lab_spread(struct lab *lab), lab_ring(struct lab *lab), lab_share(struct lab *lab), lab_steal(struct lab *lab);
void lab_overflow(struct lab *lab), lab_next(struct lab *lab), lab_order(struct lab *lab);
void lab_fraction(struct lab *lab), lab_source(struct lab *lab), lab_latency(struct lab *lab);
void lab_victims(struct lab *lab), lab_grain(struct lab *lab), lab_livelock(struct lab *lab);
void lab_few(struct lab *lab), lab_joins(struct lab *lab), lab_queues(struct lab *lab);

#endif
