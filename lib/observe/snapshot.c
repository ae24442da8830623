/* SPDX-License-Identifier: MIT */
#include "observe/snapshot.h"

#include "idle/idle_counts.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "queue/run_queue.h"
#include "signals/symbols.h"
#include "task/deque.h"
#include "task/pool.h"
#include "task/stack.h"
#include "worker/items.h"
#include "worker/items_count.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <inttypes.h>

/* The only counter of a worker (event.h) that is shown. */
static uint64_t steals_of(const struct wsfj_worker *w)
{
    return load_relaxed(&w->log.count[WSFJ_EVENT_steal]);
}

static const char *state_of(bool runs, uint32_t park)
{
    if (runs)
        return "running";
    switch (park) {
    case WSFJ_PARK_ASLEEP: return "parked";
    case WSFJ_PARK_RETIRED: return "retired";
    default: return "searching";
    }
}

struct wsfj_snapshot wsfj_snapshot(unsigned id)
{
    struct wsfj_worker *w = &wsfj_workers[id];
    struct wsfj_stack *s = load_acquire(&w->stack);
    uint32_t park = load_relaxed(&w->park);
    unsigned queued = wsfj_run_queue_length(&w->detached.queue);
    bool next = queued && wsfj_run_queue_next_full(&w->detached.queue);

    return (struct wsfj_snapshot){.state = state_of(s, park),
                                  .guest = park == WSFJ_PARK_GUEST,
                                  .stack = s,
                                  .number = s ? s->number : 0,
                                  .lent = load_relaxed(&w->lent) > 0,
                                  .deque = s ? wsfj_deque_length(s) : 0,
                                  .queue = queued - next,
                                  .next = next,
                                  .dispatches = wsfj_items_dispatches(w),
                                  .steals = steals_of(w)};
}

static void count_stacks(struct wsfj_snapshot_totals *all)
{
    for (const struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        uint32_t life = load_relaxed(&s->shown.life);

        all->made++;
        all->used += life != WSFJ_LIFE_FREE;
        all->waiting += life > WSFJ_LIFE_RUNS;
    }
}

struct wsfj_snapshot_totals wsfj_snapshot_totals(void)
{
    struct wsfj_global_queue_length queue = wsfj_global_queue_length();
    struct wsfj_items tally = wsfj_items();
    struct wsfj_snapshot_totals all = {.workers = wsfj_num_workers,
                                       .searching = wsfj_idle_counts().searching,
                                       .global = queue.items,
                                       .fibers = queue.fibers,
                                       .roots = wsfj_root_length(),
                                       .submitted = tally.submitted,
                                       .finished = tally.finished};

    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        const struct wsfj_worker *w = &wsfj_workers[i];
        uint32_t park = load_relaxed(&w->park);

        all.running += load_relaxed(&w->stack) != NULL;
        all.sleeping += park == WSFJ_PARK_ASLEEP;
        all.guests += park == WSFJ_PARK_GUEST;
        all.retired += park == WSFJ_PARK_RETIRED;
        all.steals += steals_of(w);
    }
    count_stacks(&all);
    return all;
}

bool wsfj_snapshot_runs(const struct wsfj_stack *s)
{
    const struct wsfj_worker *w = load_acquire(&s->worker);

    return w && load_acquire(&w->stack) == s;
}

bool wsfj_snapshot_blocks(const struct wsfj_stack *s)
{
    return load_relaxed(&s->shown.life) == WSFJ_LIFE_RUNS && load_relaxed(&s->blocking.lender);
}

bool wsfj_snapshot_code(struct wsfj_textbuf *text, const char *indent, uintptr_t address, bool is_return)
{
    struct wsfj_symbol symbol;

    /* A call may be the last instruction of a function; the byte before its return address is inside. */
    if (!wsfj_symbol_find(address - is_return, &symbol))
        return false;
    wsfj_textbuf_add(text, "%s", indent);
    if (symbol.is_task) /* the function of that name is another one, so the place is one of the file */
        wsfj_textbuf_add(text, "%s (%s+0x%" PRIxPTR ")", symbol.function, symbol.object, symbol.address + is_return);
    else if (symbol.function[0])
        wsfj_textbuf_add(text, "%s+0x%" PRIxPTR " (%s)", symbol.function, symbol.offset + is_return, symbol.object);
    else if (symbol.address)
        wsfj_textbuf_add(text, "%s+0x%" PRIxPTR, symbol.object, symbol.address + is_return);
    else if (symbol.object[0])
        wsfj_textbuf_add(text, "0x%" PRIxPTR " (%s)", address, symbol.object);
    else
        wsfj_textbuf_add(text, "0x%" PRIxPTR, address);
    return true;
}

pid_t wsfj_snapshot_thread(unsigned worker)
{
    const struct wsfj_worker *w = &wsfj_workers[worker];

    return load_relaxed(&w->park) == WSFJ_PARK_GUEST ? load_relaxed(&w->guest) : load_acquire(&w->tid);
}

void wsfj_snapshot_function(struct wsfj_textbuf *text, uintptr_t fn)
{
    struct wsfj_symbol symbol;

    if (wsfj_symbol_find(fn, &symbol) && symbol.function[0])
        wsfj_textbuf_add(text, "%s (%s)", symbol.function, symbol.object);
    else if (!wsfj_snapshot_code(text, "", fn, false))
        wsfj_textbuf_add(text, "0x%" PRIxPTR, fn);
}

void wsfj_snapshot_task(struct wsfj_textbuf *text, const struct wsfj_stack *s)
{
    ws_function *fn = load_relaxed(&s->job.item.fn);
    const struct wsfj_kind *kind = load_relaxed(&s->job.kind);

    if (load_relaxed(&s->shown.life) == WSFJ_LIFE_FREE)
        wsfj_textbuf_add(text, "nothing yet");
    else if (fn)
        wsfj_snapshot_function(text, (uintptr_t)fn);
    else if (kind)
        wsfj_textbuf_add(text, "%s (%s:%u)", kind->wsfj_name, kind->wsfj_file, (unsigned)kind->wsfj_lineno);
    else
        wsfj_textbuf_add(text, "a task that begins or ends");
}
