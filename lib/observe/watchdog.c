/* SPDX-License-Identifier: MIT */
#include "observe/watchdog.h"

#include "base/alloc.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "task/stack.h"
#include "worker/items.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <stdlib.h>

/* What a worker was last seen running. */
struct seen {
    const struct wsfj_stack *stack;
    uint64_t runs, since;
};

/* Only the watching thread's. */
static struct seen *seen;
static uint64_t moved_at, last;
static uint64_t yields, yields_before; /* the workers' yields now, and when something last moved */

bool wsfj_watchdog_start(unsigned workers, uint64_t now)
{
    seen = wsfj_calloc(workers, sizeof *seen);
    moved_at = now;
    last = 0;
    yields = yields_before = 0;
    return seen != NULL;
}

void wsfj_watchdog_stop(void)
{
    free(seen);
    seen = NULL;
}

/* A sum that depends on the order. Different values have equal sums with a chance of 1 in 2^64. */
static void mix(uint64_t *sum, uint64_t value)
{
    *sum = (*sum ^ value) * 0x9e3779b97f4a7c15u;
    *sum ^= *sum >> 29;
}

static void check_worker(const struct wsfj_worker *w, uint64_t now)
{
    const struct wsfj_stack *s = load_acquire(&w->stack);
    uint64_t runs = s ? load_relaxed(&s->shown.runs) : 0;
    struct seen *at = &seen[w->id];

    if (at->stack != s || at->runs != runs)
        *at = (struct seen){s, runs, now};
    yields += load_relaxed(&w->log.count[WSFJ_EVENT_yield]);
}

/* Adds all fibers to the sum. True if there are any. */
static bool check_stacks(uint64_t *sum)
{
    bool any = false;

    for (const struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        mix(sum, load_relaxed(&s->shown.moves));
        mix(sum, (uintptr_t)load_relaxed(&s->deque.wsfj_tail));
        any = any || load_relaxed(&s->shown.life) != WSFJ_LIFE_FREE;
    }
    return any;
}

uint64_t wsfj_watchdog_check(uint64_t now, uint64_t missed)
{
    struct wsfj_global_queue_length queue = wsfj_global_queue_length();
    struct wsfj_items tally = wsfj_items();
    size_t roots = wsfj_root_length();
    uint64_t sum = 0;
    bool any;

    yields = 0;
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        check_worker(&wsfj_workers[i], now);
    any = check_stacks(&sum) || tally.submitted != tally.finished || queue.fibers || roots;
    mix(&sum, tally.submitted);
    mix(&sum, tally.finished);
    mix(&sum, roots);
    if (!any || sum != last) {
        moved_at = now;
        yields_before = yields;
    } else {
        moved_at += missed;
    }
    last = sum;
    return now - moved_at;
}

uint64_t wsfj_watchdog_yields(void)
{
    return yields - yields_before;
}

uint64_t wsfj_watchdog_runs(unsigned worker, uint64_t now)
{
    const struct wsfj_stack *s = load_acquire(&wsfj_workers[worker].stack);
    const struct seen *at = seen ? &seen[worker] : NULL;

    return s && at && at->stack == s && at->runs == load_relaxed(&s->shown.runs) ? now - at->since : 0;
}
