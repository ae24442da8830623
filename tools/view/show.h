/* SPDX-License-Identifier: MIT */
/* The ways to show a trace. Neighbour: main.c, which chooses. */
#ifndef WSFJ_VIEW_SHOW_H
#define WSFJ_VIEW_SHOW_H

#include "advice.h"

#include <stdio.h>

void view_show_html(FILE *out, const struct view_sums *sums, const struct view_advice *advice, const char *title);
void view_show_svg(FILE *out, const struct view_sums *sums, const struct view_advice *advice, const char *title);
/* A line for each event. False: no memory. */
bool view_show_log(FILE *out, const struct view_trace *trace);
void view_show_text(FILE *out, const struct view_sums *sums, const struct view_advice *advice, const char *title);

#endif
