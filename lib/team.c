/* SPDX-License-Identifier: MIT */
#include "team.h"

#include "atomic.h"
#include "debug.h"
#include "fault.h"
#include "park.h"
#include "settings.h"
#include "topology.h"
#include "worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loop of a pool thread and the handler of a first ws_init() need little stack; sanitizers need more. */
#define LOOP_STACK ((size_t)512 << 10)

struct wsfj_worker *wsfj_workers;
unsigned wsfj_num_workers;

static void *thread_main(void *argument)
{
    struct wsfj_worker *w = argument;
    char name[16];

    snprintf(name, sizeof name, "wsfj-%u", w->id);
    pthread_setname_np(pthread_self(), name);
    if (w->cpu >= 0) {
        cpu_set_t mask;

        CPU_ZERO(&mask);
        CPU_SET((unsigned)w->cpu, &mask);
        (void)pthread_setaffinity_np(pthread_self(), sizeof mask, &mask); /* the processor may be gone by now */
    }
    wsfj_fault_guard_thread();
    (void)wsfj_worker_serve(w, NULL, NULL);
    return NULL;
}

/* Workers take no signals but those of their own faults. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigset_t all;

    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

void wsfj_team_start(void)
{
    unsigned n = wsfj_num_workers;
    pthread_attr_t attributes;
    sigset_t before;
    unsigned started = 0;
    int error = 0;

    /* Counted as searching before any of them runs, so that none of the first spawns wakes anybody. */
    wsfj_park_start(n);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, LOOP_STACK);
    block_signals(&before);
    for (unsigned i = 0; i < n; i++) {
        struct wsfj_worker *w = &wsfj_workers[i];

        w->has_thread = true; /* before it runs; taken back if it does not */
        if (error == 0)
            error = pthread_create(&w->thread, &attributes, thread_main, w);
        if (error == 0) {
            started++;
        } else {
            w->has_thread = false;
            store_seq(&w->park, WSFJ_PARK_EMPTY);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (started < n) {
        wsfj_park_missing(n - started);
        wsfj_say("WSFJ_NUM_WORKERS: only %u of %u threads could be started (%s)%s", started, n, strerror(error),
                 started ? "; going on with those" : "; tasks run on the calling threads only");
    }
}

void wsfj_team_free(void)
{
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        wsfj_victims_free(&wsfj_workers[i].victims);
    free(wsfj_workers);
    wsfj_workers = NULL;
    wsfj_num_workers = 0;
}

bool wsfj_team_make(const struct wsfj_topology *t, unsigned n)
{
    bool bind = wsfj_settings.bind != WS_BIND_NONE && t->can_bind;
    unsigned char *tiers = malloc(n);

    wsfj_workers = aligned_alloc(WSFJ_CACHE_LINE, n * sizeof *wsfj_workers);
    if (!wsfj_workers || !tiers) {
        free(tiers);
        free(wsfj_workers);
        wsfj_workers = NULL;
        return false;
    }
    memset(wsfj_workers, 0, n * sizeof *wsfj_workers);
    wsfj_num_workers = n;
    for (unsigned i = 0; i < n; i++) {
        struct wsfj_worker *w = &wsfj_workers[i];
        unsigned unit = wsfj_topology_unit(t, wsfj_settings.bind, i, n);

        for (unsigned j = 0; j < n; j++)
            tiers[j] = (unsigned char)wsfj_topology_tier(t, unit, wsfj_topology_unit(t, wsfj_settings.bind, j, n));
        w->id = i;
        /* With more workers than units a binding would only keep the kernel from balancing them. */
        w->cpu = bind && n <= t->num_threads ? (int)t->cpu[unit] : -1;
        w->random = 0x9e3779b97f4a7c15u * (i + 1);
        if (!wsfj_victims_make(&w->victims, wsfj_settings.victim, i, n, tiers)) {
            free(tiers);
            wsfj_team_free();
            return false;
        }
    }
    free(tiers);
    return true;
}

void wsfj_team_join(void)
{
    wsfj_worker_stop();
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        if (wsfj_workers[i].has_thread)
            pthread_join(wsfj_workers[i].thread, NULL);
    }
}

void wsfj_team_forget(void)
{
    wsfj_workers = NULL;
    wsfj_num_workers = 0;
}
