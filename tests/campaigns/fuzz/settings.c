/* SPDX-License-Identifier: MIT */
/*
 * A whole environment, in the form of /proc/PID/environ: entries with a zero byte behind each (lib/config/settings.h). Catches:
 * a value out of its range; nonsense that is taken, or refused in silence, twice, in two lines, or without its name and
 * value; a default that a refused value has changed; memory that is lost; a setting that means something else when it is
 * given as it is shown.
 */
#include "fuzz.h"

#include "base/chaos.h"
#include "machine/report.h"
#include "config/settings.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char fuzz_name[] = "settings";
const bool fuzz_memory_is_ours = true;

static const char *const omp_names[WSFJ_SETTINGS] = {
    [WSFJ_SET_WORKERS] = "OMP_NUM_THREADS", [WSFJ_SET_PLACES] = "OMP_PLACES",    [WSFJ_SET_BIND] = "OMP_PROC_BIND",
    [WSFJ_SET_STACK] = "OMP_STACKSIZE",     [WSFJ_SET_WAIT] = "OMP_WAIT_POLICY", [WSFJ_SET_DISPLAY] = "OMP_DISPLAY_ENV",
};

static bool between(size_t value, size_t least, size_t most)
{
    return value >= least && value <= most;
}

/* What README.md and doc/tuning.md say of each. */
static void check_ranges(const struct wsfj_settings *s)
{
    must(between(s->num_workers, 1, 4096) || s->num_workers == WSFJ_WORKERS_THREADS ||
         s->num_workers == WSFJ_WORKERS_CORES);
    must(between(s->bind, WS_BIND_CLOSE, WS_BIND_AUTO));
    must(between(s->stack_size, (size_t)64 << 10, (size_t)64 << 30));
    must(s->stack_size % (size_t)sysconf(_SC_PAGESIZE) == 0);
    must(s->spin_ns == WSFJ_FOREVER || (s->spin_ns % 1000 == 0 && s->spin_ns <= 1000000000u * UINT64_C(1000)));
    must(s->max_spares <= 4096);
    must(s->schedtrace <= 86400000 && s->watchdog <= 86400);
    must(s->dump_signal >= 0 && s->dump_signal != SIGKILL && s->dump_signal != SIGSTOP && s->dump_signal != SIGSEGV);
    must(s->max_pending == 65536 && s->max_stacks == 0 && !s->poll && !s->poll_arg);
    fuzz_check_places(&s->places);
}

static void check_defaults(const struct wsfj_settings *s)
{
    const enum wsfj_origin *from = s->from;

    must(from[WSFJ_SET_WORKERS] || s->num_workers == WSFJ_WORKERS_THREADS);
    must(from[WSFJ_SET_PLACES] || s->places.what == WSFJ_PLACES_UNSET);
    must(from[WSFJ_SET_BIND] || s->bind == WS_BIND_CLOSE);
    must(from[WSFJ_SET_STACK] || s->stack_size == (size_t)8 << 20);
    must(from[WSFJ_SET_WAIT] || s->spin_ns == 50000);
    must(from[WSFJ_SET_SPARES] || s->max_spares == 256);
    must(from[WSFJ_SET_MEMBARRIER] || s->membarrier);
    must(from[WSFJ_SET_CGROUP] || s->cgroup);
    must(from[WSFJ_SET_DISPLAY] || !s->display);
    must(from[WSFJ_SET_STATS] || !s->stats);
    must(from[WSFJ_SET_SCHEDTRACE] || !s->schedtrace);
    must(from[WSFJ_SET_DUMP_SIGNAL] || !s->dump_signal);
    must(from[WSFJ_SET_WATCHDOG] || !s->watchdog);
}

/* How many lines say that the variable's value is invalid, and which value: up to 80 bytes of it, no control
 * characters. */
