/* SPDX-License-Identifier: MIT */
/* --sweep and --runs: many runs, each in a process of its own, as many at once as there are CPUs. */
#ifndef TOOLS_SIM_SWEEP_H
#define TOOLS_SIM_SWEEP_H

#include "measures.h"

#include <stdbool.h>
#include <stddef.h>

enum { SIM_SWEEPS_MOST = 4, SIM_POINTS_MOST = 10000, SIM_RUNS_MOST = 100000 };

/* What varies: an option, or "{name}" in the arguments of the program. */
struct sim_sweep {
    const char *name;
    char **values;
    size_t count;
};

struct sim_figure {
    double mean, half; /* the half of the 95 % interval; NAN: not known */
};

/* One point of the sweep. */
struct sim_row {
    const char *values[SIM_SWEEPS_MOST];
    unsigned runs, failed;
    char *why; /* the first run that failed; NULL: none has */
    struct sim_figure figures[SIM_MEASURE_COUNT];
};

extern struct sim_sweep sim_sweeps[SIM_SWEEPS_MOST];
extern size_t sim_num_sweeps;

/* `text`: NAME=VALUES. Ends the program with one line if it is wrong. */
void sim_sweep_add(const char *text);

/* The number of points, and the values of one. The last sweep varies fastest. */
size_t sim_sweep_points(void);
void sim_sweep_point(size_t point, const char **values);

/* stats.c: the mean of the values that are known, and the interval in which Student's distribution has it. */
struct sim_figure sim_mean(const double *values, size_t count);

/* runs.c: all runs. `child`: called in the process of each; does not return. Returns the exit status. */
int sim_sweep_run(int argc, char **argv, void (*child)(int argc, char **argv, double *values));

/* table.c: the figures that rows of text have, by name, with commas between them. One line if there is none such. */
void sim_table_columns(const char *list);

/* Rows, in the format of --format, as they come. */
void sim_table_begin(void);
void sim_table_row(const struct sim_row *row);
void sim_table_end(void);

/* plot.c: ends the program if the sweeps or the file are not for a plot. */
void sim_plot_check(void);
/* False, with one line: the file could not be written. */
bool sim_plot(const char *file, const struct sim_row *rows, size_t count);

#endif
