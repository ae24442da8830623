/* SPDX-License-Identifier: MIT */
/*
 * A profile's report: eight numbers of it, then texts: WSFJ_PROFILE_UNIT, WSFJ_PROFILE_OUT, names of a task and of a file
 * (lib/profile/out.c); in a build with chaos then WSFJ_CHAOS_FAIL. Catches: nonsense that is taken, or refused without its
 * line; a report that is nowhere, or in another file than the name says; names that become a page's tag or a table's column;
 * memory that is lost, a file that is left open.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create(), asprintf() */
#endif
#include "../../support/to_stderr.h"
#include "fuzz.h"

#include "base/failpoint.h"
#include "profile/profile.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char fuzz_name[] = "profile";
const bool fuzz_memory_is_ours = true;

#define ROOM ((size_t)1 << 20)
#define COLUMNS 25

static char top[] = "/tmp/wsfj-fuzz-XXXXXX";
static char written[ROOM]; /* a report */

static void remove_top(void)
{
    rmdir(top);
}

/* Files come and go in a directory of our own; who drives us has names from where it is. Returns the way back. */
static int enter(void)
{
    static bool there;
    int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (!there)
        must(mkdtemp(top) && atexit(remove_top) == 0);
    there = true;
    must(back >= 0 && chdir(top) == 0);
    return back;
}

static size_t read_all(int fd, char *text)
{
    ssize_t n = fd < 0 ? 0 : pread(fd, text, ROOM - 1, 0);

    must(n >= 0 && n < (ssize_t)ROOM - 1);
    text[n] = '\0';
    return (size_t)n;
}

/* Names lead nowhere else, and files do not last. */
static void stay_here(char *name)
{
    for (; *name; name++)
        if (*name == '/')
            *name = '_';
}

static void expand(const char *name, char *to, size_t room)
{
    size_t n = 0;

    for (; *name && n + 32 < room; name++) {
        if (name[0] == '%' && name[1] == 'p') {
            n += (size_t)snprintf(to + n, room - n, "%ld", (long)getpid());
            name++;
        } else {
            to[n++] = *name;
        }
    }
    to[n] = '\0';
}

/* Removes the line about the file from the front of what was written to stderr. False if there is none. */
static bool take_line(char *text)
{
    static const char start[] = "libwsfj: WSFJ_PROFILE_OUT=";
    char *end = strchr(text, '\n');

    if (strncmp(text, start, sizeof start - 1) != 0)
        return false;
    must(end);
    for (const char *c = text; c < end; c++)
        must((unsigned char)*c >= ' ' && *c != '\x7f');
    memmove(text, end + 1, strlen(end + 1) + 1);
    return true;
}

/* Writes the report; its text, from the file if there is one, else from stderr. Returns where it was. */
enum place { IN_FILE, ON_STDERR };
static enum place report(const struct wsfj_totals *totals, bool unit, const char *name, char *text)
{
    int saved = dup(STDERR_FILENO), instead = memfd_create("stderr", 0), probe, fd = -1;
    char path[2 * PATH_MAX];
    bool is_said;

    must(saved >= 0 && instead >= 0 && make_stderr(instead));
    probe = dup(saved);
    wsfj_profile_write(totals, unit, false, 1, 2, true);
    close(probe);
    must(dup(saved) == probe); /* the lowest that is free is the same one: nothing is left open */
    close(probe);
    must(dup2(saved, STDERR_FILENO) == STDERR_FILENO);

    expand(name, path, sizeof path);
    if (*name)
        fd = open(path, O_RDONLY | O_NOFOLLOW);
    (void)read_all(instead, text);
    is_said = take_line(text);
    must(!is_said || *name);
    if (fd >= 0 && !is_said) {
        must(!*text);
        (void)read_all(fd, text);
        must(unlink(path) == 0);
    } else {
        must(is_said == (*name != '\0'));
    }
    must(*text);
    if (fd >= 0)
        close(fd);
    close(instead);
    close(saved);
    return fd >= 0 && !is_said ? IN_FILE : ON_STDERR;
}

/* Rows as RFC 4180 has them. */
static void check_table(const char *text)
{
    unsigned columns = 1, rows = 0;
    bool quoted = false;

    for (const char *c = text; *c; c++) {
        if (*c == '"')
            quoted = !quoted; /* twice, for one inside */
        else if (!quoted && *c == ',')
            columns++;
        else if (!quoted && *c == '\n') {
            must(columns == COLUMNS);
            columns = 1;
            rows++;
        }
    }
    must(!quoted && columns == 1 && rows == 3); /* head, total, one site */
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);

    return n > m && strcmp(name + n - m, suffix) == 0;
}

static void check_unit(const char *text, bool unit, const char *heard)
{
    bool makes_sense = !*text || strcmp(text, "0") == 0 || strcmp(text, "1") == 0;

    must(unit == (strcmp(text, "1") == 0));
    must(fuzz_lines(heard) == !makes_sense);
    must(makes_sense || strncmp(heard, "libwsfj: invalid value WSFJ_PROFILE_UNIT=", 41) == 0);
}

/* setenv() would keep old values. */
static char *variable(const char *name, const char *value)
{
    char *text;

    must(asprintf(&text, "%s=%s", name, value) > 0);
    return text;
}

static void check_failures(const char *rules)
{
#if WSFJ_CHAOS
    char *all[] = {variable("WSFJ_CHAOS_FAIL", rules), NULL};

    environ = all;
    fuzz_listen();
    wsfj_failpoint_start();
    must(fuzz_lines(fuzz_heard()) <= 1);
    wsfj_failpoint_forget();
    free(all[0]);
#else
    (void)rules;
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t n[8] = {0};
    size_t numbers = size < sizeof n ? size : sizeof n;
    struct fuzz_texts texts = fuzz_cut(data + numbers, size - numbers);
    char none[] = "", *text[5], *variables[3] = {NULL}, **saved = environ;
    struct wsfj_total site = {.next = NULL};
    bool unit;
    int back = enter();

    memcpy(n, data, numbers);
    for (size_t i = 0; i < 5; i++)
        text[i] = i < texts.n ? texts.at[i] : none;
    site.count = n[0] | 1; /* else it is not shown */
    site.work = n[1];
    site.path.wsfj_span = n[2];
    site.line = (unsigned)n[3];
    site.task = text[2];
    site.file = text[3];

    struct wsfj_totals totals = {
        .regions = n[4], .spawns = n[5], .work = n[6], .timed = n[6] / 2, .strands = n[7], .sites = &site};

    totals.end.wsfj_span = n[2];
    stay_here(text[1]);
    variables[0] = variable("WSFJ_PROFILE_UNIT", text[0]);
    variables[1] = variable("WSFJ_PROFILE_OUT", text[1]);
    environ = variables;
    fuzz_listen();
    unit = wsfj_profile_unit();
    check_unit(text[0], unit, fuzz_heard());
    if (report(&totals, unit, text[1], written) == IN_FILE && ends_in(text[1], ".csv"))
        check_table(written);
    check_failures(text[4]);
    environ = saved;
    must(fchdir(back) == 0);
    close(back);
    free(variables[0]);
    free(variables[1]);
    fuzz_free(&texts);
    return 0;
}
