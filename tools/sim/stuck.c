/* SPDX-License-Identifier: MIT */
/* A run that does not end: nobody can go on, or nobody gets anywhere. Says who waits for what. */
#include "engine.h"

#include "api.h"
#include "costs.h"
#include "fail.h"
#include "join.h"

#include "observe/dump.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_MOST 64
/* So many points without progress: all threads may search for work once. And so long: a thread that waits for a CPU
 * has had it. Where nothing costs time, more points. */
#define PATIENCE ((UINT64_C(1) << 22) + (uint64_t)sim_num_threads * 4096)
#define SLICES 8
#define NO_TIME 64

static void show_wait(const struct sim_thread *t)
{
    const struct engine_site *site = t->site;

    fprintf(stderr, "waits in %s (%s:%d): %s of %s", site->function, site->file, site->line, site->operation,
            site->place);
    if (strcmp(site->operation, "lock") == 0)
        fprintf(stderr, ", which thread %u has", *(const unsigned *)t->on - 1);
    else if (strcmp(site->operation, "join") == 0)
        fprintf(stderr, ", thread %u", ((const struct sim_thread *)t->on)->number);
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        if (t->on == &wsfj_workers[i].park)
            fprintf(stderr, ", until worker %u is woken", i);
    fprintf(stderr, "\n");
}

static void show(const struct sim_thread *t)
{
    const char *name = t->name[0] ? t->name : t->number ? "no name" : "main";

    fprintf(stderr, "  thread %u (%s), ", t->number, name);
    if (t->state == SIM_ON_CPU)
        fprintf(stderr, "on CPU %u\n", t->cpu);
    else if (t->state == SIM_READY)
        fprintf(stderr, "waits for a CPU, in the queue of CPU %u\n", t->queue);
    else if (t->state == SIM_ARRIVES)
        fprintf(stderr, "was woken\n");
    else if (!t->site)
        fprintf(stderr, "sleeps\n");
    else
        show_wait(t);
}

/* The dump has addresses, which are others in each run. They become numbers: @1 is the first. */
static void copy_without_addresses(FILE *from)
{
    static uint64_t seen[256];
    unsigned n = 0, i;
    char line[2048], *at, *end;

    while (fgets(line, sizeof line, from)) {
        char *rest = line;

        if (strstr(line, "no frames: WSFJ_DUMP_SIGNAL"))
            continue; /* the threads that run have no frames to show: they are where they are above */
        while ((at = strstr(rest, " 0x"))) {
            uint64_t address = strtoull(at + 1, &end, 16);

            for (i = 0; i < n && seen[i] != address; i++)
                ;
            if (i == n && n < sizeof seen / sizeof *seen)
                seen[n++] = address;
            fprintf(stderr, "%.*s @%u", (int)(at - rest), rest, i + 1);
            rest = end;
        }
        fputs(rest, stderr);
    }
}

/* Makes the file stderr. For writing only: the library takes a file that is read, too, for a database (output.h). */
static bool divert_to(FILE *file)
{
    char name[64];
    int fd;

    snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(file));
    fd = open(name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;

    bool done = dup2(fd, STDERR_FILENO) >= 0;

    close(fd);
    return done;
}

/* The library's own view. It writes to file descriptor 2. */
static void dump(const char *what)
{
    static struct wsfj_textbuf text;
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    bool copied = file && kept >= 0 && divert_to(file);

    sim_self = NULL; /* outside of virtual time */
    wsfj_dump(&text, what, sim_moment, sim_moment);
    wsfj_textbuf_flush(&text);
    if (!copied)
        return;
    (void)dup2(kept, STDERR_FILENO);
    rewind(file);
    copy_without_addresses(file);
}

/* The engine's view, then the library's own. */
static _Noreturn void end(const char *what)
{
    unsigned shown = 0, more = 0;

    fflush(stdout);
    fprintf(stderr, "wsfj-sim: %s after %" PRIu64 ".%06" PRIu64 " ms of virtual time\n", what, sim_moment / 1000000,
            sim_moment % 1000000);
    for (unsigned i = 0; i < sim_num_threads; i++) {
        if (sim_threads[i]->state == SIM_ENDED)
            continue;
        if (shown++ < LINES_MOST)
            show(sim_threads[i]);
        else
            more++;
    }
    if (more)
        fprintf(stderr, "  ... and %u more thread%s\n", more, SIM_S(more));
    sim_join_waits(stderr);
    dump(what);
    sim_fail(SIM_EXIT_STUCK, "%s", what);
}

void sim_deadlock(void)
{
    end("deadlock: every thread waits for another one");
}

/* A thread that was woken may begin something when it arrives. */
static bool is_one_on_its_way(void)
{
    for (unsigned i = 0; i < sim_num_threads; i++)
        if (sim_threads[i]->state == SIM_ARRIVES)
            return true;
    return false;
}

void sim_check_livelock(uint64_t points)
{
    static uint64_t progress, then, since;

    if (progress != sim_progress) {
        progress = sim_progress;
        then = points;
        since = sim_moment;
    } else if (points - then > PATIENCE && !sim_working() &&
               ((sim_moment - since > SLICES * sim_costs.slice && !is_one_on_its_way()) ||
                points - then > NO_TIME * PATIENCE)) {
        end("livelock: threads run, but no task begins or ends");
    }
}
