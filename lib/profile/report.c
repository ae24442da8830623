/* SPDX-License-Identifier: MIT */
/* The profile as text and as CSV (doc/profiling.md has the columns), and the speed-up to expect. */
#include "profile/profile.h"
#include "profile/verdict.h"

#include <string.h>

#define WORKERS_MOST 1024
/* The factor of the burdened span in the bound below: the coefficient of Cilkview, found by experiment. */
#define SPAN_COEFFICIENT 1.7

/* The laws of work and span, with the least span that it may be. Only the work is divided among the workers: a blocked
 * task needs none. */
double wsfj_speedup_most(const struct wsfj_summary *s, double workers)
{
    double share = s->work / workers;

    return wsfj_ratio(s->serial, share > s->span_least ? share : s->span_least);
}

/* T(P) <= T(1) / P + c T(inf), with the most that the burdened span may be (He, Leiserson, Leiserson, SPAA 2010). */
double wsfj_speedup_least(const struct wsfj_summary *s, double workers)
{
    return wsfj_ratio(s->serial, s->work / workers + SPAN_COEFFICIENT * wsfj_burdened_most(s));
}

/* A length with at most so many significant digits. */
static struct wsfj_text length(const struct wsfj_summary *s, double x, int digits)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    struct wsfj_text l;
    int i = 0;

    if (strcmp(s->unit, "ns") != 0) {
        snprintf(l.text, sizeof l.text, x < 1e5 ? "%.6g" : "%.0f", x);
        return l;
    }
    for (; i < 3 && x >= 1000; i++)
        x /= 1000;
    if (digits < 3)
        snprintf(l.text, sizeof l.text, "%.24s %s", wsfj_verdict_number(x, digits, 1).text, units[i]);
    else
        snprintf(l.text, sizeof l.text, "%.*f %s", x < 10 ? 2 : x < 100 ? 1 : 0, x, units[i]);
    return l;
}

struct wsfj_text wsfj_profile_length(const struct wsfj_summary *s, double x)
{
    return length(s, x, 3);
}

/* How many significant digits the span admits, and so all that is made of it. */
static int span_digits(const struct wsfj_summary *s)
{
    return wsfj_verdict_digits(s->span_least, s->span_most);
}

/* Whether a site's span is longer than the program's. */
static bool exceeds(const struct wsfj_summary *s)
{
    for (size_t i = 0; i < s->num_sites; i++) {
        if ((double)s->sites[i]->path.wsfj_span * s->scale > s->span)
            return true;
    }
    return false;
}

/* One length, or two: "1.20 us to 3.40 us". */
static void print_between(FILE *f, const struct wsfj_summary *s, double least, double most)
{
    int digits = wsfj_verdict_digits(least, most);
    struct wsfj_text from = length(s, least, digits), to = length(s, most, digits);

    fputs(from.text, f);
    if (strcmp(from.text, to.text) != 0)
        fprintf(f, " to %s", to.text);
}

static void print_spans(FILE *f, const struct wsfj_summary *s)
{
    double least = wsfj_burdened_least(s), most = wsfj_burdened_most(s);

    if (s->span_least >= s->span_most) { /* exact */
        fprintf(f, "  span         %12s", wsfj_profile_length(s, s->span).text);
        fprintf(f, "   burdened %12s\n", wsfj_profile_length(s, s->burdened).text);
        fprintf(f, "  parallelism  %12.2f", wsfj_ratio(s->serial, s->span));
        fprintf(f, "   burdened %12.2f\n", wsfj_ratio(s->serial, s->burdened));
        return;
    }
    fputs("  span              ", f);
    print_between(f, s, s->span_least, s->span_most);
    fputs(", burdened ", f);
    print_between(f, s, least, most);
    fputs("\n  parallelism       ", f);
    wsfj_verdict_put_ratios(f, s->serial, s->span_least, s->span_most, 2);
    fputs(", burdened ", f);
    wsfj_verdict_put_ratios(f, s->serial, least, most, 2);
    fputs("\n", f);
}