static unsigned complaints(const char *heard, const char *name)
{
    char head[256];
    size_t length = (size_t)snprintf(head, sizeof head, "libwsfj: invalid value %s=%.80s", name, getenv(name));
    unsigned found = 0;

    for (char *c = head; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f')
            *c = '?';
    for (; *heard; heard = strchr(heard, '\n') + 1)
        found += strncmp(heard, head, length) == 0;
    return found;
}

/* Variables that other parts of libwsfj read. */
static bool is_of_others(const char *entry)
{
    static const char *const prefixes[] = {"WSFJ_TEST_", "WSFJ_PROFILE_", "WSFJ_RACE_", "WSFJ_MPI_"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return wsfj_chaos_owns(entry);
}

/* How many variables look like ours and are not: each costs a line. */
static unsigned strangers(void)
{
    unsigned found = 0;

    for (char **entry = environ; *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        bool known = !equals || !equals[1] || strncmp(*entry, "WSFJ_", 5) != 0 || is_of_others(*entry);

        for (int i = 0; i < WSFJ_SETTINGS && !known; i++) {
            const char *name = wsfj_settings_name((enum wsfj_setting)i);

            known = strlen(name) == (size_t)(equals - *entry) && strncmp(*entry, name, strlen(name)) == 0;
        }
        found += !known;
    }
    return found;
}

/* Each variable that counts is taken or complained about, once. */
static void check_complaints(const char *heard)
{
    unsigned expected = 0;

    for (int i = 0; i < WSFJ_SETTINGS; i++) {
        const char *own = wsfj_settings_name((enum wsfj_setting)i), *omp = omp_names[i];
        enum wsfj_origin from = wsfj_settings.from[i];

        if (getenv(own) && *getenv(own)) {
            must(from == WSFJ_FROM_ENVIRONMENT || complaints(heard, own) == 1);
            expected += from != WSFJ_FROM_ENVIRONMENT;
        }
        if (omp && getenv(omp) && *getenv(omp) && from != WSFJ_FROM_ENVIRONMENT && wsfj_settings.omp) {
            must(from == WSFJ_FROM_OMP || complaints(heard, omp) == 1);
            expected += from != WSFJ_FROM_OMP;
        } else {
            must(from != WSFJ_FROM_OMP);
        }
        must(from != WSFJ_FROM_API);
    }
    must(fuzz_lines(heard) == expected + strangers());
}

/* The settings as they are shown: entries of an environment. */
static char shown[WSFJ_SETTINGS][256];
static char *as_shown[WSFJ_SETTINGS + 1];
static size_t lines;

__attribute__((format(printf, 1, 2))) static void take_line(const char *format, ...)
{
    va_list arguments;

    must(lines < WSFJ_SETTINGS);
    va_start(arguments, format);
    must((size_t)vsnprintf(shown[lines], sizeof shown[0], format, arguments) < sizeof shown[0]);
    va_end(arguments);
    must(!strchr(shown[lines], '\n'));
    lines++;
}

/* What has been set, given as it is shown, is the same again; but for lists too long to be shown. */
static void check_report(void)
{
    struct wsfj_settings before = wsfj_settings;
    size_t n = 0;

    lines = 0;
    wsfj_report_settings(take_line);
    must(lines == WSFJ_SETTINGS);
    for (size_t i = 0; i < lines; i++) {
        char *origin = strrchr(shown[i], '(');

        must(origin && origin[-1] == ' ');
        origin[-1] = '\0';
        if (before.from[i] != WSFJ_FROM_DEFAULT && !strstr(shown[i], "..."))
            as_shown[n++] = shown[i];
    }
    as_shown[n] = NULL;
    wsfj_settings.places = (struct wsfj_places){.what = WSFJ_PLACES_UNSET}; /* `before` has them */
    environ = as_shown;
    fuzz_listen();
    must(wsfj_settings_read(NULL) == 0);
    must(fuzz_lines(fuzz_heard()) == 0);
    must(wsfj_settings.num_workers == before.num_workers && wsfj_settings.bind == before.bind);
    must(wsfj_settings.stack_size == before.stack_size && wsfj_settings.spin_ns == before.spin_ns);
    must(wsfj_settings.max_spares == before.max_spares && wsfj_settings.membarrier == before.membarrier);
    must(wsfj_settings.cgroup == before.cgroup && wsfj_settings.display == before.display);
    must(wsfj_settings.stats == before.stats);
    must(strstr(shown[WSFJ_SET_PLACES], "...") || fuzz_same_places(&wsfj_settings.places, &before.places));
    wsfj_places_free(&before.places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_texts entries = fuzz_cut(data, size);
    char *environment[FUZZ_TEXTS + 1], **saved = environ;

    memcpy(environment, entries.at, sizeof entries.at);
    environment[entries.n] = NULL;
    environ = environment;
    fuzz_listen();
    must(wsfj_settings_read(NULL) == 0);
    check_complaints(fuzz_heard());
    check_ranges(&wsfj_settings);
    check_defaults(&wsfj_settings);
    check_report();
    environ = saved;
    wsfj_places_free(&wsfj_settings.places);
    fuzz_free(&entries);
    return 0;
}
