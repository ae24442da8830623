/* SPDX-License-Identifier: MIT */
#include "profile/verdict.h"

#include <stdlib.h>
#include <string.h>

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
/* If the burdened span may be so many times as long, there is no verdict. */
#define DOUBT_MOST 2
/* A site whose children have so much more work than span has tasks inside tasks. */
#define NESTED 1.1
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

double wsfj_verdict_burdened_least(const struct wsfj_verdict *v)
{
    return v->burdened - v->below;
}

static double burdened_most(const struct wsfj_verdict *v)
{
    return v->burdened + v->above;
}

int wsfj_verdict_digits(double least, double most)
{
    return most <= least ? WSFJ_EXACT : most > 1.1 * least ? 2 : most > 1.01 * least ? 3 : 4;
}

struct wsfj_number wsfj_verdict_number(double x, int significant, int decimals)
{
    struct wsfj_number n;
    const char *exponent;
    int places;

    snprintf(n.text, sizeof n.text, "%.*e", significant - 1, x); /* rounds: 34879 to 3.5e+04 */
    exponent = strchr(n.text, 'e');
    places = exponent ? significant - 1 - atoi(exponent + 1) : 0; /* "inf" has none */
    x = strtod(n.text, NULL);
    snprintf(n.text, sizeof n.text, "%.*f", places < 0 ? 0 : places < decimals ? places : decimals, x);
    return n;
}

void wsfj_verdict_put_ratios(FILE *file, double work, double least, double most, int decimals)
{
    int digits = wsfj_verdict_digits(least, most);
    struct wsfj_number low = wsfj_verdict_number(most > 0 ? work / most : work > 0 ? 1 : 0, digits, decimals);
    struct wsfj_number high = wsfj_verdict_number(least > 0 ? work / least : 0, digits, decimals);

    fputs(low.text, file);
    if (most > 0 && !(least > 0))
        fputs(" or more", file);
    else if (most > 0 && strcmp(low.text, high.text) != 0)
        fprintf(file, " to %s", high.text);
}

/* While the greater part of Cilkview's bound is the work, each worker is used for at least half of its time. Of what is
 * in doubt the worse counts. */
static double enough(const struct wsfj_verdict *v)
{
    return v->work / (SPAN_COEFFICIENT * burdened_most(v));
}

/* From so many workers on the span, even if it is the least that it may be, is the greater of the two lower bounds. */
static unsigned useful(const struct wsfj_verdict *v)
{
    double n = v->span > v->below ? v->work / (v->span - v->below) : WORKERS_MOST + 1;

    return n > WORKERS_MOST ? WORKERS_MOST : (unsigned)n + ((double)(unsigned)n < n);
}

static void put_numbers(const struct page *p)
{
    const struct wsfj_verdict *v = p->v;
    double serial = v->work + v->blocked;

    fputs("The parallelism is ", p->file);
    wsfj_verdict_put_ratios(p->file, serial, v->span - v->below, v->span + v->above, 1);
    fputs(", with the burden ", p->file);
    wsfj_verdict_put_ratios(p->file, serial, wsfj_verdict_burdened_least(v), burdened_most(v), 1);
    fputs(": ", p->file);
}

/* The least and the most would lead to verdicts that are far apart. */
static bool is_in_doubt(const struct wsfj_verdict *v)
{
    return burdened_most(v) > DOUBT_MOST * wsfj_verdict_burdened_least(v) && enough(v) < WORKERS_MOST;
}

static void put_doubt(const struct page *p)
{
    fputs(p->style->before, p->file);
    put_numbers(p);
    fprintf(
        p->file,
        "too wide a range for a verdict, because what a few short strands took decides it. Larger pieces are measured "
        "better; WSFJ_PROFILE_UNIT=1 counts tasks, exactly.%s",
        p->style->after);
}

static void put_parallelism(const struct page *p)
{
    const struct wsfj_verdict *v = p->v;
    fputs(p->style->before, p->file);
    put_numbers(p);
    if (useful(v) <= 1 && v->blocked > 0)
        fputs("one worker is enough, because the program mostly waits in blocking sections.", p->file);
    else if (useful(v) <= 1)
        fputs("the program is serial, and no worker makes it faster.", p->file);
    else if (enough(v) >= WORKERS_MOST)
        fprintf(p->file, "enough for %d workers and more.", WORKERS_MOST);
    else if (enough(v) < 2 && useful(v) >= WORKERS_MOST)
        fputs("not enough for 2 workers.", p->file);
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

    fprintf(p->file, "%sSteals and suspended joins make the span %s%s times as long, because tasks are too small",
            p->style->before, p->v->above + p->v->below > 0 ? "at least " : "",
            wsfj_verdict_number((p->v->burdened + p->v->above) / (p->v->span + p->v->above),
                                wsfj_verdict_digits(p->v->span - p->v->below, p->v->span + p->v->above), 1)
                .text);
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
        if (part < NEARLY)
            fputs("shorten what it and the tasks around it do between spawns and after syncs.", p->file);
        else if (site.work > NESTED * site.span)
            fputs("shorten what it and the tasks inside it do between spawns and after syncs.", p->file);
        else
            fputs("split it up, or shorten what it does between spawns and after syncs.", p->file);
    } else if (find_site(p->v, work_of, &site)) {
        if (site.longest >= 0)
            fputs("No task is a quarter as long as the span, which is many pieces one after the other, as in loops that "
                  "sync each time. ",
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
    if (is_in_doubt(v)) {
        put_doubt(&page);
        if (v->blocked > BLOCKED_PART * (v->work + v->blocked))
            put_blocked(&page);
        return;
    }
    put_parallelism(&page);
    if (burdened_most(v) > BURDEN_MOST * (v->span + v->above))
        put_burden(&page);
    else if (enough(v) >= WORKERS_MOST && !v->is_units && v->strand < STRAND_LEAST_NS)
        put_strands(&page);
    else if (enough(v) < WORKERS_MOST && !(useful(v) <= 1 && v->blocked > 0))
        put_span(&page);
    if (v->blocked > BLOCKED_PART * (v->work + v->blocked))
        put_blocked(&page);
}
