/* SPDX-License-Identifier: MIT */
/*
 * Where the profile goes. WSFJ_PROFILE_OUT is a file's name, in which %p stands for the process's number; what is written
 * depends on its suffix: .csv, .html, else text. Without it text goes to stderr. A link is not followed, and what cannot
 * be written goes to stderr.
 */
#include "debug.h"
#include "mishap.h"
#include "parse.h"
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNIT "WSFJ_PROFILE_UNIT"
#define OUT "WSFJ_PROFILE_OUT"

bool wsfj_profile_unit(void)
{
    const char *text = secure_getenv(UNIT);
    bool unit = false;

    if (text && *text && !wsfj_parse_flag(text, &unit))
        wsfj_say("%s=%.80s makes no sense (expected 0 or 1); using 0", UNIT, text);
    return unit;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);

    return n > m && strcmp(name + n - m, suffix) == 0;
}

static wsfj_writer *writer_for(const char *name)
{
    if (ends_in(name, ".csv"))
        return wsfj_profile_csv;
    return ends_in(name, ".html") || ends_in(name, ".htm") ? wsfj_profile_html : wsfj_profile_text;
}

/* The name with each %p replaced. For a child without one, the number comes behind. NULL: no memory. */
static char *expand(const char *name, bool child)
{
    bool has_pid = strstr(name, "%p") != NULL;
    char *result = NULL;
    size_t size;
    FILE *f = wsfj_mishap(WSFJ_AT_ALLOC) ? NULL : open_memstream(&result, &size);

    if (!f)
        return NULL;
    for (const char *c = name; *c; c++) {
        if (c[0] == '%' && c[1] == 'p') {
            fprintf(f, "%ld", (long)getpid());
            c++;
        } else {
            fputc(*c, f);
        }
    }
    if (child && !has_pid)
        fprintf(f, ".%ld", (long)getpid());
    if (fclose(f) == 0)
        return result;
    free(result);
    return NULL;
}

static void write_stderr(const struct wsfj_summary *summary)
{
    int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    FILE *f = copy < 0 ? NULL : fdopen(copy, "w");

    if (f) {
        wsfj_profile_text(f, summary);
        fclose(f);
    } else if (copy >= 0) {
        close(copy);
    }
}

/* 0 or the error. */
static int write_file(const char *path, wsfj_writer *write, const struct wsfj_summary *summary)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    int error = f ? 0 : errno;

    if (!f) {
        if (fd >= 0)
            close(fd);
        return error;
    }
    write(f, summary);
    if (ferror(f) || fflush(f))
        error = errno ? errno : EIO;
    if (fclose(f) && !error)
        error = errno;
    return error;
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

/* Without memory for the list there are no sites. */
static void list_sites(struct wsfj_summary *s)
{
    size_t n = 0;

    for (const struct wsfj_total *t = s->totals->sites; t; t = t->next)
        n++;
    s->sites = n == 0 || wsfj_mishap(WSFJ_AT_ALLOC) ? NULL : malloc(n * sizeof *s->sites);
    for (const struct wsfj_total *t = s->totals->sites; s->sites && t; t = t->next)
        if (t->count)
            s->sites[s->num_sites++] = t;
    if (s->sites)
        qsort(s->sites, s->num_sites, sizeof *s->sites, by_work);
}

static double root(double x)
{
    double r = x > 1 ? x : 1;

    for (int i = 0; i < 200; i++) /* Newton's: the library needs no libm for one square root */
        r = (r + x / r) / 2;
    return r;
}

static struct wsfj_summary summarise(const struct wsfj_totals *t, bool unit)
{
    struct wsfj_summary s = {.totals = t, .unit = unit ? "units" : "ns"};

    s.scale = (unit ? 1 : wsfj_clock_tick()) / WSFJ_PROFILE_TICK;
    s.work = (double)t->work * s.scale;
    s.blocked = (double)t->blocked * s.scale;
    s.serial = s.work + s.blocked;
    s.span = (double)t->end.span * s.scale;
    s.burdened = (double)t->end.burdened * s.scale;
    s.strand = t->strands ? s.work / (double)t->strands : 0;
    if (!unit && t->work) {
        s.sampled = t->timed < t->work ? 1 - (double)t->timed / (double)t->work : 0;
        s.error = (root(t->variance) + (double)t->hidden) / (double)t->work;
    }
    list_sites(&s);
    return s;
}

static void write_somewhere(const struct wsfj_summary *s, bool child)
{
    const char *name = secure_getenv(OUT);
    char *path = NULL;
    int error = 0;

    if (name && *name) {
        path = expand(name, child);
        error = path ? write_file(path, writer_for(name), s) : ENOMEM;
        if (error)
            wsfj_say("%s=%.80s cannot be written (%s); the profile goes here", OUT, name, strerror(error));
    }
    if (!path || error)
        write_stderr(s);
    free(path);
}

void wsfj_profile_write(const struct wsfj_totals *totals, bool unit, bool child, double steal, double join, bool measured)
{
    struct wsfj_summary s = summarise(totals, unit);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;

    s.steal = unit ? 1 : steal;
    s.join = unit ? 1 : join;
    s.burden_is_measured = measured;
    if (plain)
        before = uselocale(plain); /* a comma in a number would be another column */
    write_somewhere(&s, child);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    free(s.sites);
}
