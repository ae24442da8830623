/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include "bars.h"
#include "fill.h"
#include "page.h"
#include "profile/verdict.h"
#include "put.h"

#include <math.h>

#define WORKERS_MOST 1024
#define CURVE_HEIGHT 300
#define SPEEDUP_LEAST 0.0625

/* What the functions that write the parts of the page need. */
struct page {
    const struct view_profile *profile;
    const char *title;
};

/* A speed-up, with as many digits as the span admits. */
static struct wsfj_number number(const struct view_profile *p, double x, int decimals)
{
    return wsfj_verdict_number(x, wsfj_verdict_digits(p->total.span_least, p->total.span_most), decimals);
}

/* "-": nothing is known, because children were too short. */
static struct wsfj_number ratio(const struct view_profile *p, double a, double b, int decimals)
{
    return b > 0 ? number(p, a / b, decimals) : (struct wsfj_number){"-"};
}

static void put_facts(FILE *out, const struct view_profile *p)
{
    const struct view_site *t = &p->total;
    bool is_exact = t->span_least >= t->span_most;

    fprintf(out, "Work %s%s%s, span %s%s%s: parallelism ", view_profile_length(p, t->work).at,
            t->blocked > 0 ? ", blocked " : "", t->blocked > 0 ? view_profile_length(p, t->blocked).at : "",
            view_profile_length(p, t->span_least).at, is_exact ? "" : " to ",
            is_exact ? "" : view_profile_length(p, t->span_most).at);
    wsfj_verdict_put_ratios(out, view_serial(t), t->span_least, t->span_most, 1);
    if (t->span_least > 0)
        fprintf(out, ". No number of workers makes it more than %s times as fast; with what steals cost, %s.",
                ratio(p, view_serial(t), t->span_least, 1).text,
                ratio(p, view_serial(t), view_burdened_least(t), 1).text);
}

static void site_at(const void *profile, size_t i, struct wsfj_verdict_site *site)
{
    const struct view_profile *p = profile;
    const struct view_site *s = &p->sites.at[i];

    *site = (struct wsfj_verdict_site){.task = p->names.at[s->name].text,
                                       .file = p->names.at[s->name].where,
                                       .count = s->count,
                                       .work = s->work,
                                       .span = s->span,
                                       .burdened = s->burdened,
                                       .longest = s->longest};
}

static void put_verdict_in(FILE *out, const struct view_profile *p, const struct wsfj_verdict_style *style)
{
    const struct view_site *t = &p->total;

    wsfj_verdict_put(out,
                     &(struct wsfj_verdict){.is_units = p->is_units,
                                            .work = t->work,
                                            .blocked = t->blocked,
                                            .span = t->span,
                                            .burdened = t->burdened,
                                            .below = t->span - t->span_least,
                                            .above = t->span_most - t->span,
                                            .strand = t->strands > 0 ? t->work / t->strands : 1,
                                            .num_sites = p->sites.count,
                                            .site = site_at,
                                            .sites = p},
                     style);
}

/* "mergesort, run.csv" */
static void put_name(FILE *out, const struct view_profile *p, const char *title,
                     void (*put)(FILE *out, const char *text))
{
    if (p->program && *p->program) {
        put(out, p->program);
        fputs(", ", out);
    }
    put(out, title);
}

/* Both axes have powers of two, from `least` on. */
static double place_of(double value, double least)
{
    return log2(fmin(fmax(value, least), WORKERS_MOST) / least) / log2(WORKERS_MOST / least);
}

/* Where the axis of speed-ups begins: one worker may be slower than the serial program. */
static double speedup_least_shown(const struct view_profile *p)
{
    return fmax(exp2(floor(log2(fmin(view_speedup_least(p, 1), 1)))), SPEEDUP_LEAST);
}

