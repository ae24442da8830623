/* SPDX-License-Identifier: MIT */
#include "profile/verdict.h"

/* The coefficient of the burdened span in Cilkview's bound (report.c). */
#define SPAN_COEFFICIENT 1.7
/* For more workers the report says nothing. */
#define WORKERS_MOST 1024
/* With the burden, the span is so many times as long: tasks are too small to be stolen. */
#define BURDEN_MOST 2
/* A task of this part of the span is named. It need not lie on the longest path, but the span cannot fall below it. */
#define SPAN_PART 0.25
/* As good as all of it. */
#define NEARLY 0.9
/* Shorter strands cost more to spread than they bring. */
#define STRAND_LEAST_NS 100
/* A smaller part of the serial time is not worth a sentence. */
#define BLOCKED_PART 0.1

struct page {
    FILE *file;
    const struct wsfj_verdict *v;
    const struct wsfj_verdict_style *style;
};

static void put_site(const struct page *p, const struct wsfj_verdict_site *site)
{
    p->style->name(p->file, site->task);
    if (!*site->file)
        return;
    fputs(" at ", p->file);
    p->style->name(p->file, site->file);
    if (site->line)
        fprintf(p->file, ":%u", site->line);
}

/* While the greater part of Cilkview's bound is the work, each worker is used for at least half of its time. */
static double enough(const struct wsfj_verdict *v)
{
    return v->work / (SPAN_COEFFICIENT * v->burdened);
}

/* From so many workers on the span is the greater of the two lower bounds. */
static unsigned useful(const struct wsfj_verdict *v)
{
    double n = v->work / v->span;

    return n > WORKERS_MOST ? WORKERS_MOST : (unsigned)n + ((double)(unsigned)n < n);
}

static void put_parallelism(const struct page *p)
{
    const struct wsfj_verdict *v = p->v;
    double serial = v->work + v->blocked;

    fputs(p->style->before, p->file);
    fprintf(p->file, "The parallelism is %.1f, with the burden %.1f: ", serial / v->span, serial / v->burdened);
    if (useful(v) <= 1 && v->blocked > 0)
        fputs("one worker is enough, because the program mostly waits in blocking sections.", p->file);
    else if (useful(v) <= 1)
        fputs("the program is serial, and no worker makes it faster.", p->file);
    else if (enough(v) >= WORKERS_MOST)
        fprintf(p->file, "enough for %d workers and more.", WORKERS_MOST);
    else if (enough(v) < 2)
        fprintf(p->file, "not enough for 2 workers, and more than %u gain nothing.", useful(v));
    else if (useful(v) < WORKERS_MOST)
        fprintf(p->file, "enough for %u workers, and more than %u gain nothing.", (unsigned)enough(v), useful(v));
    else
        fprintf(p->file, "enough for %u workers, not for %d.", (unsigned)enough(v), WORKERS_MOST);
    fputs(p->style->after, p->file);
}

/* The site with the most of something; false if there is none. */
static bool find_site(const struct wsfj_verdict *v, double (*of)(const struct wsfj_verdict_site *site),
                      struct wsfj_verdict_site *found)
{
    struct wsfj_verdict_site site;

    for (size_t i = 0; i < v->num_sites; i++) {
        v->site(v->sites, i, &site);
        if (i == 0 || of(&site) > of(found))
            *found = site;
    }
    return v->num_sites > 0;
}

static double work_of(const struct wsfj_verdict_site *site)
{
    return site->work;
}

static double count_of(const struct wsfj_verdict_site *site)
{
    return site->count;
}

static double longest_of(const struct wsfj_verdict_site *site)
{
    return site->longest;
}

static double burden_of(const struct wsfj_verdict_site *site)
{
    return site->burdened - site->span;
}

/* The site of the longest task. If another one is nearly as long, it may run inside, and is the better place to look at. */
static bool find_span(const struct wsfj_verdict *v, struct wsfj_verdict_site *found)
{
    struct wsfj_verdict_site site, outer;

    if (!find_site(v, longest_of, &outer) || outer.longest < SPAN_PART * v->span)
        return false;
    *found = outer;
    for (size_t i = 0; i < v->num_sites; i++) {
        v->site(v->sites, i, &site);
        if (site.longest >= NEARLY * outer.longest && site.longest < found->longest)
            *found = site;
    }
    return true;
}

static void put_burden(const struct page *p)
{
    struct wsfj_verdict_site site;

    fprintf(p->file, "%sSteals and suspended joins make the span %.1f times as long, because tasks are too small",
            p->style->before, p->v->burdened / p->v->span);
    if (find_site(p->v, burden_of, &site)) {
        fputs(": spawn larger pieces, first of ", p->file);
        put_site(p, &site);
    }
    fprintf(p->file, ".%s", p->style->after);
}

static void put_span(const struct page *p)
{
    struct wsfj_verdict_site site;

    fputs(p->style->before, p->file);
    if (find_span(p->v, &site)) {
        double part = site.longest / p->v->span;

        fputs("One task, ", p->file);
        put_site(p, &site);
        fprintf(p->file, ", is %.0f %% as long as the span: ", part < 1 ? 100 * part : 100);
        fputs(part < NEARLY ? "shorten what it and the tasks around it do between spawns and after syncs."
                            : "split it up, or shorten what it does between spawns and after syncs.",
              p->file);
    } else if (find_site(p->v, work_of, &site)) {
        if (site.longest >= 0)
            fputs(
                "No task is a quarter as long as the span, which is many pieces one after the other, as in loops that sync each time. ",
                p->file);
        fputs("Most work is spawned as ", p->file);
        put_site(p, &site);
        fputs(".", p->file);
    } else {
        fputs("Nothing is spawned.", p->file);
    }
    fputs(p->style->after, p->file);
}

static void put_strands(const struct page *p)
{
    struct wsfj_verdict_site site;

    if (!find_site(p->v, count_of, &site))
        return;
    fprintf(
        p->file,
        "%sA strand has %.0f ns on average, less than it costs to spread: below some size, call instead of spawning ",
        p->style->before, p->v->strand);
    put_site(p, &site);
    fprintf(p->file, ".%s", p->style->after);
}

static void put_blocked(const struct page *p)
{
    const struct wsfj_verdict *v = p->v;

    fprintf(
        p->file,
        "%sTasks are blocked for %.0f %% of the serial time: at the shortest possible time some %.0f of them at once, "
        "each with a spare thread (WSFJ_SPARES).%s",
        p->style->before, 100 * v->blocked / (v->work + v->blocked),
        v->blocked / v->span > 1 ? v->blocked / v->span : 1, p->style->after);
}

void wsfj_verdict_put(FILE *file, const struct wsfj_verdict *v, const struct wsfj_verdict_style *style)
{
    const struct page page = {file, v, style};

    if (!(v->span > 0) || !(v->burdened > 0)) {
        fprintf(file, "%sNo region has run.%s", style->before, style->after);
        return;
    }
    put_parallelism(&page);
    if (v->burdened > BURDEN_MOST * v->span)
        put_burden(&page);
    else if (enough(v) >= WORKERS_MOST && !v->is_units && v->strand < STRAND_LEAST_NS)
        put_strands(&page);
    else if (enough(v) < WORKERS_MOST && !(useful(v) <= 1 && v->blocked > 0))
        put_span(&page);
    if (v->blocked > BLOCKED_PART * (v->work + v->blocked))
        put_blocked(&page);
}
