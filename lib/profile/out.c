/* SPDX-License-Identifier: MIT */
/*
 * Where the profile goes. WSFJ_PROFILE_OUT is a file name, in which %p stands for the process number. The suffix says
 * what is written: .csv, else text. Without the variable, or if the file cannot be written, text goes to stderr.
 */
#include "base/alloc.h"
#include "base/debug.h"
#include "base/output.h"
#include "config/parse.h"
#include "profile/profile.h"
#include "profile/record.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNIT "WSFJ_PROFILE_UNIT"
#define OUT "WSFJ_PROFILE_OUT"
/* Room for the number of a process, and for what is before or behind it. */
#define NUMBER 24

bool wsfj_profile_unit(void)
{
    const char *text = secure_getenv(UNIT);
    bool unit = false;

    if (text && *text && !wsfj_parse_flag(text, &unit))
        wsfj_say("invalid value %s=%.80s (expected 0 or 1); using 0", UNIT, text);
    return unit;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);

    return n > m && strcmp(name + n - m, suffix) == 0;
}

static wsfj_writer *writer_for(const char *name)
{
    return ends_in(name, ".csv") ? wsfj_profile_csv : wsfj_profile_text;
}

static bool is_page(const char *name)
{
    return ends_in(name, ".html") || ends_in(name, ".htm");
}

char *wsfj_profile_path(const char *name, bool child)
{
    bool has_pid = strstr(name, "%p") != NULL;
    char *path = wsfj_malloc((strlen(name) + 1) * NUMBER), *to = path;

    if (!path)
        return NULL;
    for (; *name; name++) {
        if (name[0] == '%' && name[1] == 'p') {
            to += sprintf(to, "%ld", (long)getpid());
            name++;
        } else {
            *to++ = *name;
        }
    }
    *to = '\0';
    if (child && !has_pid)
        sprintf(to, ".%ld", (long)getpid());
    return path;
}

/* The descriptor that a stream writes to, and the first error there. */
struct target {
    int fd, error;
};

static ssize_t put(void *to, const char *bytes, size_t size)
{
    struct target *t = to;

    if (!t->error)
        t->error = wsfj_output_write(t->fd, bytes, size);
    return t->error ? 0 : (ssize_t)size;
}

/* 0 or the error. */
static int write_to(int fd, wsfj_writer *write, const struct wsfj_summary *summary)
{
    struct target target = {.fd = fd};
    FILE *f = fopencookie(&target, "w", (cookie_io_functions_t){.write = put});

    if (!f)
        return ENOMEM;
    write(f, summary);
    fclose(f);
    return target.error;
}

/* If the file could not be written completely, prints a line on stderr and returns false. */
static bool write_file(const char *name, bool child, const struct wsfj_summary *summary)
{
    const char *why = is_page(name) ? "for a page: WSFJ_PROFILE_OUT=p.csv, then wsfj-view p.csv > p.html" : "no memory";
    char *path = is_page(name) ? NULL : wsfj_profile_path(name, child);
    int fd = path ? wsfj_output_open(path, true, &why) : -1;
    int error = fd < 0 ? 0 : write_to(fd, writer_for(name), summary);

    if (fd < 0)
        wsfj_say("%s=%.80s cannot be written (%s); the profile goes here", OUT, name, why);
    else if (close(fd) != 0 && !error)
        error = errno; /* a network file system may report a failed write only now */
    if (error)
        wsfj_say("%s=%.80s was cut short (%s); the profile goes here", OUT, name, wsfj_output_reason(error));
    free(path);
    return fd >= 0 && !error;
}

static int by_work(const void *a, const void *b)
{
    const struct wsfj_total *x = *(const struct wsfj_total *const *)a, *y = *(const struct wsfj_total *const *)b;

    if (x->work != y->work)
        return x->work < y->work ? 1 : -1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return strcmp(x->file, y->file);
}

/* Without memory for the list, the report has no sites. */
static void list_sites(struct wsfj_summary *s)
{
    size_t n = 0;

    for (const struct wsfj_total *t = s->totals->sites; t; t = t->next)
        n++;
    s->sites = n == 0 ? NULL : wsfj_malloc(n * sizeof *s->sites);
    for (const struct wsfj_total *t = s->totals->sites; s->sites && t; t = t->next)
        if (t->count)
            s->sites[s->num_sites++] = t;
    if (s->sites)
        qsort(s->sites, s->num_sites, sizeof *s->sites, by_work);
}

static double root(double x)
{
    double r = x > 1 ? x : 1;

    for (int i = 0; i < 200; i++) /* Newton's method: one square root is no reason to need libm */
        r = (r + x / r) / 2;
    return r;
}

static struct wsfj_summary summarise(const struct wsfj_totals *t, bool unit)
{
    struct wsfj_summary s = {.totals = t, .unit = unit ? "units" : "ns", .program = program_invocation_short_name};

    s.scale = (unit ? 1 : wsfj_clock_tick()) / WSFJ_PROFILE_TICK;
    s.work = (double)t->work * s.scale;
    s.blocked = (double)t->blocked * s.scale;
    s.serial = s.work + s.blocked;
    s.span = (double)t->end.wsfj_span * s.scale;
    s.burdened = (double)t->end.wsfj_burdened * s.scale;
    s.span_least = (double)t->end.wsfj_least * s.scale;
    s.strand = t->strands ? s.work / (double)t->strands : 0;
    if (!unit && t->work) {
        s.sampled = t->timed < t->work ? 1 - (double)t->timed / (double)t->work : 0;
        s.error = (root(t->variance) + (double)t->hidden) / (double)t->work;
    }
    s.span_most = s.span * (1 + s.error) < s.serial ? s.span * (1 + s.error) : s.span < s.serial ? s.serial : s.span;
    if (t->spawns == 0 && t->regions + t->detached + t->unfinished <= 1) /* one path: all of the work is the span */
        s.span_least = s.span_most = s.span;
    list_sites(&s);
    return s;
}

static void write_somewhere(const struct wsfj_summary *s, bool child)
{
    const char *name = secure_getenv(OUT);

    if (!name || !*name || !write_file(name, child, s))
        (void)write_to(wsfj_output_stderr(), wsfj_profile_text, s); /* an error cannot be reported anywhere */
}

void wsfj_profile_write(const struct wsfj_totals *totals, bool unit, bool child, double steal, double join,
                        bool measured)
{
    struct wsfj_summary s = summarise(totals, unit);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;

    s.steal = unit ? 1 : steal;
    s.join = unit ? 1 : join;
    s.burden_is_measured = measured;
    if (plain)
        before = uselocale(plain); /* a decimal comma would begin another column */
    write_somewhere(&s, child);
    wsfj_record_end(s.scale, unit, s.work, s.blocked, s.span);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    free(s.sites);
}