static void print_whole(FILE *f, const struct wsfj_summary *s)
{
    const struct wsfj_totals *t = s->totals;

    fprintf(f, "libwsfj: profile of %llu region%s, %llu spawn%s\n", (unsigned long long)t->regions,
            t->regions == 1 ? "" : "s", (unsigned long long)t->spawns, t->spawns == 1 ? "" : "s");
    if (t->unfinished)
        fprintf(f, "  %llu of the regions had not ended at exit\n", (unsigned long long)t->unfinished);
    fprintf(f, "  work         %12s\n", length(s, s->work, wsfj_verdict_digits(1 - s->error, 1 + s->error)).text);
    if (s->blocked > 0)
        fprintf(f, "  blocked      %12s\n", wsfj_profile_length(s, s->blocked).text);
    print_spans(f, s);
    fprintf(f, "  strands      %12llu", (unsigned long long)t->strands);
    fprintf(f, "   average  %12s\n", wsfj_profile_length(s, s->strand).text);
    if (strcmp(s->unit, "ns") != 0) {
        fprintf(f, "  in units: each task costs 1, each steal 1, each suspended join 1\n");
        return;
    }
    fprintf(f, "  burden       %12s a steal, ", wsfj_profile_length(s, s->steal).text);
    fprintf(f, "%s a suspended join", wsfj_profile_length(s, s->join).text);
    fprintf(f, " (%s)\n", s->burden_is_measured ? "measured" : "not measured here");
    fprintf(f, "  sampled      %11.1f%% of the work, standard error %.2f%% of it\n", 100 * s->sampled, 100 * s->error);
    if (s->error > WSFJ_ROUGH_ERROR)
        fprintf(f, "  %s\n", WSFJ_ROUGH);
}

static void print_speedup(FILE *f, const struct wsfj_summary *s)
{
    fprintf(f, "\n  workers   speed-up at least   at most\n");
    for (int workers = 1; workers <= WORKERS_MOST; workers *= 2)
        fprintf(f, "  %7d %19s %9s\n", workers,
                wsfj_verdict_number(wsfj_speedup_least(s, workers), span_digits(s), 2).text,
                wsfj_verdict_number(wsfj_speedup_most(s, workers),
                                    s->work < workers * s->span_least ? span_digits(s) : WSFJ_EXACT, 2)
                    .text);
}

/* Of a site. Its children may be too short to have a span: then nothing is known of it, and they need not be serial. */
static struct wsfj_number parallelism(const struct wsfj_summary *s, const struct wsfj_total *t, uint64_t span)
{
    return span ? wsfj_verdict_number(wsfj_parallelism(t, span), span_digits(s), 2) : (struct wsfj_number){"-"};
}

static void print_sites(FILE *f, const struct wsfj_summary *s)
{
    if (s->num_sites)
        fprintf(f, "\n  %10s %10s %10s %11s %9s %10s  %s\n", "count", "work", "span", "parallelism", "burdened",
                "strand", "spawned");
    for (size_t i = 0; i < s->num_sites; i++) {
        const struct wsfj_total *t = s->sites[i];

        double work = (double)t->work * s->scale, span = (double)t->path.wsfj_span * s->scale;

        fprintf(f, "  %10llu %10s", (unsigned long long)t->count, wsfj_profile_length(s, work).text);
        fprintf(f, " %10s %11s", length(s, span, span_digits(s)).text, parallelism(s, t, t->path.wsfj_span).text);
        fprintf(f, " %9s", parallelism(s, t, t->path.wsfj_burdened).text);
        fprintf(f, " %10s  %s", wsfj_profile_length(s, t->strands ? work / (double)t->strands : 0).text, t->task);
        if (*t->file)
            fprintf(f, " at %s:%u", t->file, t->line);
        fputc('\n', f);
    }
    if (exceeds(s))
        fputs("  " WSFJ_EXCEEDS "\n", f);
}

