/* SPDX-License-Identifier: MIT */
/*
 * A profile of work and span (a program compiled with -DWSFJ_PROFILE, WSFJ_PROFILE_OUT=file.csv): its CSV in memory,
 * and the ways to show it. Neighbour: main.c, which tells it from a trace.
 */
#ifndef WSFJ_VIEW_PROFILE_H
#define WSFJ_VIEW_PROFILE_H

#include "put.h"
#include "source.h"
#include "trace.h"

#include <stdint.h>
#include <stdio.h>

/* A row: the program, or a site. */
struct view_site {
    uint32_t name; /* of the task, with file:line */
    double count, work, blocked, span, burdened, strands;
    double span_least, span_most; /* of the program: what its span may be */
    double longest;               /* the longest span of a child; negative: not known */
};

/* How it was measured; of the row of the program. */
struct view_method {
    double regions, unfinished; /* regions, and those that had not ended at exit */
    double steal, join;         /* what these cost */
    double measured;            /* 1: on this machine */
    double sampled, error;      /* shares of the work: estimated; the standard error of the work */
};

struct view_profile {
    struct view_site total;
    struct view_method method;
    bool has_total, has_method; /* no method: an older library has not written it */
    bool is_units;              /* lengths are units, not nanoseconds */
    char *program;              /* NULL: not known */
    struct view_names names;
    VIEW_LIST(view_site) sites;
};

/* Whether the file begins as a profile does. */
bool view_profile_is(const struct view_source *source);

/* False: source->error says what is wrong. */
bool view_profile_read(struct view_profile *profile, struct view_source *source);
void view_profile_free(struct view_profile *profile);

/* The time on one processor that does nothing else while a task is blocked. */
static inline double view_serial(const struct view_site *site)
{
    return site->work + site->blocked;
}

/* What is in doubt of the span is in doubt of the burdened span, too. */
static inline double view_burdened_most(const struct view_site *site)
{
    return site->burdened + (site->span_most - site->span);
}

static inline double view_burdened_least(const struct view_site *site)
{
    return site->burdened - (site->span - site->span_least);
}

/* The laws of work and span; only the work is divided among the workers; with the least span. And T(P) <= T(1) / P +
 * 1.7 times the burdened span (He, Leiserson, Leiserson, SPAA 2010). */
double view_speedup_most(const struct view_profile *profile, double workers);
double view_speedup_least(const struct view_profile *profile, double workers);

/* A time, or a number of units. */
struct view_text view_profile_length(const struct view_profile *profile, double length);
/* How the profile was measured, in one or two lines, and a line if a site's span is longer than the program's. With what
 * stands before and after each line. */
void view_profile_put_method(FILE *out, const struct view_profile *profile, const char *before, const char *after);
void view_profile_put_exceeds(FILE *out, const struct view_profile *profile, const char *before, const char *after);

void view_profile_html(FILE *out, const struct view_profile *profile, const char *title);
void view_profile_svg(FILE *out, const struct view_profile *profile, const char *title);
void view_profile_text(FILE *out, const struct view_profile *profile, const char *title);

#endif
