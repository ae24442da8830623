/* SPDX-License-Identifier: MIT */
/* Decides which races are told, and to where. */
#define _GNU_SOURCE
#include "report.h"

#include "base/output.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REPORTS = 1000 };

void (*race_report_hook)(const struct conflict *conflict);

static unsigned long n_reports, n_suppressed, n_beyond;

/* A cheap first look: the same two addresses in the program are told once. */
static int is_new(const struct conflict *c)
{
    static struct {
        uintptr_t earlier, later;
        uint32_t how;
    } * seen;
    static uint32_t n;
    const uintptr_t earlier = race_context_pc(c->earlier), later = c->ended ? 0 : race_context_pc(c->later);
    const uint32_t how = (uint32_t)c->earlier_kind << 1 | (uint32_t)c->later_kind |
                         race_context_flags(c->earlier) << 2 | (c->ended ? 0 : race_context_flags(c->later) << 8);
    uint32_t h = (uint32_t)((earlier * 31 + later) * UINT64_C(0x9e3779b97f4a7c15) >> 48);

    if (!seen)
        seen = race_map(sizeof *seen << 16);
    for (; seen[h].earlier; h = (h + 1) & 0xffff)
        if (seen[h].earlier == earlier && seen[h].later == later && seen[h].how == how)
            return 0;
    if (++n > 0xf000)
        return 0;
    seen[h].earlier = earlier;
    seen[h].later = later;
    seen[h].how = how;
    return 1;
}

static int same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Two lines are told once, in whichever order and way they access. What has a title of its own is told for itself. */
static int is_new_line(const struct report *r)
{
    static struct line_pair {
        const char *a_file, *b_file, *title;
        unsigned a, b;
    } * told;
    static size_t n;
    struct line_pair p = {r->earlier.at.file, r->later.at.file, r->title, r->earlier.at.line, r->later.at.line};

    if (!p.a_file || (r->has_later && !p.b_file))
        return 1;
    if (strncmp(r->title, "read and", 8) == 0 || strncmp(r->title, "write and", 9) == 0)
        p.title = "";
    if (p.b < p.a)
        p = (struct line_pair){p.b_file, p.a_file, p.title, p.b, p.a};
    for (size_t i = 0; i < n; i++)
        if (told[i].a == p.a && told[i].b == p.b && strcmp(told[i].title, p.title) == 0 &&
            same(told[i].a_file, p.a_file) && same(told[i].b_file, p.b_file))
            return 0;
    told = realloc(told, (n + 1) * sizeof *told);
    p.title = strdup(p.title);
    if (!told || !p.title)
        race_die("no memory");
    told[n++] = p;
    return 1;
}

static FILE *text_file, *json_file; /* NULL: none */

static int ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n >= k && strcmp(s + n - k, end) == 0;
}

/* Where the reports go: WSFJ_RACE_OUT, as JSON if the name ends so, or stderr. */
static void open_files(void)
{
    const char *name = getenv("WSFJ_RACE_OUT");
    const char *why = "";
    FILE *f;
    int fd;

    if (!name || !*name)
        return;
    fd = wsfj_output_open(name, true, &why);
    f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f)
        race_say("WSFJ_RACE_OUT=%s cannot be written (%s); the reports go here", name, why);
    else if (ends_in(name, ".json"))
        json_file = f;
    else
        text_file = f;
}

void race_report_start(void)
{
    open_files();
    race_suppress_start();
    race_stacks_start();
}

void race_report(const struct conflict *c)
{
    static struct report r;
    const uintptr_t lo = race_private_lo, span = race_private_span;

    if (race_report_hook) {
        race_report_hook(c);
        return;
    }
    if (race_is_ignored_memory(c->address) || !is_new(c))
        return;
    if (n_reports == MOST_REPORTS) {
        n_beyond++;
        return;
    }
    race_private_lo = 0;
    race_private_span = UINTPTR_MAX; /* what is called here is not checked */
    memset(&r, 0, sizeof r);
    race_fill(&r, c);
    if (!is_new_line(&r)) {
        ;
    } else if (race_suppressed(&r)) {
        n_suppressed++;
    } else {
        r.number = ++n_reports;
        race_stack_want(c->earlier_time, c->earlier);
        if (json_file)
            race_json(json_file, &r);
        else
            race_text(text_file ? text_file : race_stderr(), &r);
    }
    race_private_lo = lo;
    race_private_span = span;
}

/** The last line, and the number of races. */
unsigned long race_report_end(void)
{
    if (json_file) {
        race_json_end(json_file, n_reports, n_suppressed);
        (void)fclose(json_file);
    }
    if (n_beyond)
        race_say("%lu more race%s not told", n_beyond, n_beyond == 1 ? " is" : "s are");
    if (!race.regions && !race.spawns)
        race_say("no region has run: nothing was checked");
    else if (n_suppressed)
        race_say("%lu race%s, %lu suppressed", n_reports, n_reports == 1 ? "" : "s", n_suppressed);
    else
        race_say("%lu race%s", n_reports, n_reports == 1 ? "" : "s");
    return n_reports;
}
