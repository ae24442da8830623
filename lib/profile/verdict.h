/* SPDX-License-Identifier: MIT */
/*
 * What a profile's numbers mean, in sentences: for how many workers the parallelism is enough, what limits it, and what
 * to do. Needs nothing of the library: wsfj-view says the same of a profile in CSV. doc/profiling.md has the reasons for
 * the thresholds.
 */
#ifndef WSFJ_PROFILE_VERDICT_H
#define WSFJ_PROFILE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a report says if the error is larger than this. */
#define WSFJ_ROUGH_ERROR 0.2
#define WSFJ_ROUGH "rough: the error is large, further digits mean little; WSFJ_PROFILE_UNIT=1 counts tasks, exactly"

/* What a report says if a site's span is longer than the program's. */
#define WSFJ_EXCEEDS                                                                                                   \
    "A site's span is the sum of its children's spans, also of children that run at once: it can be longer than the "  \
    "program's."

/* A place that spawns. */
struct wsfj_verdict_site {
    const char *task, *file; /* `file`: "" for detached tasks */
    unsigned line;           /* 0: `file` has it */
    double count, work, span, burdened;
    double longest; /* the longest span of a child; negative: not known */
};

/* Lengths are nanoseconds, or units; 0 of everything: there was no region. */
struct wsfj_verdict {
    bool is_units;
    double work, blocked, span, burdened;
    double below, above; /* how much less, and how much more, span and burdened span may be */
    double strand;       /* on average */
    size_t num_sites;
    void (*site)(const void *sites, size_t i, struct wsfj_verdict_site *site); /* most work first */
    const void *sites;
};

/* How the sentences look: what stands before and after each, and how a name is written. */
struct wsfj_verdict_style {
    const char *before, *after;
    void (*name)(FILE *file, const char *name);
};

/* The least that the burdened span may be. */
double wsfj_verdict_burdened_least(const struct wsfj_verdict *verdict);

/* How many significant digits a number has that lies between these two, so that the last one is no noise: 2 if they are more
 * than a tenth apart, 3 if more than a hundredth, else 4; if they are the same, all. */
int wsfj_verdict_digits(double least, double most);

#define WSFJ_EXACT 15

/* A number with so many significant digits, and at most so many decimals. */
struct wsfj_number {
    char text[32];
} wsfj_verdict_number(double x, int significant, int decimals);

/* "12.3", "12 to 15", or "12 or more", for what two spans make of the same work; `least` may be 0. */
void wsfj_verdict_put_ratios(FILE *file, double work, double least, double most, int decimals);

/* Writes one to three sentences. */
void wsfj_verdict_put(FILE *file, const struct wsfj_verdict *verdict, const struct wsfj_verdict_style *style);

#endif