static void site_at(const void *summary, size_t i, struct wsfj_verdict_site *site)
{
    const struct wsfj_summary *s = summary;
    const struct wsfj_total *t = s->sites[i];

    *site = (struct wsfj_verdict_site){.task = t->task,
                                       .file = t->file,
                                       .line = t->line,
                                       .count = (double)t->count,
                                       .work = (double)t->work * s->scale,
                                       .span = (double)t->path.wsfj_span * s->scale,
                                       .burdened = (double)t->path.wsfj_burdened * s->scale,
                                       .longest = (double)t->longest * s->scale};
}

static void put_plain(FILE *f, const char *text)
{
    fputs(text, f);
}

static void print_verdict(FILE *f, const struct wsfj_summary *s)
{
    wsfj_verdict_put(f,
                     &(struct wsfj_verdict){.is_units = strcmp(s->unit, "ns") != 0,
                                            .work = s->work,
                                            .blocked = s->blocked,
                                            .span = s->span,
                                            .burdened = s->burdened,
                                            .below = s->span - s->span_least,
                                            .above = s->span_most - s->span,
                                            .strand = s->strand,
                                            .num_sites = s->num_sites,
                                            .site = site_at,
                                            .sites = s},
                     &(struct wsfj_verdict_style){"  ", "\n", put_plain});
}

void wsfj_profile_text(FILE *f, const struct wsfj_summary *s)
{
    print_whole(f, s);
    print_speedup(f, s);
    print_sites(f, s);
    fputs("\n", f);
    print_verdict(f, s);
}

/* A field according to RFC 4180. */
static void put_quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

static void put_field(FILE *f, const char *text)
{
    put_quoted(f, text);
    fputc(',', f);
}

static void put_numbers(FILE *f, uint64_t count, double work, double blocked, double span, double burdened,
                        uint64_t strands)
{
    fprintf(f, "%llu,%.10g,%.10g,%.10g,%.6g,%.6g,%llu,%.6g,", (unsigned long long)count, work, span, burdened,
            wsfj_ratio(work + blocked, span), wsfj_ratio(work + blocked, burdened), (unsigned long long)strands,
            strands ? work / (double)strands : 0);
}

void wsfj_profile_csv(FILE *f, const struct wsfj_summary *s)
{
    fputs("kind,file,line,task,count,work,span,burdened_span,parallelism,burdened_parallelism,strands,strand,unit,"
          "regions,"
          "unfinished,steal,join,measured,sampled,error,blocked,longest,program,span_least,span_most\n",
          f);
    fputs("total,\"\",0,\"\",", f);
    put_numbers(f, s->totals->spawns, s->work, s->blocked, s->span, s->burdened, s->totals->strands);
    fprintf(f, "%s,%llu,%llu,%.6g,%.6g,%d,%.6g,%.6g,%.10g,,", s->unit, (unsigned long long)s->totals->regions,
            (unsigned long long)s->totals->unfinished, s->steal, s->join, s->burden_is_measured, s->sampled, s->error,
            s->blocked);
    put_quoted(f, s->program);
    fprintf(f, ",%.10g,%.10g\n", s->span_least, s->span_most);
    for (size_t i = 0; i < s->num_sites; i++) {
        const struct wsfj_total *t = s->sites[i];

        fputs("site,", f);
        put_field(f, t->file);
        fprintf(f, "%u,", t->line);
        put_field(f, t->task);
        put_numbers(f, t->count, (double)t->work * s->scale, (double)t->blocked * s->scale,
                    (double)t->path.wsfj_span * s->scale, (double)t->path.wsfj_burdened * s->scale, t->strands);
        fprintf(f, "%s,,,,,,,,%.10g,%.10g,,,\n", s->unit, (double)t->blocked * s->scale, (double)t->longest * s->scale);
    }
}
