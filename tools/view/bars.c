/* SPDX-License-Identifier: MIT */
#include "bars.h"

#include "put.h"

#include <math.h>

const char *view_class(int what)
{
    static const char *const classes[VIEW_WHATS] = {"running", "searching", "parked", "surplus", "woken"};

    return classes[what];
}

struct view_frame view_frame_begin(FILE *out, struct view_at at, int width, int height, const char *title)
{
    struct view_frame f = {48, 34, width, height};
    int whole = height + VIEW_CHART_HEIGHT - VIEW_FRAME_HEIGHT;

    fprintf(out,
            "<svg class='chart' x='%d' y='%d' width='%d' height='%d' viewBox='0 0 %d %d' "
            "role='img' aria-label='%s'><text x='%d' y='18' class='title'>%s</text>"
            "<rect class='ground' x='%d' y='%d' width='%d' height='%d'/>",
            at.x, at.y, VIEW_CHART_WIDTH, whole, VIEW_CHART_WIDTH, whole, title, f.left, title, f.left, f.top, width,
            height);
    return f;
}

/* A step of 1, 2 or 5 times a power of ten; the scale has at most five steps. */
static double step_of(double most)
{
    double step = pow(10, floor(log10(most > 0 ? most : 1)));

    if (most / step > 5)
        return step * 2;
    return most / step > 2 ? step : most / step > 1 ? step / 2 : step / 5;
}

static struct view_text count_text(double value)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    struct view_text text;
    int unit = 0;

    if (value < 9999.5) {
        snprintf(text.at, sizeof text.at, value < 99.95 ? "%.3g" : "%.0f", value);
        return text;
    }
    for (; unit < 4 && value >= 999.5; unit++)
        value /= 1000;
    snprintf(text.at, sizeof text.at, value < 99.95 ? "%.3g%s" : "%.0f%s", value, units[unit]);
    return text;
}

/* Whole numbers only, unless the values are shares. */
static void put_scale(FILE *out, const struct view_frame *f, double most, bool is_share)
{
    double step = is_share ? 0.25 : fmax(1, step_of(most));

    for (double value = 0; value <= most * 1.0001; value += step) {
        double y = f->top + f->height * (1 - (most > 0 ? value / most : 0));

        fprintf(out, "<path class='line' d='M%d %.1fh%d'/><text x='%d' y='%.1f' class='right'>%s</text>", f->left, y,
                f->width, f->left - 6, y + 4, is_share ? view_percent(value, 1).at : count_text(value).at);
    }
}

void view_frame_scale(FILE *out, const struct view_frame *f, double most)
{
    put_scale(out, f, most, false);
}

void view_frame_end(FILE *out)
{
    fprintf(out, "</svg>\n");
}

static double sum_of(const double *value)
{
    double sum = 0;

    for (int i = 0; i < VIEW_WHATS; i++)
        sum += value[i];
    return sum;
}

static void put_bar(FILE *out, const struct view_frame *f, const struct view_bars *b, unsigned i, double most)
{
    double pitch = (double)f->width / b->count, x = f->left + pitch * i, y = f->top + f->height;
    double width = fmin(fmax(pitch * 0.8, pitch - 8), 60);

    fprintf(out, "<g><title>%s %s:", b->below, b->label[i].at);
    for (int what = 0; what < VIEW_WHATS; what++) {
        if (!b->class)
            fprintf(out, " %s %s", view_class(what), view_percent(b->value[i][what], 1).at);
        else if (what == 0)
            fprintf(out, " %s", b->is_share ? view_percent(b->value[i][0], 1).at : count_text(b->value[i][0]).at);
    }
    fprintf(out, "</title>");
    for (int what = 0; what < VIEW_WHATS; what++) {
        double height = most > 0 ? f->height * b->value[i][what] / most : 0;

        y -= height;
        if (height > 0)
            fprintf(out, "<rect class='%s' x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>",
                    b->class ? b->class : view_class(what), x + (pitch - width) / 2, y, width, height);
    }
    fprintf(out, "</g>");
}

void view_bars_draw(FILE *out, struct view_at at, const struct view_bars *b)
{
    struct view_frame f = view_frame_begin(out, at, VIEW_FRAME_WIDTH, VIEW_FRAME_HEIGHT, b->title);
    unsigned every = (b->count + 11) / 12;
    double most = b->is_share;

    for (unsigned i = 0; i < b->count && !b->is_share; i++)
        most = fmax(most, sum_of(b->value[i]));
    put_scale(out, &f, most, b->is_share);
    for (unsigned i = 0; i < b->count; i++) {
        put_bar(out, &f, b, i, most);
        if (i % every == 0)
            fprintf(out, "<text x='%.1f' y='%d' class='middle small'>%s</text>",
                    f.left + (double)f.width * (i + 0.5) / b->count, f.top + f.height + 15, b->label[i].at);
    }
    fprintf(out, "<text x='%d' y='%d' class='middle quiet'>%s</text>", f.left + f.width / 2, f.top + f.height + 32,
            b->below);
    view_frame_end(out);
}
