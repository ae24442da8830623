/* SPDX-License-Identifier: MIT */
/* What threads record while the runtime runs: events, with the names of tasks, and the program's marks. trace.c makes the
 * rings and writes the file. */
#include "observe/trace.h"

#include "arch/ticks.h"
#include "observe/trace_cpu.h"
#include "observe/trace_names.h"
#include "observe/trace_ring.h"
#include "task/region.h"
#include "task/stack.h"
#include "worker/own.h"
#include "worker/use.h"
#include "worker/worker.h"

/* The record is BUSY until it is complete: a flush may come at any time, and the record being overwritten is the oldest
 * that it would draw. Each store is a release: a thread that sees any of them sees BUSY, too. */
static void fill(struct wsfj_trace_record *r, uint64_t ticks, uint32_t event, const uint32_t n[3])
{
    store_release(&r->event, event);
    store_release(&r->a, n[0]);
    store_release(&r->b, n[1]);
    store_release(&r->c, n[2]);
    store_release(&r->ticks, ticks);
}

void wsfj_trace_put(struct wsfj_trace_ring *ring, unsigned event, unsigned detail, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t i = load_relaxed(&ring->next);
    struct wsfj_trace_record *r = &ring->records[i & ring->mask];

    store_relaxed(&r->ticks, WSFJ_TRACE_BUSY);
    fill(r, wsfj_ticks(ring->count), event | detail << 16, (const uint32_t[]){a, b, c});
    store_release(&ring->next, i + 1);
    wsfj_trace_cpu_note(ring, event);
}

void wsfj_trace_put_shared(struct wsfj_trace_ring *ring, unsigned event, unsigned detail, uint32_t a, uint32_t b,
                           uint32_t c)
{
    struct wsfj_trace_record *r = &ring->records[add_acq_rel(&ring->next, 1) & ring->mask];

    /* If it is BUSY, a thread was preempted in here for a whole round of the ring: the record is that thread's. */
    if (swap_acq_rel(&r->ticks, WSFJ_TRACE_BUSY) != WSFJ_TRACE_BUSY)
        fill(r, wsfj_ticks(ring->count), event | detail << 16, (const uint32_t[]){a, b, c});
}

/* A name that the ring's writer has looked up before costs no lock. */
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
    if (load_relaxed(&s->job.stolen))
        return cached(ring, load_relaxed(&s->job.kind), find_kind);
    if (load_relaxed(&s->job.item.fn))
        return cached(ring, (const void *)(uintptr_t)load_relaxed(&s->job.item.fn), find_function);
    return cached(ring, (const void *)load_relaxed(&load_relaxed(&s->job.region)->root->wsfj_word), find_kind);
}

uint32_t wsfj_trace_text(struct wsfj_trace_ring *ring, const char *text)
{
    return cached(ring, text, find_text);
}

/* On a thread that serves no worker: the ring must not be freed meanwhile. */
static void mark_foreign(const char *name)
{
    uint32_t index = 0;

    if (!wsfj_use_try_enter())
        return;
    if (load_acquire(&wsfj_foreign_log.ring))
        index = wsfj_trace_name_of_text(name);
    WSFJ_FOREIGN(mark, 0, 0, index, 0);
    wsfj_use_leave();
}

static void mark(struct wsfj_worker *w, const char *name)
{
    struct wsfj_trace_ring *ring = load_relaxed(&w->log.ring);
    uint32_t index = ring ? wsfj_trace_text(ring, name) : 0;

    WSFJ_EVENT(w, mark, 0, 0, index, 0);
}

WSFJ_EXPORT void ws_trace_mark(const char *name)
{
    struct wsfj_stack *own = wsfj_own_served();

    if (!name)
        name = "mark";
    if (own)
        mark(load_relaxed(&own->worker), name);
    else
        mark_foreign(name);
}
