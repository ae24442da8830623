/* SPDX-License-Identifier: MIT */
/* wsfj-view: shows a trace or a profile, or the traces of an MPI job. Reads whole files, checks them, counts, and shows. */
#include "base/base.h"
#include "check.h"
#include "join.h"
#include "profile.h"
#include "put.h"
#include "show.h"
#include "window.h"
#include "woken.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

static const char help[] = "Usage: wsfj-view [OPTION]... FILE...\n"
                           "Shows what the workers did, from a trace (WSFJ_TRACE=FILE.json), or how much faster\n"
                           "a program can be, from a profile (WSFJ_PROFILE_OUT=FILE.csv): one page of HTML on\n"
                           "stdout, which needs nothing else. FILE -: stdin. Several traces, one of each rank of\n"
                           "an MPI job, are joined into one page.\n"
                           "\n"
                           "  --format FORMAT         html: a page (the default); svg: a picture; text: tables;\n"
                           "                          log: a line for each event of a trace\n"
                           "  -o, --output FILE       write there\n"
                           "  --check                 only check the trace; status 1 if it is wrong\n"
                           "  --help                  this text\n"
                           "  --version               the version\n";

struct format {
    const char *name;
    void (*trace)(FILE *out, const struct view_sums *sums, const struct view_advice *advice, const char *title);
    void (*profile)(FILE *out, const struct view_profile *profile, const char *title);
    bool (*events)(FILE *out, const struct view_trace *trace); /* instead of these: of a trace only */
};

static const struct format formats[] = {{"html", view_show_html, view_profile_html, NULL},
                                        {"svg", view_show_svg, view_profile_svg, NULL},
                                        {"text", view_show_text, view_profile_text, NULL},
                                        {"log", NULL, NULL, view_show_log}};

struct options {
    const struct format *format;
    const char *const *inputs, *output;
    size_t num_inputs;
    bool check;
};

/* The contents of the file. */
struct subject {
    bool is_profile;
    struct view_trace trace;
    struct view_profile profile;
    struct view_part *parts; /* of which the trace is joined */
    size_t num_parts;
};

static bool take_format(struct options *o, const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            o->format = &formats[i];
            return true;
        }
    }
    fprintf(stderr, "wsfj-view: --format is html, svg, text or log, not %.60s\n", name);
    return false;
}

static bool take_inputs(struct options *o, int argc, char **argv)
{
    o->inputs = (const char *const *)argv + optind;
    o->num_inputs = (size_t)(argc - optind);
    if (o->num_inputs == 1 || (o->num_inputs > 1 && (o->check || o->format == &formats[0])))
        return true;
    if (o->num_inputs == 0)
        fprintf(stderr, "wsfj-view: no file given\n");
    else
        fprintf(stderr, "wsfj-view: more than one file: --format %s shows one, html joins several traces\n",
                o->format->name);
    return false;
}

/* The exit status, or -1: continue. */
static int read_options(int argc, char **argv, struct options *o)
{
    static const struct option known[] = {
        {"format", required_argument, NULL, 'f'}, {"output", required_argument, NULL, 'o'},
        {"check", no_argument, NULL, 'c'},        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},      {NULL, 0, NULL, 0}};
    bool good = true;

    for (int c; good && (c = getopt_long(argc, argv, "o:", known, NULL)) != -1;) {
        switch (c) {
        case 'f': good = take_format(o, optarg); break;
        case 'o': o->output = optarg; break;
        case 'c': o->check = true; break;
        case 'h': fputs(help, stdout); return EXIT_SUCCESS;
        case 'v': puts("wsfj-view " WSFJ_VERSION_STRING); return EXIT_SUCCESS;
        default: good = false; break;
        }
    }
    if (good && take_inputs(o, argc, argv))
        return -1;
    fputs("Try wsfj-view --help.\n", stderr);
    return EXIT_USAGE;
}

static bool no_memory(void)
{
    fprintf(stderr, "wsfj-view: no memory\n");
    return false;
}

static bool show_trace(FILE *out, const struct options *o, struct view_trace *trace, const char *title)
{
    struct view_advice advice;
    struct view_sums sums;

    if (o->format->events)
        return o->format->events(out, trace) || no_memory();
    if (trace->ranks.count == 0) { /* else each part of it was cut and split */
        view_window_cut(trace);
        if (!view_woken_split(trace))
            return no_memory();
    }
    if (!view_sums_make(&sums, trace))
        return no_memory();
    view_advise(&advice, &sums);
    o->format->trace(out, &sums, &advice, title);
    view_sums_free(&sums);
    return true;
}

