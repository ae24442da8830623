/* SPDX-License-Identifier: MIT */
/*
 * --plot: speed-up and efficiency over the number of workers, with what the work and the span allow: no run is faster
 * than max(T1/P, Tinf), and a greedy scheduler without overhead needs at most T1/P + Tinf. The picture has its own
 * background, so that it is readable on any page.
 */
#include "sweep.h"

#include "fail.h"
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 460.0
#define HEIGHT 320.0
#define MARGIN 60.0
#define GAP 80.0
#define TOP 60.0

enum { SERIES_MOST = 6 };

/* A panel: what is drawn, and its scale. Both axes are logarithmic if the workers differ much. */
struct panel {
    FILE *file;
    double left;
    double least, most; /* workers */
    double low, high;   /* values */
    bool is_log, has_log_values;
};

struct curve {
    const struct sim_row *rows[SIM_POINTS_MOST];
    size_t count;
};

static const char *const colours[SERIES_MOST] = {"#1f6fb4", "#c8501e", "#2d8a3e", "#8a3fa0", "#9a7400", "#b02a5b"};
static size_t axis; /* the sweep of workers */

void sim_plot_check(void)
{
    size_t series;
    FILE *file;

    for (axis = 0; axis < sim_num_sweeps && strcmp(sim_sweeps[axis].name, "workers") != 0; axis++) {
    }
    if (axis == sim_num_sweeps || sim_sweeps[axis].count < 2)
        sim_fail(SIM_EXIT_USAGE, "--plot needs --sweep workers=... with at least two values");
    series = sim_sweep_points() / sim_sweeps[axis].count;
    if (series > SERIES_MOST)
        sim_fail(SIM_EXIT_USAGE, "--plot: %zu curves are more than %d", series, SERIES_MOST);
    file = fopen(sim_options.plot, "a"); /* the runs may take hours: a wrong name must be an error before they begin */
    if (!file || fclose(file) != 0)
        sim_fail(SIM_EXIT_USAGE, "--plot=%s: %s", sim_options.plot, strerror(errno));
}

static double workers(const struct sim_row *row)
{
    return strtod(row->values[axis], NULL);
}

static double work(const struct sim_row *row)
{
    return row->figures[SIM_work_ns].mean;
}

/* The speed-up in that time. */
static double fastest(const struct sim_row *row)
{
    return work(row) / fmax(work(row) / workers(row), row->figures[SIM_span_ns].mean);
}

static double greedy(const struct sim_row *row)
{
    return work(row) / (work(row) / workers(row) + row->figures[SIM_span_ns].mean);
}

static double place(double value, double low, double high, bool is_log)
{
    if (is_log) {
        value = log2(value);
        low = log2(low);
        high = log2(high);
    }
    return (value - low) / (high - low);
}

static double x_of(const struct panel *p, double value)
{
    return p->left + WIDTH * place(value, p->least, p->most, p->is_log);
}

static double y_of(const struct panel *p, double value)
{
    double share = place(fmax(value, p->low), p->low, p->high, p->has_log_values);

    return TOP + HEIGHT * (1 - fmin(share, 1));
}

static void label(const struct panel *p, double x, double y, const char *anchor, const char *text)
{
    fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

static void tick_x(const struct panel *p, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%g", value);
    fprintf(p->file, "<path d=\"M%.1f %.1fv5\" stroke=\"#333333\"/>\n", x_of(p, value), TOP + HEIGHT);
    label(p, x_of(p, value), TOP + HEIGHT + 19, "middle", text);
}

static void tick_y(const struct panel *p, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.4g", value);
    fprintf(p->file, "<path d=\"M%.1f %.1fh%.0f\" stroke=\"#dddddd\"/>\n", p->left, y_of(p, value), WIDTH);
    label(p, p->left - 7, y_of(p, value) + 4, "end", text);
}

/* About eight steps of 1, 2 or 5 times a power of ten. */
static double step_of(double range)
{
    double step = pow(10, floor(log10(range / 8)));

    return range / step <= 8 ? step : range / step <= 16 ? 2 * step : range / step <= 40 ? 5 * step : 10 * step;
}

static void frame(const struct panel *p, const char *title)
{
    double step;

    if (p->has_log_values) {
        for (double v = p->low; v <= p->high; v *= p->high / p->low > 256 ? 4 : 2)
            tick_y(p, v);
    } else {
        step = step_of(p->high - p->low);
        for (int i = 0; p->low + i * step <= p->high * 1.0001; i++)
            tick_y(p, p->low + i * step);
    }
    if (p->is_log) {
        for (double v = p->least; v <= p->most; v *= 2)
            tick_x(p, v);
    } else {
        step = fmax(1, step_of(p->most - p->least));
        for (double v = p->least; v <= p->most; v += step)
            tick_x(p, v);
    }
    fprintf(p->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" stroke=\"#333333\"/>\n",
            p->left, TOP, WIDTH, HEIGHT);
    label(p, p->left + WIDTH / 2, TOP - 12, "middle", title);
    label(p, p->left + WIDTH / 2, TOP + HEIGHT + 38, "middle", "workers");
}

/* `value`: of a row; drawn where it is known. */
static void line(const struct panel *p, const struct curve *curve, double (*value)(const struct sim_row *),
                 bool per_worker, const char *style)
{
    const char *command = "M";

    fprintf(p->file, "<path fill=\"none\" %s d=\"", style);
    for (size_t i = 0; i < curve->count; i++) {
        const struct sim_row *row = curve->rows[i];
        double v = value(row) / (per_worker ? workers(row) : 1);

        if (!isfinite(v))
            continue;
        fprintf(p->file, "%s%.1f %.1f", command, x_of(p, workers(row)), y_of(p, v));
        command = "L";
    }
    fprintf(p->file, "\"/>\n");
}

static double speedup(const struct sim_row *row)
{
    return row->figures[SIM_speedup].mean;
}

static void points(const struct panel *p, const struct curve *curve, enum sim_measure measure, const char *colour)
{
    for (size_t i = 0; i < curve->count; i++) {
        const struct sim_figure *f = &curve->rows[i]->figures[measure];
        double x = x_of(p, workers(curve->rows[i]));

        if (isnan(f->mean))
            continue;
        fprintf(p->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y_of(p, f->mean), colour);
        if (f->half > 0)
            fprintf(p->file, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", x, y_of(p, f->mean - f->half),
                    y_of(p, f->mean + f->half), colour);
    }
}

static void curves(const struct panel *p, const struct curve *curve, size_t series, bool per_worker)
{
    char style[128];
    const char *colour = colours[series];

    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2\"", colour);
    line(p, curve, speedup, per_worker, style);
    points(p, curve, per_worker ? SIM_efficiency : SIM_speedup, colour);
    snprintf(style, sizeof style, "class=\"fastest\" stroke=\"%s\" stroke-dasharray=\"7 4\"", colour);
    line(p, curve, fastest, per_worker, style);
    snprintf(style, sizeof style, "class=\"greedy\" stroke=\"%s\" stroke-dasharray=\"2 3\"", colour);
    line(p, curve, greedy, per_worker, style);
}

