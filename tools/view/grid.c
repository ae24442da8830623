/* SPDX-License-Identifier: MIT */
/* Charts with a row for each worker: the matrix of steals, and the time line of --format svg. */
#include "chart.h"

#include "bars.h"
#include "matrix.h"
#include "put.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MATRIX_SIDE 420

static void put_cell(FILE *out, const struct view_sums *s, const struct view_matrix *m, unsigned i, unsigned j,
                     double x, double y, double side)
{
    uint64_t n = m->cell[i][j];

    fprintf(out, "<g><title>thief %s, victim %s: %" PRIu64 " steal%s</title>", view_sums_worker(s, i * m->each).at,
            view_sums_worker(s, j * m->each).at, n, VIEW_S(n));
    fprintf(out, "<rect class='%s' style='opacity:%.3f' x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>",
            i == j && m->each == 1 ? "self" : "steals",
            n        ? 0.15 + 0.85 * sqrt((double)n / (double)m->most)
            : i == j ? 1
                     : 0,
            x, y, side - 1, side - 1);
    if (side >= 30 && n)
        fprintf(out, "<text x='%.1f' y='%.1f' class='middle %s'>%" PRIu64 "</text>", x + side / 2, y + side / 2 + 4,
                2 * n > m->most ? "inverse" : "", n);
    fprintf(out, "</g>");
}

void view_chart_matrix(FILE *out, struct view_at at, const struct view_sums *s)
{
    struct view_matrix m;
    struct view_frame f;
    double side, room = s->trace->ranks.count ? 36 : 14; /* for a worker's name */
    unsigned every;

    view_matrix_make(&m, s->trace);
    side = fmin((double)MATRIX_SIDE / m.size, 60);
    f = view_frame_begin(out, at, (int)(side * m.size), (int)(side * m.size), "Who stole from whom");
    every = (unsigned)ceil(room / side);
    for (unsigned i = 0; i < m.size; i++) {
        if (i % every == 0)
            fprintf(out, "<text x='%d' y='%.1f' class='right'>%s</text><text x='%.1f' y='%.1f' class='middle'>%s</text>",
                    f.left - 6, f.top + side * (i + 0.5) + 4, view_sums_worker(s, i * m.each).at,
                    f.left + side * (i + 0.5), f.top + side * m.size + 16, view_sums_worker(s, i * m.each).at);
        for (unsigned j = 0; j < m.size; j++)
            put_cell(out, s, &m, i, j, f.left + side * j, f.top + side * i, side);
    }
    fprintf(out, "<text x='%d' y='%.1f' class='left quiet'>thieves in rows, victims in columns</text>", f.left,
            f.top + side * m.size + 33);
    view_frame_end(out);
}

#define LANES_LEFT 76
#define LANES_WIDTH (2 * VIEW_CHART_WIDTH - LANES_LEFT - 12)
#define LANES_TOP 26
#define ROWS_MOST 128   /* a row takes 12 kB */
#define MARKS_MOST 1000 /* more would not be legible */

/* How the lanes are laid out. */
struct rows {
    unsigned each; /* lanes that share a row */
    unsigned count;
    int pitch;
};

static struct rows rows_of(const struct view_sums *s)
{
    struct rows r = {.each = (s->trace->workers + ROWS_MOST - 1) / ROWS_MOST};

    r.count = (s->trace->workers + r.each - 1) / r.each;
    r.pitch = r.count <= 32 ? 22 : 10;
    return r;
}

/* Adds a lane's slices to the columns, a column for each pixel; `part` of a row is the lane's. */
static void add_lane(double (*column)[VIEW_WHATS], const struct view_trace *t, unsigned lane, double part)
{
    double pixel = (double)t->length / LANES_WIDTH;

    for (size_t i = t->first[lane]; i < t->first[lane + 1] && pixel > 0; i++) {
        const struct view_slice *slice = &t->slices.at[i];
        double from = (double)slice->from / pixel, to = (double)slice->to / pixel;

        for (int x = (int)from; x < LANES_WIDTH && x < to; x++)
            column[x][slice->what] += part * (fmin(to, x + 1) - fmax(from, x));
    }
}