static bool show(FILE *out, const struct options *o, struct subject *subject)
{
    const char *slash = strrchr(o->inputs[0], '/'), *name = slash ? slash + 1 : o->inputs[0];
    char title[PATH_MAX + 64];

    snprintf(title, sizeof title, o->num_inputs > 1 ? "%s and %zu more" : "%s", strcmp(name, "-") == 0 ? "stdin" : name,
             o->num_inputs - 1);
    if (!subject->is_profile)
        return show_trace(out, o, &subject->trace, title);
    o->format->profile(out, &subject->profile, title);
    return true;
}

static void say_nothing_is_wrong(FILE *out, const struct subject *subject)
{
    if (subject->is_profile)
        fprintf(out, "a profile of %zu site%s, nothing wrong\n", subject->profile.sites.count,
                VIEW_S(subject->profile.sites.count));
    else
        fprintf(out, "%zu event%s of %u worker%s, nothing wrong\n", subject->trace.events,
                VIEW_S(subject->trace.events), subject->trace.workers, VIEW_S(subject->trace.workers));
}

static bool flush(FILE *out, const char *name)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out) && (out == stdout || fclose(out) == 0))
        return true;
    fprintf(stderr, "wsfj-view: %s: %s\n", name, errno ? strerror(errno) : "not written whole");
    return false;
}

/* Opens the output only when there is something to write. */
static bool write_it(const struct options *o, struct subject *subject)
{
    FILE *out = o->output ? fopen(o->output, "w") : stdout;
    bool ok = true;

    if (!out) {
        fprintf(stderr, "wsfj-view: %s: %s\n", o->output, strerror(errno));
        return false;
    }
    if (o->check)
        say_nothing_is_wrong(out, subject);
    else
        ok = show(out, o, subject);
    return flush(out, o->output ? o->output : "stdout") && ok;
}

static bool read_file(const struct options *o, const char *name, struct subject *subject, struct view_trace *trace)
{
    struct view_source source;
    bool ok = view_source_read(&source, name), is_profile = ok && view_profile_is(&source);

    if (is_profile && o->num_inputs > 1)
        ok = view_fail(&source, 0, "a profile: only traces can be joined");
    else if (is_profile)
        ok = view_profile_read(&subject->profile, &source);
    else
        ok = ok && view_trace_read(trace, &source) && (!o->check || view_check(trace, &source));
    subject->is_profile = is_profile;
    view_source_free(&source);
    if (!ok)
        fprintf(stderr, "wsfj-view: %s\n", source.error);
    return ok;
}

static bool read_several(const struct options *o, struct subject *subject)
{
    subject->parts = calloc(o->num_inputs, sizeof *subject->parts);
    if (!subject->parts)
        return no_memory();
    for (size_t i = 0; i < o->num_inputs; i++) {
        struct view_part *part = &subject->parts[subject->num_parts++];

        part->name = o->inputs[i];
        if (!read_file(o, part->name, subject, &part->trace))
            return false;
    }
    return view_join(&subject->trace, subject->parts, subject->num_parts);
}

static bool read_it(const struct options *o, struct subject *subject)
{
    if (o->num_inputs > 1)
        return read_several(o, subject);
    if (!read_file(o, o->inputs[0], subject, &subject->trace))
        return false;
    if (!subject->is_profile || !o->format->events || o->check)
        return true;
    fprintf(stderr, "wsfj-view: %s: --format log is for traces, and this is a profile, which has no events\n",
            o->inputs[0]);
    return false;
}

static void free_it(struct subject *subject)
{
    for (size_t i = 0; i < subject->num_parts; i++)
        view_trace_free(&subject->parts[i].trace);
    free(subject->parts);
    view_trace_free(&subject->trace);
    view_profile_free(&subject->profile);
}

int main(int argc, char **argv)
{
    struct options options = {.format = &formats[0]};
    int status = read_options(argc, argv, &options);
    struct subject subject = {.is_profile = false};
    bool ok;

    if (status >= 0)
        return flush(stdout, "stdout") ? status : EXIT_FAILURE;
    ok = read_it(&options, &subject) && write_it(&options, &subject);
    free_it(&subject);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
