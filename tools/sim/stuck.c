/* SPDX-License-Identifier: MIT */
/* A run that does not end: nobody can go on, or nobody gets anywhere. Says who waits for what. */
#include "engine.h"

#include "fail.h"
#include "observe/dump.h"
#include "api.h"
#include "policy.h"

#include <inttypes.h>
#include <stdio.h>

#define LINES_MOST 64
/* So many points without progress: all threads may search for work once. */
#define PATIENCE ((UINT64_C(1) << 22) + (uint64_t)sim_num_threads * 4096)

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
        fprintf(stderr, "waits in %s (%s:%d): %s of %s\n", t->site->function, t->site->file, t->site->line,
                t->site->operation, t->site->place);
}

/* The engine's view, then the library's own. */
static _Noreturn void end(const char *what)
{
    static struct wsfj_textbuf text;
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
        fprintf(stderr, "  ... and %u more threads\n", more);
    sim_policy_waits(stderr);
    sim_self = NULL; /* the dump runs outside of virtual time */
    wsfj_dump(&text, what, sim_moment, sim_moment);
    wsfj_textbuf_flush(&text);
    sim_fail(SIM_EXIT_STUCK, "%s", what);
}

void sim_deadlock(void)
{
    end("deadlock: every thread waits for another one");
}

void sim_check_livelock(uint64_t points)
{
    static uint64_t progress, then;

    if (progress != sim_progress) {
        progress = sim_progress;
        then = points;
    } else if (points - then > PATIENCE && !sim_working()) {
        end("livelock: threads run, but no task begins or ends");
    }
}