/* Draws a row: each column as high as the share of its time. */
static void put_row(FILE *out, const struct view_sums *s, const struct rows *r, unsigned row, int y, int height)
{
    static double column[LANES_WIDTH][VIEW_WHATS];
    unsigned first = row * r->each, end = first + r->each;

    memset(column, 0, sizeof column);
    end = end < s->trace->workers ? end : s->trace->workers;
    for (unsigned lane = first; lane < end; lane++)
        add_lane(column, s->trace, lane, 1.0 / (end - first));
    for (int what = 0; what < VIEW_WHATS; what++) {
        fprintf(out, "<path class='%s stroke' d='", view_class(what));
        for (int x = 0; x < LANES_WIDTH; x++) {
            double below = 0;

            for (int j = 0; j < what; j++)
                below += column[x][j];
            if (column[x][what] > 0.005)
                fprintf(out, "M%d.5 %.1fv%.1f", LANES_LEFT + x, y + height * (1 - below), -height * column[x][what]);
        }
        fprintf(out, "'/>\n");
    }
}

static void put_marks(FILE *out, const struct view_trace *t, int height)
{
    unsigned shown = 0;

    for (size_t i = 0; i < t->instants.count && shown < MARKS_MOST; i++) {
        const struct view_instant *instant = &t->instants.at[i];

        if (instant->event != VIEW_mark || t->length == 0)
            continue;
        shown++;
        fprintf(out, "<g><title>");
        view_put_markup(out, t->names.at[instant->name].text);
        fprintf(out, "</title><path class='mark' d='M%.1f %dv%d'/></g>\n",
                LANES_LEFT + LANES_WIDTH * ((double)instant->at / (double)t->length), LANES_TOP, height);
    }
}

/* Of what there is. */
static void put_legend(FILE *out, const struct view_sums *s)
{
    static const char *const meanings[VIEW_WHATS] = {"runs a task", "searches", "sleeps", "surplus", "woken"};

    int x = LANES_LEFT + LANES_WIDTH;

    for (int what = VIEW_WHATS - 1; what >= 0; what--) {
        if (!s->all.time[what])
            continue;
        x -= 90;
        fprintf(out, "<rect class='%s' x='%d' y='8' width='11' height='11'/><text x='%d' y='18'>%s</text>",
                view_class(what), x, x + 16, meanings[what]);
    }
}

int view_chart_lanes_height(const struct view_sums *s)
{
    struct rows r = rows_of(s);

    return LANES_TOP + (int)r.count * r.pitch + 30;
}

int view_chart_lanes(FILE *out, struct view_at at, const struct view_sums *s)
{
    struct rows r = rows_of(s);
    int inner = (int)r.count * r.pitch, height = view_chart_lanes_height(s);
    unsigned every = (unsigned)(12 + r.pitch - 1) / (unsigned)r.pitch;

    fprintf(out,
            "<svg class='chart' x='%d' y='%d' width='%d' height='%d' viewBox='0 0 %d %d' "
            "role='img' aria-label='Time line'><text x='%d' y='18' class='title'>Time line</text>",
            at.x, at.y, 2 * VIEW_CHART_WIDTH, height, 2 * VIEW_CHART_WIDTH, height, LANES_LEFT);
    put_legend(out, s);
    for (unsigned row = 0; row < r.count; row++) {
        int y = LANES_TOP + (int)row * r.pitch;

        fprintf(out, "<rect class='ground' x='%d' y='%d' width='%d' height='%d'/>", LANES_LEFT, y, LANES_WIDTH,
                r.pitch - 2);
        if (row % every == 0)
            fprintf(out, "<text x='%d' y='%d' class='right'>worker %s</text>\n", LANES_LEFT - 6, y + r.pitch / 2 + 4,
                    view_sums_worker(s, row * r.each).at);
        put_row(out, s, &r, row, y, r.pitch - 2);
    }
    if (r.each > 1)
        fprintf(out, "<text x='%d' y='18' class='left quiet'>%u workers in each row</text>", LANES_LEFT + 80, r.each);
    put_marks(out, s->trace, inner);
    for (int i = 0; i <= 8; i++)
        fprintf(out, "<text x='%d' y='%d' class='%s'>%s</text>", LANES_LEFT + LANES_WIDTH * i / 8,
                LANES_TOP + inner + 18,
                i == 0   ? "left"
                : i == 8 ? "right"
                         : "middle",
                i ? view_time((double)s->trace->length * i / 8).at : "0");
    view_frame_end(out);
    return height;
}
