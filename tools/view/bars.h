/* SPDX-License-Identifier: MIT */
/* What the charts have in common: a frame with a title and a scale, with bars inside. */
#ifndef WSFJ_VIEW_BARS_H
#define WSFJ_VIEW_BARS_H

#include "chart.h"
#include "put.h"

enum { VIEW_BARS_MOST = 64 };

struct view_bars {
    const char *title, *below;
    const char *class; /* NULL: values are stacked, in the colours of enum view_what */
    unsigned count;
    bool is_share; /* values are 0 to 1, else counts */
    struct view_text label[VIEW_BARS_MOST];
    double value[VIEW_BARS_MOST][VIEW_WHATS]; /* with a class, only [0] */
};

/* The area inside the scale. */
struct view_frame {
    int left, top, width, height;
};
enum { VIEW_FRAME_WIDTH = VIEW_CHART_WIDTH - 60, VIEW_FRAME_HEIGHT = VIEW_CHART_HEIGHT - 74 };

/* The class of chart.css, and its name. */
const char *view_class(int what);

struct view_frame view_frame_begin(FILE *out, struct view_at at, int width, int height, const char *title);
void view_frame_scale(FILE *out, const struct view_frame *frame, double most);
void view_frame_end(FILE *out);

void view_bars_draw(FILE *out, struct view_at at, const struct view_bars *bars);

#endif