static void put_curve(FILE *out, const struct view_frame *f, const struct view_profile *p,
                      double (*speedup)(const struct view_profile *, double), const char *class, const char *name)
{
    double least = speedup_least_shown(p), end = f->top + f->height * (1 - place_of(speedup(p, WORKERS_MOST), least));

    fprintf(out, "<path class='%s' d='", class);
    for (int i = 0; i <= 100; i++) {
        double workers = pow(WORKERS_MOST, i / 100.0);

        fprintf(out, "%s%.1f %.1f", i ? "L" : "M", f->left + f->width * i / 100.0,
                f->top + f->height * (1 - place_of(speedup(p, workers), least)));
    }
    fprintf(out, "'/><text class='right' x='%d' y='%.1f'>%s</text>", f->left + f->width - 4, end - 6, name);
}

static void put_chart(FILE *out, struct view_at at, const struct view_profile *p)
{
    struct view_frame f = view_frame_begin(out, at, VIEW_FRAME_WIDTH, CURVE_HEIGHT, "Speed-up: at most, and at least");
    double least = speedup_least_shown(p);

    for (double speedup = least; speedup <= WORKERS_MOST; speedup *= 2) {
        double y = f.top + f.height * (1 - place_of(speedup, least));

        fprintf(out, "<path class='line' d='M%d %.1fh%d'/><text class='right' x='%d' y='%.1f'>%s%.0f</text>", f.left, y,
                f.width, f.left - 6, y + 4, speedup < 1 ? "1/" : "", speedup < 1 ? 1 / speedup : speedup);
    }
    for (int workers = 1; workers <= WORKERS_MOST; workers *= 2) {
        double x = f.left + f.width * place_of(workers, 1);

        fprintf(out, "<text class='%s' x='%.1f' y='%d'>%d</text>", workers < WORKERS_MOST ? "middle" : "right", x,
                f.top + f.height + 15, workers);
    }
    fprintf(out, "<path class='even' d='M%d %.1fL%d %d'/>", f.left, f.top + f.height * (1 - place_of(1, least)),
            f.left + f.width, f.top);
    put_curve(out, &f, p, view_speedup_most, "most", "at most");
    put_curve(out, &f, p, view_speedup_least, "least", "at least");
    fprintf(out, "<text class='middle quiet' x='%d' y='%d'>workers</text>", f.left + f.width / 2, f.top + f.height + 32);
    view_frame_end(out);
}

static void put_title(FILE *out, const void *what)
{
    const struct page *page = what;

    put_name(out, page->profile, page->title, view_put_markup);
}

static void put_summary(FILE *out, const void *what)
{
    put_facts(out, ((const struct page *)what)->profile);
    putc('\n', out);
}

static void put_verdict(FILE *out, const void *what)
{
    put_verdict_in(out, ((const struct page *)what)->profile,
                   &(struct wsfj_verdict_style){"<li>", "</li>\n", view_put_markup});
}

static void put_speedup(FILE *out, const void *what)
{
    put_chart(out, (struct view_at){0, 0}, ((const struct page *)what)->profile);
}

static struct wsfj_number most(const struct view_profile *p, int workers)
{
    double x = view_speedup_most(p, workers);

    return p->total.work < workers * p->total.span_least ? number(p, x, 2) : wsfj_verdict_number(x, WSFJ_EXACT, 2);
}

static void put_bounds(FILE *out, const void *what)
{
    const struct view_profile *p = ((const struct page *)what)->profile;

    for (int workers = 1; workers <= WORKERS_MOST; workers *= 2)
        fprintf(out, "<tr><td>%d</td><td>%s</td><td>%s</td></tr>\n", workers,
                number(p, view_speedup_least(p, workers), 2).text, most(p, workers).text);
}

static void put_sites(FILE *out, const void *what)
{
    const struct view_profile *p = ((const struct page *)what)->profile;

    for (size_t i = 0; i < p->sites.count; i++) {
        const struct view_site *s = &p->sites.at[i];

        fprintf(out, "<tr><td>");
        view_put_markup(out, p->names.at[s->name].text);
        fprintf(out, "</td><td>");
        view_put_markup(out, p->names.at[s->name].where);
        fprintf(out, "</td><td>%.0f</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", s->count,
                view_profile_length(p, s->work).at, view_profile_length(p, s->span).at,
                ratio(p, view_serial(s), s->span, 2).text, ratio(p, view_serial(s), s->burdened, 2).text,
                view_profile_length(p, s->strands > 0 ? s->work / s->strands : 0).at);
    }
}

