/* SPDX-License-Identifier: MIT */
/* The results of reductions_values.c. */
#ifndef TESTS_USER_REDUCTIONS_H
#define TESTS_USER_REDUCTIONS_H

#include <wsfj.h>

struct wide {
    double v[5];
};
struct huge {
    double v[80];
};

struct reductions {
    double dot, dot_again, skewed;
    struct wide wide;
    struct huge huge;
    float product;
};

/* The reductions of n values. `how`: how their iterations are disturbed, from 0 (not) to 3. 0, or an error. */
int reductions_values(struct reductions *r, long n, const double *x, const double *y, int how);
int reductions_values_serial(struct reductions *r, long n, const double *x, const double *y, int how);

#endif
