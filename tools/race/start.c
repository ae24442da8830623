/* SPDX-License-Identifier: MIT */
/* Start and end of the detector, what it says, and the mistakes of building that it can see. */
#define _GNU_SOURCE
#include "schedule.h"
#include "shadow.h"

#include "base/output.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FOUND = 66, BROKEN = 99 };

void *race_probe_to;
int race_probe_seen;

/** Where lines go: stderr, or nowhere if descriptor 2 is not stderr (lib/base/output.h). */
FILE *race_stderr(void)
{
    static FILE *nowhere;

    if (wsfj_output_stderr() >= 0)
        return stderr;
    if (!nowhere)
        nowhere = fopencookie(NULL, "w", (cookie_io_functions_t){0}); /* discards what is written */
    return nowhere ? nowhere : stderr;
}

static void say(const char *format, va_list a)
{
    FILE *f = race_stderr();

    (void)fputs("wsfj-race: ", f);
    (void)vfprintf(f, format, a);
    (void)fputc('\n', f);
}

void race_say(const char *format, ...)
{
    va_list a;

    va_start(a, format);
    say(format, a);
    va_end(a);
}

void race_die(const char *format, ...)
{
    va_list a;

    va_start(a, format);
    (void)fflush(stdout);
    say(format, a);
    va_end(a);
    _exit(BROKEN);
}

/** Zero bytes, of which only those that are used take memory. Never given back. */
void *race_map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        race_die("no memory for %zu bytes of the detector's own", bytes);
    return p;
}

static int program_base(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(uintptr_t *)arg = info->dlpi_addr;
    return 1; /* the first one is the program */
}

static void at_end(void)
{
    race_private_span = UINTPTR_MAX;
    (void)fflush(NULL);
    if (getenv("WSFJ_RACE_STATS"))
        race_say("%llu spawn%s, %zu bytes of shadow", (unsigned long long)race.spawns, race.spawns == 1 ? "" : "s",
                 race_shadow_bytes());
    if (race_report_end()) {
        (void)fflush(NULL);
        _exit(FOUND);
    }
}

/* With libtsan in the process, accesses would go there. */
static void check_neighbours(void)
{
    if (dlsym(RTLD_DEFAULT, "__tsan_get_current_report") != NULL)
        race_die(
            "the program is linked with libtsan (-fsanitize=thread at the link), which replaces the detector: link with "
            "`wsfj-race cc`");
}

__attribute__((constructor)) void race_start(void)
{
    static int once;
    const char *schedule;

    if (once++)
        return;
    check_neighbours();
    schedule = getenv("WSFJ_RACE_SCHEDULE");
    if (schedule && *schedule) {
        race_by_schedule(schedule);
        (void)atexit(race_schedule_end);
        return;
    }
    (void)dl_iterate_phdr(program_base, &race.base);
    race.intervals = race_map(sizeof *race.intervals * 4 * MOST_PENDING);
    race_shadow_start();
    race_report_start();
    (void)atexit(at_end);
}

EXPORTED void wsfj_race_probe(const char *file, void *to, const void *from);
EXPORTED void wsfj_race_probed(void);
static const char *probed_file;

void wsfj_race_probe(const char *file, void *to, const void *from)
{
    (void)from;
    probed_file = file;
    race_probe_to = to;
    race_probe_seen = 0;
}

void wsfj_race_probed(void)
{
    if (!race_probe_seen)
        race_die(
            "%s is compiled or linked without the flags that show copies of memory (-fno-builtin-memcpy, --wrap=memcpy "
            "and others): use `wsfj-race cc`",
            probed_file);
}
