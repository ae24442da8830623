/* SPDX-License-Identifier: MIT */
#include "worker.h"

#include "arch.h"
#include "atomic.h"
#include "chaos.h"
#include "debug.h"
#include "dispatch.h"
#include "global.h"
#include "group.h"
#include "home.h"
#include "inject.h"
#include "join.h"
#include "park.h"
#include "region.h"
#include "runtime.h"
#include "settings.h"
#include "steal.h"

#include <sched.h>

/* Rounds of pure polling before the thief lets other threads of its processor run between rounds. */
#define POLITE_ROUNDS 64

static bool stopping, workers_ready;

/* The head of the stack this thread runs on; NULL outside. One pointer: initial-exec thread-local memory is scarce. */
WSFJ_EXPORT __attribute__((tls_model("initial-exec"), used)) __thread struct wsfj_head *wsfj_tls;

WSFJ_EXPORT __attribute__((noinline)) struct wsfj_head *wsfj_self_slow(void)
{
    return wsfj_tls;
}

void wsfj_worker_leave(struct wsfj_stack *own, wsfj_left *left)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    store_relaxed(&w->left, left);
    store_release(&own->left, true); /* for wsfj_pool_stop() */
    wsfj_context_switch(&own->context, &w->loop);
    if (left)
        wsfj_fpenv_set(load_relaxed(&own->region)->fpenv); /* after the switch: swapcontext() has its own idea */
}

void wsfj_worker_stack_main(void *argument)
{
    struct wsfj_stack *own = argument;

    wsfj_context_entered(&own->context);
    for (;;) {
        /* Acquires: for a checker that takes this stack for a strand of its own. */
        bool ready = load_acquire(&workers_ready);
        struct wsfj_line *line = load_acquire(&own->job);
        struct wsfj_region *region = load_relaxed(&own->region);
        struct wsfj_stack *resume = NULL;

        if (line)
            (void)load_acquire(&line->word); /* arguments and region: the steal has ordered them already */
        wsfj_assert(ready);
        (void)ready;
        own->head.area = own->head.area_start;
        wsfj_fpenv_set(region->fpenv);

        if (line) {
            const struct wsfj_kind *kind = load_relaxed(&own->kind);

            /* The result stays with the line until the parent's sync: its variable may be gone by now. */
            kind->exec(&own->head, own->lines, line,
                       kind->in_area ? (void *)(uintptr_t)line->args[0] : (void *)line->args);
            resume = wsfj_join_finish(line, kind);
        } else if (own->item.fn) {
            own->item.fn(own->item.arg);
            wsfj_dispatch_finished(load_relaxed(&own->worker));
            resume = wsfj_group_finish(own->item.group);
        } else {
            wsfj_exec_any(&own->head, own->lines, region->line, region->rp);
        }

        struct wsfj_worker *w = load_relaxed(&own->worker);

        store_relaxed(&w->resume, resume);
        if (line || own->item.fn)
            store_relaxed(&w->finished, NULL);
        else
            store_release(&w->finished, region); /* the root's result, if its caller is on this thread */
        own->item.fn = NULL;
        wsfj_worker_leave(own, NULL);
    }
}

/* Runs a stack until it is left, and then whatever that makes runnable at once. Returns the region whose root has
 * finished, or NULL. */
static struct wsfj_region *run(struct wsfj_worker *w, struct wsfj_stack *s)
{
    struct wsfj_region *finished = NULL;

    while (s) {
        store_release(&s->worker, w); /* for a checker: wait_inside() in submit.c */
        store_seq(&w->stack, s); /* PARK-3: before the state is read */
        wsfj_park_carry_over(s);
        wsfj_tls = &s->head;
        wsfj_context_switch(&w->loop, &s->context);
        wsfj_tls = NULL;

        wsfj_left *left = load_relaxed(&w->left);

        (void)load_acquire(&s->left); /* for a checker that takes the stack for a strand of its own */
        /* The stack we come from is not always the one we went to: a task may have been suspended and another one
         * resumed on it meanwhile, but never without passing here. So it is `s`, on the same thread. */
        if (left) {
            store_relaxed(&w->stack, NULL);
            wsfj_chaos();
            s = left(s); /* JOIN-3, GROUP-3 */
        } else {
            struct wsfj_stack *resume = load_relaxed(&w->resume);

            finished = load_relaxed(&w->finished);
            if (finished)
                (void)load_acquire(&w->finished);
            store_relaxed(&w->stack, NULL);
            wsfj_pool_give(&w->cache, s);
            s = resume && wsfj_home_send(w, resume) ? NULL : resume;
        }
    }
    return finished;
}

