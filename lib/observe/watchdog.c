/* SPDX-License-Identifier: MIT */
#include "observe/watchdog.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "blocking/spare.h"
#include "config/settings.h"
#include "idle/lookout.h"
#include "idle/preempt.h"
#include "idle/source.h"
#include "idle/waiting.h"
#include "observe/waits.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "task/stack.h"
#include "worker/items.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <stdlib.h>

/* The largest number of tasks that wait for each other's mutexes and are seen. */
#define CIRCLE_MOST 64

/* What a worker was last seen running. */
struct seen {
    const struct wsfj_stack *stack;
    uint64_t runs, since;
};

/* Only the watching thread's. */
static struct seen *seen;
static uint64_t moved_at, last;
static uint64_t yields, yields_before; /* the workers' yields now, and when something last moved */
static bool all_wait;
static uint64_t asked_at,
    source_seen; /* when the poll source was asked that a thread was in last, and since when that was seen */

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

/* What the fibers do. */
struct fibers {
    bool any, run; /* there is one; one runs, blocks or could run */
    bool threads;  /* a thread of the program may end a wait */
    bool circle;   /* some wait for each other's mutexes */
};

static bool in_circle(const struct wsfj_stack *s)
{
    const struct wsfj_stack *holder = wsfj_waits_holder(s);

    for (unsigned i = 0; holder && holder != s && i < CIRCLE_MOST; i++)
        holder = wsfj_waits_holder(holder);
    return holder == s;
}

static void check_stack(const struct wsfj_stack *s, struct fibers *all)
{
    uint32_t life = load_relaxed(&s->shown.life);

    all->any = all->any || life != WSFJ_LIFE_FREE;
    if (life == WSFJ_LIFE_WAIT) {
        all->threads = all->threads || wsfj_waits_for_threads(s);
        all->circle = all->circle || in_circle(s);
    } else if (life != WSFJ_LIFE_FREE && (life != WSFJ_LIFE_JOIN || !load_relaxed(&s->join))) {
        all->run = true;
    }
}

/* Adds all fibers to the sum. */
static struct fibers check_stacks(uint64_t *sum)
{
    struct fibers all = {false, false, false, false};

    for (const struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        mix(sum, load_relaxed(&s->shown.moves));
        mix(sum, (uintptr_t)load_relaxed(&s->deque.wsfj_tail));
        check_stack(s, &all);
    }
    return all;
}

/* Whether a thread of the program does not wait for tasks itself. If the kernel does not tell how many there are, it is assumed. */
static bool has_free_thread(void)
{
    uint64_t busy = wsfj_thread_waiting() + wsfj_spare_count() + wsfj_preempt_has_thread() + 1;
    uint64_t all = wsfj_thread_count();

    return !all || all > busy;
}

/* Nothing moves, because all wait for something outside, or could be waiting for it. */
static bool is_idle(const struct fibers *all)
{
    if (!all_wait || all->circle)
        return false;
    return wsfj_lookout_has_to() || wsfj_settings.poll || (all->threads && has_free_thread());
}

uint64_t wsfj_watchdog_check(uint64_t now, uint64_t missed)
{
    struct wsfj_global_queue_length queue = wsfj_global_queue_length();
    struct wsfj_items tally = wsfj_items();
    size_t roots = wsfj_root_length();
    struct fibers all;
    uint64_t sum = 0;

    yields = 0;
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        check_worker(&wsfj_workers[i], now);
    all = check_stacks(&sum);
    all_wait = all.any && !all.run && !queue.fibers && !roots && !wsfj_waiting_items();
    all.any = all.any || tally.submitted != tally.finished || queue.fibers || roots;
    mix(&sum, tally.submitted);
    mix(&sum, tally.finished);
    mix(&sum, roots);
    if (!all.any || sum != last || is_idle(&all)) {
        moved_at = now;
        yields_before = yields;
    } else {
        moved_at += missed;
    }
    last = sum;
    return now - moved_at;
}

uint64_t wsfj_watchdog_source(uint64_t now, uint64_t missed)
{
    uint64_t at = 0;

    (void)wsfj_source_longest(&at);
    source_seen = at && at == asked_at ? source_seen + missed : now;
    asked_at = at;
    return now - source_seen;
}

uint64_t wsfj_watchdog_yields(void)
{
    return yields - yields_before;
}

bool wsfj_watchdog_all_wait(void)
{
    return all_wait;
}

uint64_t wsfj_watchdog_runs(unsigned worker, uint64_t now)
{
    const struct wsfj_stack *s = load_acquire(&wsfj_workers[worker].stack);
    const struct seen *at = seen ? &seen[worker] : NULL;

    return s && at && at->stack == s && at->runs == load_relaxed(&s->shown.runs) ? now - at->since : 0;
}