static void put_method(FILE *out, const void *what)
{
    view_profile_put_method(out, ((const struct page *)what)->profile, "<li>", "</li>\n");
}

static void put_exceeds(FILE *out, const void *what)
{
    view_profile_put_exceeds(out, ((const struct page *)what)->profile, "<p>", "</p>\n");
}

static void put_style(FILE *out, const void *what)
{
    (void)what;
    view_put_lines(out, view_chart_css);
    view_put_lines(out, view_page_css);
}

void view_profile_html(FILE *out, const struct view_profile *p, const char *title)
{
    static const struct view_place places[] = {{"@title@\n", put_title},     {"@style@\n", put_style},
                                               {"@summary@\n", put_summary}, {"@speedup@\n", put_speedup},
                                               {"@bounds@\n", put_bounds},   {"@sites@\n", put_sites},
                                               {"@exceeds@\n", put_exceeds}, {"@verdict@\n", put_verdict},
                                               {"@method@\n", put_method},   {NULL, NULL}};

    view_fill(out, view_profile_page_html, places, &(struct page){p, title});
}

void view_profile_svg(FILE *out, const struct view_profile *p, const char *title)
{
    int height = CURVE_HEIGHT + VIEW_CHART_HEIGHT - VIEW_FRAME_HEIGHT + 50;

    fprintf(out,
            "<?xml version='1.0' encoding='UTF-8'?>\n<svg xmlns='http://www.w3.org/2000/svg' class='chart' width='%d' "
            "height='%d' viewBox='0 0 %d %d'>\n<style>\n",
            VIEW_CHART_WIDTH, height, VIEW_CHART_WIDTH, height);
    view_put_lines(out, view_literal_css);
    fprintf(out, "</style>\n<rect class='paper' width='%d' height='%d'/><text class='title' x='20' y='28'>",
            VIEW_CHART_WIDTH, height);
    put_name(out, p, title, view_put_markup);
    fprintf(out, "</text>\n");
    put_chart(out, (struct view_at){0, 40}, p);
    fprintf(out, "</svg>\n");
}

void view_profile_text(FILE *out, const struct view_profile *p, const char *title)
{
    put_name(out, p, title, view_put_plain);
    fprintf(out, "\n\n- ");
    put_facts(out, p);
    fprintf(out, "\n\nSpeed-up\nworkers  at least   at most\n");
    for (int workers = 1; workers <= WORKERS_MOST; workers *= 2)
        fprintf(out, "%7d %9s %9s\n", workers, number(p, view_speedup_least(p, workers), 2).text, most(p, workers).text);
    fprintf(out, "\nPlaces that spawn\n     count       work       span parallelism  burdened     strand  spawned\n");
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct view_site *s = &p->sites.at[i];

        fprintf(out, "%10.0f %10s %10s %11s %9s %10s  %s, %s\n", s->count, view_profile_length(p, s->work).at,
                view_profile_length(p, s->span).at, ratio(p, view_serial(s), s->span, 2).text,
                ratio(p, view_serial(s), s->burdened, 2).text,
                view_profile_length(p, s->strands > 0 ? s->work / s->strands : 0).at,
                view_short(p->names.at[s->name].text).at, view_short(p->names.at[s->name].where).at);
    }
    view_profile_put_exceeds(out, p, "- ", "\n");
    fprintf(out, "\nHow it was measured\n");
    view_profile_put_method(out, p, "- ", "\n");
    fprintf(out, "\nVerdict\n");
    put_verdict_in(out, p, &(struct wsfj_verdict_style){"- ", "\n", view_put_plain});
}
