/* SPDX-License-Identifier: MIT */
/* Charts as SVG, for the page and for --format svg. Each is one svg element; chart.css has their looks. */
#ifndef WSFJ_VIEW_CHART_H
#define WSFJ_VIEW_CHART_H

#include "sums.h"

#include <stdio.h>

enum { VIEW_CHART_WIDTH = 580, VIEW_CHART_HEIGHT = 230 };

/* The position of its upper left corner in the picture around it. */
struct view_at {
    int x, y;
};

/* How many workers run, search, sleep over time. */
void view_chart_over_time(FILE *out, struct view_at at, const struct view_sums *sums);

/* Share of the time in which so many workers ran tasks. */
void view_chart_parallelism(FILE *out, struct view_at at, const struct view_sums *sums);

/* What each worker did with its time. */
void view_chart_workers(FILE *out, struct view_at at, const struct view_sums *sums);

/* How many pieces of tasks each worker ran, how often it stole. */
void view_chart_tasks(FILE *out, struct view_at at, const struct view_sums *sums);
void view_chart_steals(FILE *out, struct view_at at, const struct view_sums *sums);

void view_chart_lengths(FILE *out, struct view_at at, const struct view_sums *sums);
void view_chart_distances(FILE *out, struct view_at at, const struct view_sums *sums);
void view_chart_matrix(FILE *out, struct view_at at, const struct view_sums *sums);

/* The time line of all lanes, as wide as two charts. If there are many, several share a row. Returns its height. */
int view_chart_lanes(FILE *out, struct view_at at, const struct view_sums *sums);

int view_chart_lanes_height(const struct view_sums *sums);

#endif
