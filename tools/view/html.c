/* SPDX-License-Identifier: MIT */
#include "show.h"

#include "bars.h"
#include "chart.h"
#include "data.h"
#include "fill.h"
#include "page.h"
#include "put.h"

#include <inttypes.h>

/* What the functions that write the parts of the page need. */
struct page {
    const struct view_sums *sums;
    const struct view_advice *advice;
    const char *title;
};

static void put_title(FILE *out, const void *what)
{
    const struct page *p = what;

    view_put_markup(out, p->title);
    putc('\n', out);
}

static void put_style(FILE *out, const void *what)
{
    (void)what;
    view_put_lines(out, view_chart_css);
    view_put_lines(out, view_page_css);
}

static void put_summary(FILE *out, const void *what)
{
    const struct page *p = what;

    for (int i = 0; i < p->advice->count; i++) {
        fprintf(out, "<li>");
        view_put_markup(out, p->advice->at[i].text);
        fprintf(out, "</li>\n");
    }
}

static void put_data(FILE *out, const void *what)
{
    const struct page *p = what;

    view_put_data(out, p->sums);
}

static void put_script(FILE *out, const void *what)
{
    (void)what;
    view_put_lines(out, view_page_js);
    view_put_lines(out, view_page_ranks_js);
    view_put_lines(out, view_page_use_js);
}

/* Whether there is an arrow that begins so. */
static bool has_arrow(const struct view_trace *t, int kind)
{
    for (size_t i = 0; i < t->halves.count; i++)
        if (t->halves.at[i].kind == kind && !t->halves.at[i].is_end)
            return true;
    return false;
}

/* Of what there is. */
static void put_legend(FILE *out, const void *what)
{
    static const char *const meanings[VIEW_WHATS] = {"runs a task", "searches", "sleeps", "surplus",
                                                     "woken, does not run yet"};
    const struct view_sums *s = ((const struct page *)what)->sums;

    for (int i = 0; i < VIEW_WHATS; i++)
        if (s->all.time[i])
            fprintf(out, "<span class=\"key %s\"></span>%s\n", view_class(i), meanings[i]);
    if (s->all.events[VIEW_mark])
        fputs("<span class=\"key mark\"></span>mark\n", out);
    if (has_arrow(s->trace, VIEW_FROM_STEAL))
        fputs("<span class=\"key steal\"></span>steal\n", out);
    if (has_arrow(s->trace, VIEW_FROM_RESUME))
        fputs("<span class=\"key resume\"></span>resumption\n", out);
    if (s->trace->messages.count)
        fputs("<span class=\"key message\"></span>message\n", out);
}

static void put_lanes(FILE *out, const void *what)
{
    const struct page *p = what;

    (void)view_chart_lanes(out, (struct view_at){0, 0}, p->sums);
}

static void put_charts(FILE *out, const void *what)
{
    const struct page *p = what;
    static void (*const charts[])(FILE *, struct view_at, const struct view_sums *) = {
        view_chart_over_time, view_chart_parallelism, view_chart_workers,   view_chart_lengths,
        view_chart_tasks,     view_chart_steals,      view_chart_distances, view_chart_matrix};

    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++)
        charts[i](out, (struct view_at){0, 0}, p->sums);
}

static void put_kinds(FILE *out, const void *what)
{
    const struct page *p = what;

    for (size_t i = 0; i < p->sums->num_kinds; i++) {
        const struct view_kind *k = &p->sums->kinds[i];
        const struct view_name *name = &p->sums->trace->names.at[k->name];

        fprintf(out, "<tr><td>");
        view_put_markup(out, name->text);
        fprintf(out, "</td><td>");
        view_put_markup(out, name->where);
        fprintf(out, "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", k->begun,
                k->parts, view_time((double)k->time).at, view_time((double)k->longest).at,
                view_time((double)k->alone).at);
    }
}

static void put_workers(FILE *out, const void *what)
{
    const struct page *p = what;
    double length = (double)p->sums->trace->length;

    for (unsigned i = 0; i < p->sums->trace->workers; i++) {
        const struct view_worker *w = &p->sums->workers[i];

        fprintf(out, "<tr><td>%s</td>", view_sums_worker(p->sums, i).at);
        for (int j = 0; j < VIEW_WHATS; j++)
            fprintf(out, "<td>%s</td>", view_percent((double)w->time[j], length).at);
        fprintf(out, "<td>%s</td>", view_sums_processor(p->sums, i).at);
        fprintf(out,
                "<td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64
                "</td><td>%" PRIu64 "</td></tr>\n",
                w->ends[VIEW_END_DONE], w->parts, w->events[VIEW_steal], w->stolen, w->robbed,
                w->ends[VIEW_END_CHILDREN]);
    }
}

static void put_producer(FILE *out, const void *what)
{
    const struct view_trace *t = ((const struct page *)what)->sums->trace;

    fprintf(out, "%zu event%s, recorded by ", t->events, VIEW_S(t->events));
    view_put_markup(out, t->producer);
    if (t->ranks.count)
        fprintf(out, "; %zu message%s between %zu ranks. Worker 1:3 is worker 3 of rank 1", t->messages.count,
                VIEW_S(t->messages.count), t->ranks.count);
    putc('\n', out);
}

void view_show_html(FILE *out, const struct view_sums *s, const struct view_advice *a, const char *title)
{
    static const struct view_place places[] = {
        {"@title@\n", put_title},   {"@style@\n", put_style},       {"@summary@\n", put_summary},
        {"@legend@\n", put_legend}, {"@producer@\n", put_producer}, {"@lanes@\n", put_lanes},
        {"@charts@\n", put_charts}, {"@kinds@\n", put_kinds},       {"@workers@\n", put_workers},
        {"@data@\n", put_data},     {"@script@\n", put_script},     {NULL, NULL}};

    view_fill(out, view_page_html, places, &(struct page){s, a, title});
}