/* Between two rounds a thief pauses 2^this times at most. Each look costs the victim a cache miss at its next spawn: the
 * more thieves there may be, the longer the pause. With two workers a task that lies there is seen after 0.2 us. */
static unsigned longest_pause(void)
{
    unsigned longest = 3;

    while (longest < 6 && 2u << (longest - 3) < wsfj_num_workers)
        longest++;
    return longest;
}

/* Searches until there is something to run (the stack), or until there is no sense in it any more (NULL). */
static struct wsfj_stack *search(struct wsfj_worker *w, struct wsfj_region *guest, uint64_t patience)
{
    uint64_t start = wsfj_now();
    unsigned longest = longest_pause();

    for (unsigned round = 0;; round++) {
        struct wsfj_stack *s;

        /* What detached tasks there are is not for guests, and the region may wait for them: the place is for its thread,
         * and so is a strand of ours that has yielded. */
        if (guest && wsfj_dispatch_has_items())
            return NULL;
        s = guest ? wsfj_global_take_strand(guest) : wsfj_dispatch(w);
        if (!s)
            s = wsfj_steal(w, guest);
        if (s)
            return s;
        if (guest ? load_acquire(&guest->state) != WSFJ_REGION_RUNS : wsfj_worker_stopping())
            return NULL;
        if (patience == WSFJ_FOREVER ? !wsfj_runtime_active() : wsfj_now() - start > patience)
            return NULL;
        if (round >= POLITE_ROUNDS)
            sched_yield();
        s = wsfj_home_pause(w, guest, 1u << (round < longest ? round : longest));
        if (s)
            return s;
    }
}

/* A guest goes. What it leaves in the worker's cache nobody could reach before the worker is served again. */
static void leave_guest(struct wsfj_worker *w)
{
    wsfj_pool_flush(&w->cache);
    wsfj_park_leave_guest(w);
}

/* Runs a stack, and what the worker's queues have after it. True if the guest's region is finished. */
static bool run_on(struct wsfj_worker *w, struct wsfj_stack *s, const struct wsfj_region *guest)
{
    while (s) {
        struct wsfj_region *finished = run(w, s);

        if (finished && finished == guest)
            return true;
        if (finished)
            wsfj_inject_finish(finished, WSFJ_REGION_DONE);
        s = guest ? NULL : wsfj_dispatch(w);
    }
    return false;
}

bool wsfj_worker_serve(struct wsfj_worker *w, struct wsfj_stack *first, struct wsfj_region *guest)
{
    uint64_t patience = wsfj_settings.spin_ns;
    bool done;

    wsfj_context_here(&w->loop);
    done = run_on(w, first, guest);
    while (!done) {
        struct wsfj_stack *s = search(w, guest, patience);

        if (s) {
            if (guest)
                wsfj_park_notify(w);
            else
                wsfj_park_found(w);
            done = run_on(w, s, guest);
            if (!guest)
                wsfj_park_search();
            patience = wsfj_settings.spin_ns;
        } else if (guest || wsfj_worker_stopping()) {
            break;
        } else {
            wsfj_pool_flush(&w->cache); /* others may need them while we sleep */
            wsfj_park_sleep(w);
            wsfj_context_here(&w->loop); /* a guest may have had our place meanwhile */
            /* Woken in vain so far: search less long. */
            patience = wsfj_settings.spin_ns == WSFJ_FOREVER ? WSFJ_FOREVER : wsfj_settings.spin_ns / 4;
        }
    }
    if (guest)
        leave_guest(w);
    return done;
}

void wsfj_worker_begin(void)
{
    store_seq(&stopping, false);
    store_release(&workers_ready, true);
}

void wsfj_worker_stop(void)
{
    store_seq(&stopping, true);
    wsfj_park_wake_all();
}

bool wsfj_worker_stopping(void)
{
    return load_seq(&stopping);
}
