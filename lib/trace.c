/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include "crash.h"
#include "debug.h"
#include "mishap.h"
#include "region.h"
#include "runtime.h"
#include "settings.h"
#include "strand.h"
#include "ticks.h"
#include "trace_file.h"
#include "trace_names.h"
#include "trace_ring.h"
#include "trace_walk.h"
#include "worker.h"

#include <stdlib.h>
#include <sys/mman.h>

static struct wsfj_trace trace;
static size_t capacity;
static bool on;
static uint32_t is_writing; /* a word: not all processors exchange bytes */

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
    trace.rings = wsfj_mishap(WSFJ_AT_ALLOC) ? NULL : calloc(trace.workers + 1u, sizeof *trace.rings);
    if (!trace.rings)
        return false;
    for (unsigned i = 0; i <= trace.workers; i++) {
        struct wsfj_trace_ring *ring = &trace.rings[i];
        void *map = wsfj_mishap(WSFJ_AT_MMAP) ? MAP_FAILED
                                              : mmap(NULL, capacity * sizeof *ring->records, PROT_READ | PROT_WRITE,
                                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (map == MAP_FAILED)
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
    trace.start_ns = wsfj_now();
    trace.start_ticks = wsfj_ticks(trace.rings[0].count);
    for (unsigned i = 0; i < trace.workers; i++)
        store_relaxed(&wsfj_workers[i].log.ring, &trace.rings[i]);
    store_release(&wsfj_foreign_log.ring, &trace.rings[trace.workers]);
    store_release(&on, true);
    wsfj_crash_start();
}

void wsfj_trace_flush(void)
{
    if (!load_acquire(&on) || swap_acq_rel(&is_writing, 1u))
        return;
    trace.end_ns = wsfj_now();
    trace.end_ticks = wsfj_ticks(trace.rings[0].count);
    wsfj_trace_walk(&trace, wsfj_trace_file_begin());
    wsfj_trace_file_end();
    store_release(&is_writing, 0u);
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
    if (!load_acquire(&on))
        return;
    wsfj_crash_stop();
    store_relaxed(&wsfj_foreign_log.ring, NULL);
    wsfj_trace_flush();
    say_what_is_missing();
    store_release(&on, false);
    wsfj_trace_file_close();
    wsfj_trace_names_stop();
    free_rings();
}

void wsfj_trace_forget(void)
{
    bool was_on = load_acquire(&on);

    store_release(&on, false);
    store_release(&is_writing, 0u);
    store_relaxed(&wsfj_foreign_log.ring, NULL);
    for (unsigned i = 0; was_on && i < wsfj_num_workers; i++)
        store_relaxed(&wsfj_workers[i].log.ring, NULL);
    wsfj_crash_forget();
    wsfj_trace_file_forget();
    wsfj_trace_names_forget();
    free_rings();
}

static void fill(struct wsfj_trace_record *r, uint64_t ticks, uint32_t event, const uint32_t n[3])
{
    store_relaxed(&r->ticks, ticks);
    store_relaxed(&r->event, event);
    store_relaxed(&r->a, n[0]);
    store_relaxed(&r->b, n[1]);
    store_relaxed(&r->c, n[2]);
}

void wsfj_trace_put(struct wsfj_trace_ring *ring, enum wsfj_event event, unsigned detail, uint32_t a, uint32_t b,
                    uint32_t c)
{
    uint64_t i = load_relaxed(&ring->next);

    fill(&ring->records[i & ring->mask], wsfj_ticks(ring->count), (uint32_t)event | detail << 16,
         (const uint32_t[]){a, b, c});
    store_release(&ring->next, i + 1);
}

void wsfj_trace_put_shared(struct wsfj_trace_ring *ring, enum wsfj_event event, unsigned detail, uint32_t a, uint32_t b,
                           uint32_t c)
{
    uint64_t i = add_acq_rel(&ring->next, 1);

    fill(&ring->records[i & ring->mask], wsfj_ticks(ring->count), (uint32_t)event | detail << 16,
         (const uint32_t[]){a, b, c});
}

/* What the ring's writer has asked for before costs no lock. */
static uint32_t cached(struct wsfj_trace_ring *ring, const void *key, uint32_t (*find)(const void *key))
{
    unsigned slot = (unsigned)(((uintptr_t)key >> 4) * 0x9e3779b1u >> 16) % WSFJ_TRACE_NAMES_CACHED;

    if (load_relaxed(&ring->names[slot].key) != key) {
        store_relaxed(&ring->names[slot].index, find(key));
        store_relaxed(&ring->names[slot].key, key);
    }
    return load_relaxed(&ring->names[slot].index);
}

static uint32_t find_kind(const void *key)
{
    return wsfj_trace_name_of_kind(key);
}

static uint32_t find_function(const void *key)
{
    return wsfj_trace_name_of_function((void (*)(void *))(uintptr_t)key);
}

static uint32_t find_text(const void *key)
{
    return wsfj_trace_name_of_text(key);
}

uint32_t wsfj_trace_task(struct wsfj_trace_ring *ring, struct wsfj_stack *s)
{
    if (load_relaxed(&s->job))
        return cached(ring, load_relaxed(&s->kind), find_kind);
    if (load_relaxed(&s->item.fn))
        return cached(ring, (const void *)(uintptr_t)load_relaxed(&s->item.fn), find_function);
    return cached(ring, (const void *)load_relaxed(&load_relaxed(&s->region)->line->word), find_kind);
}

/* On a thread that serves no worker: the ring must not go meanwhile. */
static void mark_foreign(const char *name)
{
    uint32_t index = 0;

    if (!wsfj_runtime_try_enter())
        return;
    if (load_acquire(&wsfj_foreign_log.ring))
        index = wsfj_trace_name_of_text(name);
    WSFJ_FOREIGN(mark, 0, 0, index, 0);
    wsfj_runtime_leave();
}

static void mark(struct wsfj_worker *w, const char *name)
{
    struct wsfj_trace_ring *ring = load_relaxed(&w->log.ring);
    uint32_t index = ring ? cached(ring, name, find_text) : 0;

    WSFJ_EVENT(w, mark, 0, 0, index, 0);
}

WSFJ_EXPORT void ws_trace_mark(const char *name)
{
    struct wsfj_stack *own = wsfj_strand_own();

    if (!name)
        name = "mark";
    if (own && !own->lender)
        mark(load_relaxed(&own->worker), name);
    else
        mark_foreign(name);
}
