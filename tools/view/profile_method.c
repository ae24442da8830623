/* SPDX-License-Identifier: MIT */
/* Of a profile, how it was measured, and what it cannot say. */
#include "profile.h"

#include "profile/verdict.h"
#include "put.h"

struct view_text view_profile_length(const struct view_profile *p, double length)
{
    struct view_text text;

    if (!p->is_units)
        return view_time(length);
    snprintf(text.at, sizeof text.at, length < 1e5 ? "%.6g" : "%.0f", length);
    return text;
}

static void put_between(FILE *out, const struct view_profile *p, double least, double most)
{
    fputs(view_profile_length(p, least).at, out);
    if (most > least)
        fprintf(out, " to %s", view_profile_length(p, most).at);
}

static void put_count(FILE *out, double count, const char *what, const char *then)
{
    fprintf(out, "%.0f %s%s%s", count, what, VIEW_S(count), then);
}

static void put_costs(FILE *out, const struct view_profile *p)
{
    const struct view_method *m = &p->method;

    if (p->is_units) {
        fputs("In units: each task costs 1, each steal 1, each suspended join 1.", out);
        return;
    }
    fprintf(out, "A steal counts %s, ", view_profile_length(p, m->steal).at);
    fprintf(out, "a suspended join %s (%s). ", view_profile_length(p, m->join).at,
            m->measured > 0 ? "measured" : "not measured there");
    fprintf(out, "%.1f %% of the work is sampled, with a standard error of %.2f %% of it.", 100 * m->sampled,
            100 * m->error);
    if (m->error > WSFJ_ROUGH_ERROR)
        fprintf(out, " %s.", WSFJ_ROUGH);
}

void view_profile_put_method(FILE *out, const struct view_profile *p, const char *before, const char *after)
{
    const struct view_site *t = &p->total;

    fputs(before, out);
    if (p->has_method)
        put_count(out, p->method.regions, "region", ", ");
    if (p->method.unfinished > 0)
        fprintf(out, "of which %.0f had not ended at exit, ", p->method.unfinished);
    put_count(out, t->count, "spawn", ", ");
    put_count(out, t->strands, "strand", " of ");
    fprintf(out, "%s on average; burdened span ", view_profile_length(p, t->strands > 0 ? t->work / t->strands : 0).at);
    put_between(out, p, view_burdened_least(t), view_burdened_most(t));
    fprintf(out, ".%s", after);
    if (!p->has_method)
        return;
    fputs(before, out);
    put_costs(out, p);
    fputs(after, out);
}

void view_profile_put_exceeds(FILE *out, const struct view_profile *p, const char *before, const char *after)
{
    for (size_t i = 0; i < p->sites.count; i++) {
        if (p->sites.at[i].span > p->total.span) {
            fprintf(out, "%s%s%s", before, WSFJ_EXCEEDS, after);
            return;
        }
    }
}
