/* SPDX-License-Identifier: MIT */
#include "observe/trace.h"

#include "arch/ticks.h"
#include "base/alloc.h"
#include "base/debug.h"
#include "base/thread.h"
#include "config/settings.h"
#include "observe/trace_cpu.h"
#include "observe/trace_file.h"
#include "observe/trace_names.h"
#include "observe/trace_ring.h"
#include "observe/trace_walk.h"
#include "signals/trace_on_crash.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct wsfj_trace trace;
static size_t capacity;
static bool on;
static pid_t writer;     /* the thread that writes the file, or 0 */
static uint64_t written; /* when the file was last written. The writer's */

/* How long a thread waits for another one that writes, perhaps to a slow disk. */
#define WAIT_NS UINT64_C(10000000000)

/* A thread that has written the file for a signal is about to end the process: a second write so soon would be cut
 * short. */
#define RECENT_NS UINT64_C(100000000)

static void free_rings(void)
{
    for (unsigned i = 0; trace.rings && i <= trace.workers; i++) {
        if (trace.rings[i].records)
            munmap(trace.rings[i].records, capacity * sizeof(struct wsfj_trace_record));
    }
    free(trace.rings);
    trace.rings = NULL;
}

static bool make_rings(void)
{
    bool count = wsfj_ticks_count();

    trace.workers = wsfj_num_workers;
    trace.rings = wsfj_calloc(trace.workers + 1u, sizeof *trace.rings);
    if (!trace.rings)
        return false;
    for (unsigned i = 0; i <= trace.workers; i++) {
        struct wsfj_trace_ring *ring = &trace.rings[i];
        void *map = wsfj_map(capacity * sizeof *ring->records, PROT_READ | PROT_WRITE, MAP_NORESERVE);

        if (!map)
            return false;
        ring->records = map;
        ring->mask = capacity - 1;
        ring->count = count;
    }
    return true;
}

void wsfj_trace_start(void)
{
    if (!wsfj_settings.trace)
        return;
    capacity = wsfj_settings.trace_events;
    if (!make_rings() || !wsfj_trace_names_start()) {
        wsfj_say("WSFJ_TRACE: no memory for %zu events of each worker (WSFJ_TRACE_EVENTS); no trace", capacity);
        free_rings();
        return;
    }
    if (!wsfj_trace_file_open(wsfj_settings.trace)) {
        free_rings();
        wsfj_trace_names_stop();
        return;
    }
    written = 0;
    trace.cpus = wsfj_trace_cpus();
    trace.start_ns = wsfj_now();
    trace.start_ticks = wsfj_ticks(trace.rings[0].count);
    wsfj_trace_delay_start(&trace.rings[trace.workers], getpid());
    for (unsigned i = 0; i < trace.workers; i++) {
        trace.rings[i].own = &wsfj_workers[i].tid;
        store_relaxed(&wsfj_workers[i].log.ring, &trace.rings[i]);
    }
    store_release(&wsfj_foreign_log.ring, &trace.rings[trace.workers]);
    store_release(&on, true);
    wsfj_trace_on_crash_start(wsfj_trace_flush);
}

/* Makes this thread the writer; then only faults interrupt it. False if this is a signal handler that has interrupted
 * the thread's own writing, or if another thread writes for too long. */
static bool begin_writing(sigset_t *before)
{
    pid_t self = wsfj_thread_id(), now = 0;
    uint64_t until = wsfj_now() + WAIT_NS;

    wsfj_thread_block_signals(before);
    while (!cas_acq_rel(&writer, &now, self)) { /* acquire: what the last writer did to the file and the rings */
        if (now == self || wsfj_now() > until) {
            pthread_sigmask(SIG_SETMASK, before, NULL);
            return false;
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        now = 0;
    }
    return true;
}

static void end_writing(const sigset_t *before)
{
    store_release(&writer, 0);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* The counters are there even if events were dropped. */
static void copy_counters(struct wsfj_trace_ring *ring, const struct wsfj_log *log)
{
    ring->steals = load_relaxed(&log->count[WSFJ_EVENT_steal]);
    ring->steals_failed = load_relaxed(&log->count[WSFJ_EVENT_steal_fail]);
}

static void write_file(void)
{
    for (unsigned i = 0; i < trace.workers; i++)
        copy_counters(&trace.rings[i], &wsfj_workers[i].log);
    copy_counters(&trace.rings[trace.workers], &wsfj_foreign_log);
    trace.end_ns = wsfj_now();
    trace.end_ticks = wsfj_ticks(trace.rings[0].count);
    wsfj_trace_file_begin();
    wsfj_trace_walk(&trace, &wsfj_trace_json);
    wsfj_trace_file_end();
    written = wsfj_now();
}

void wsfj_trace_flush(bool is_signal)
{
    sigset_t before;

    if (!load_acquire(&on) || !begin_writing(&before))
        return;
    if (load_acquire(&on) && !(is_signal && wsfj_now() - written < RECENT_NS))
        write_file();
    end_writing(&before);
}

static void say_what_is_missing(void)
{
    uint64_t most = 0;

    for (unsigned i = 0; i <= trace.workers; i++) {
        uint64_t dropped = wsfj_trace_dropped(&trace.rings[i]);

        most = dropped > most ? dropped : most;
    }
    if (most)
        wsfj_say("WSFJ_TRACE: a worker's oldest %llu events were dropped, the last %zu are there (WSFJ_TRACE_EVENTS)",
                 (unsigned long long)most, capacity);
}

void wsfj_trace_stop(void)
{
    sigset_t before;

    if (!load_acquire(&on))
        return;
    store_relaxed(&wsfj_foreign_log.ring, NULL);
    if (begin_writing(&before)) {
        write_file();
        say_what_is_missing();
        store_release(&on, false);
        wsfj_trace_file_close();
        wsfj_trace_names_stop();
        free_rings();
        end_writing(&before);
    }
    store_release(&on, false); /* else another thread still writes, in a signal handler: nothing is freed */
    wsfj_trace_on_crash_stop();
}

void wsfj_trace_forget(void)
{
    bool was_on = load_acquire(&on);

    store_release(&on, false);
    store_release(&writer, 0);
    store_relaxed(&wsfj_foreign_log.ring, NULL);
    for (unsigned i = 0; was_on && i < wsfj_num_workers; i++)
        store_relaxed(&wsfj_workers[i].log.ring, NULL);
    wsfj_trace_on_crash_stop();
    wsfj_trace_file_forget();
    wsfj_trace_names_forget();
    free_rings();
}
