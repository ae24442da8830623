/* SPDX-License-Identifier: MIT */
/*
 * Measurements in turn: all lines of a table once, then all of them again. What else runs on the machine meets every
 * line alike; each round begins with another line.
 */
#ifndef LAB_ROUNDS_H
#define LAB_ROUNDS_H

#include "lab.h"

struct rounds {
    size_t lines, figures, rounds;
    double *values; /* [line][figure][round] */
};

/* Calls measure(lab, context, line, figures) for each line of each round; it fills in that line's figures. */
struct rounds rounds_measure(struct lab *lab, size_t lines, size_t figures, size_t rounds,
                             void (*measure)(struct lab *lab, void *context, size_t line, double *figures),
                             void *context);

/* A figure of a line in each round, in turn with those of the other lines. */
const double *rounds_values(const struct rounds *r, size_t line, size_t figure);

struct sample rounds_sample(struct lab *lab, const struct rounds *r, size_t line, size_t figure);
double rounds_median(struct lab *lab, const struct rounds *r, size_t line, size_t figure);

void rounds_free(struct rounds *r);

#endif