static void escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '&')
            fprintf(file, *text == '<' ? "&lt;" : "&amp;");
        else
            putc(*text, file);
    }
}

static void legend(const struct panel *p, const struct curve *curve, size_t series, bool has_span)
{
    double y = TOP + HEIGHT + 62 + 18.0 * (double)series;

    fprintf(p->file, "<path d=\"M%.0f %.1fh30\" stroke=\"%s\" stroke-width=\"2\"/>\n<text x=\"%.0f\" y=\"%.1f\">",
            MARGIN, y - 4, colours[series], MARGIN + 38, y);
    fprintf(p->file, "simulated");
    for (size_t i = 0; i < sim_num_sweeps && curve->count; i++)
        if (i != axis) {
            fprintf(p->file, ", ");
            escaped(p->file, sim_sweeps[i].name);
            fprintf(p->file, " ");
            escaped(p->file, curve->rows[0]->values[i]);
        }
    fprintf(p->file, "</text>\n");
    if (series > 0)
        return;
    label(p, MARGIN + WIDTH + GAP, y, "start",
          has_span ? "dashed: max(T1/P, T\u221e), no schedule is faster; dotted: T1/P + T\u221e"
                   : "no bounds: the program has not told its span");
}

static bool split(struct curve *all, const struct sim_row *rows, size_t count)
{
    size_t after = 1; /* points between two of the same curve */
    bool has_span = false;

    for (size_t i = axis + 1; i < sim_num_sweeps; i++)
        after *= sim_sweeps[i].count;
    for (size_t i = 0; i < count; i++) {
        size_t series = i / after / sim_sweeps[axis].count * after + i % after;

        if (rows[i].failed < rows[i].runs && workers(&rows[i]) >= 1)
            all[series].rows[all[series].count++] = &rows[i];
        has_span |= !isnan(rows[i].figures[SIM_span_ns].mean);
    }
    return has_span;
}

bool sim_plot(const char *name, const struct sim_row *rows, size_t count)
{
    struct curve *all = sim_new(SERIES_MOST, sizeof *all);
    bool has_span = split(all, rows, count);
    size_t series = count / sim_sweeps[axis].count;
    FILE *file = fopen(name, "w");
    struct panel p[2] = {{.file = file, .left = MARGIN, .least = INFINITY},
                         {.file = file, .left = MARGIN + WIDTH + GAP, .high = 1}};

    for (size_t s = 0; s < series; s++)
        for (size_t i = 0; i < all[s].count; i++) {
            p[0].least = fmin(p[0].least, workers(all[s].rows[i]));
            p[0].most = fmax(p[0].most, workers(all[s].rows[i]));
        }
    if (p[0].most <= p[0].least) { /* fewer than two points have a result */
        p[0].least = fmin(p[0].least, 1);
        p[0].most = p[0].least + 1;
    }
    p[0].is_log = p[0].has_log_values = p[0].most / p[0].least > 16;
    p[0].high = p[0].most;
    p[0].low = p[0].has_log_values ? fmin(1, p[0].least) : 0;
    p[1].least = p[0].least;
    p[1].most = p[0].most;
    p[1].is_log = p[0].is_log;
    if (file) {
        fprintf(file,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
                "font-size=\"12\" fill=\"#222222\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                2 * (MARGIN + WIDTH) + GAP, TOP + HEIGHT + 70 + 18.0 * (double)series);
        frame(&p[0], "speed-up (work / time)");
        frame(&p[1], "efficiency (speed-up / workers)");
        for (size_t s = 0; s < series; s++) {
            curves(&p[0], &all[s], s, false);
            curves(&p[1], &all[s], s, true);
            legend(&p[0], &all[s], s, has_span);
        }
        fprintf(file, "</svg>\n");
    }
    free(all);
    if (file && !ferror(file) && fclose(file) == 0)
        return true;
    fprintf(stderr, "wsfj-sim: --plot=%s: %s\n", name, strerror(errno));
    return false;
}
