/* SPDX-License-Identifier: MIT */
#include "chart.h"

#include "bars.h"
#include "put.h"

#include <inttypes.h>
#include <string.h>

/* If there are many workers, several share a bar. */
static unsigned workers_in_one(const struct view_sums *s)
{
    return (s->trace->workers + VIEW_BARS_MOST - 1) / VIEW_BARS_MOST;
}

static struct view_bars bars_of_workers(const struct view_sums *s, const char *title)
{
    unsigned each = workers_in_one(s);
    struct view_bars bars = {.title = title, .below = "worker", .count = (s->trace->workers + each - 1) / each};

    for (unsigned i = 0; i < bars.count; i++)
        bars.label[i] = view_sums_worker(s, i * each);
    return bars;
}

void view_chart_workers(FILE *out, struct view_at at, const struct view_sums *s)
{
    struct view_bars bars = bars_of_workers(s, "What each worker did");
    unsigned each = workers_in_one(s);

    bars.is_share = true;
    for (unsigned i = 0; i < s->trace->workers; i++) {
        for (int what = 0; what < VIEW_WHATS && s->trace->length; what++)
            bars.value[i / each][what] += (double)s->workers[i].time[what] / (double)s->trace->length / each;
    }
    view_bars_draw(out, at, &bars);
}

void view_chart_tasks(FILE *out, struct view_at at, const struct view_sums *s)
{
    struct view_bars bars = bars_of_workers(s, "Pieces of tasks that each worker ran");

    bars.class = "running";
    for (unsigned i = 0; i < s->trace->workers; i++)
        bars.value[i / workers_in_one(s)][0] += (double)s->workers[i].parts;
    view_bars_draw(out, at, &bars);
}

void view_chart_steals(FILE *out, struct view_at at, const struct view_sums *s)
{
    struct view_bars bars = bars_of_workers(s, "Steals of each worker");

    bars.class = "steals";
    for (unsigned i = 0; i < s->trace->workers; i++)
        bars.value[i / workers_in_one(s)][0] += (double)s->workers[i].events[VIEW_steal];
    view_bars_draw(out, at, &bars);
}

void view_chart_parallelism(FILE *out, struct view_at at, const struct view_sums *s)
{
    unsigned each = (s->trace->workers + VIEW_BARS_MOST) / VIEW_BARS_MOST;
    struct view_bars bars = {.title = "Parallelism: for how long so many workers ran tasks",
                             .below = "workers running",
                             .class = "running",
                             .is_share = true,
                             .count = s->trace->workers / each + 1};

    for (unsigned i = 0; i <= s->trace->workers && s->trace->length; i++)
        bars.value[i / each][0] += (double)s->sweep.running[i] / (double)s->trace->length;
    for (unsigned i = 0; i < bars.count; i++)
        snprintf(bars.label[i].at, sizeof bars.label[i].at, "%u", i * each);
    view_bars_draw(out, at, &bars);
}

void view_chart_lengths(FILE *out, struct view_at at, const struct view_sums *s)
{
    struct view_bars bars = {
        .title = "Length of the pieces", .below = "shorter than", .class = "running", .count = VIEW_LENGTHS};

    for (int i = 0; i < VIEW_LENGTHS; i++) {
        bool is_last = i == VIEW_LENGTHS - 1;
        struct view_text time = view_time(view_length_bound(is_last ? i - 1 : i));
        const char *point = strchr(time.at, '.'), *unit = strchr(time.at, ' ');

        snprintf(bars.label[i].at, sizeof bars.label[i].at, "%s%.*s%s", is_last ? "more" : "",
                 is_last ? 0 : (int)((point ? point : unit) - time.at), time.at, is_last ? "" : unit);
        bars.value[i][0] = (double)s->lengths[i];
    }
    view_bars_draw(out, at, &bars);
}

void view_chart_distances(FILE *out, struct view_at at, const struct view_sums *s)
{
    struct view_bars bars = {.title = "Steals by distance",
                             .below = "what thief and victim share",
                             .class = "steals",
                             .count = VIEW_DISTANCES};

    for (int i = 0; i < VIEW_DISTANCES; i++) {
        snprintf(bars.label[i].at, sizeof bars.label[i].at, "%s", view_distance_names[i]);
        bars.value[i][0] = (double)s->distances[i];
    }
    view_bars_draw(out, at, &bars);
}

/* A layer of the areas, above the `below` layers. */
static void put_area(FILE *out, const struct view_sums *s, const struct view_frame *f, int what)
{
    fprintf(out, "<path class='%s' d='M", view_class(what));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2 * VIEW_BUCKETS; i++) {
            int edge = pass ? 2 * VIEW_BUCKETS - 1 - i : i, bucket = edge / 2;
            double height = 0;

            for (int j = 0; j < what + 1 - pass; j++)
                height += s->sweep.bucket[bucket][j];
            fprintf(out, "%.1f %.1f ", f->left + (double)f->width * (bucket + edge % 2) / (int)VIEW_BUCKETS,
                    f->top + f->height * (1 - height / s->trace->workers));
        }
    }
    fprintf(out, "Z'/>");
}

void view_chart_over_time(FILE *out, struct view_at at, const struct view_sums *s)
{
    struct view_frame f =
        view_frame_begin(out, at, VIEW_FRAME_WIDTH, VIEW_FRAME_HEIGHT, "What the workers did over time");
    double length = (double)s->trace->length;

    for (int what = VIEW_WHATS - 1; what >= 0; what--)
        put_area(out, s, &f, what);
    view_frame_scale(out, &f, s->trace->workers);
    for (int i = 0; i <= 4; i++)
        fprintf(out, "<text x='%d' y='%d' class='%s'>%s</text>", f.left + f.width * i / 4, f.top + f.height + 16,
                i == 0   ? "left"
                : i == 4 ? "right"
                         : "middle",
                i ? view_time(length * i / 4).at : "0");
    view_frame_end(out);
}
