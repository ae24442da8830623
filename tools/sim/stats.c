/* SPDX-License-Identifier: MIT */
#include "sweep.h"

#include <math.h>

/* The 97.5 % point of Student's distribution. Above the table: the first terms of its expansion by 1 / degrees, exact
 * to 1e-5 there. */
static double student(size_t degrees)
{
    static const double table[] = {NAN,    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469,
                                   2.3646, 2.3060,  2.2622, 2.2281, 2.2010, 2.1788, 2.1604,
                                   2.1448, 2.1314,  2.1199, 2.1098, 2.1009, 2.0930, 2.0860};
    double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, n = (double)degrees;

    if (degrees < sizeof table / sizeof *table)
        return table[degrees];
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

struct sim_figure sim_mean(const double *values, size_t count)
{
    struct sim_figure figure = {NAN, NAN};
    double sum = 0, squares = 0;
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        sum += values[i];
        known++;
    }
    if (known == 0)
        return figure;
    figure.mean = sum / (double)known;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            squares += (values[i] - figure.mean) * (values[i] - figure.mean);
    if (known > 1)
        figure.half = student(known - 1) * sqrt(squares / (double)(known - 1) / (double)known);
    return figure;
}
