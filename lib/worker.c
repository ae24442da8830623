/* SPDX-License-Identifier: MIT */
#include "worker.h"

#include "arch.h"
#include "atomic.h"
#include "blocking.h"
#include "census.h"
#include "chaos.h"
#include "debug.h"
#include "dispatch.h"
#include "global.h"
#include "group.h"
#include "guest.h"
#include "home.h"
#include "inject.h"
#include "join.h"
#include "orphan.h"
#include "park.h"
#include "phase.h"
#include "poll.h"
#include "region.h"
#include "retire.h"
#include "runtime.h"
#include "settings.h"
#include "steal.h"
#include "supply.h"

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

/* Not inlined: a task may come back on another thread. */
__attribute__((noinline)) struct wsfj_stack *wsfj_worker_own_stack(void)
{
    struct wsfj_head *head = wsfj_self();

    return head && head->mode != WSFJ_MODE_PRIVATE ? wsfj_stack_of(head) : NULL;
}

void wsfj_worker_leave(struct wsfj_stack *own, wsfj_left *left)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    if (wsfj_orphan_is(own))
        wsfj_orphan_stop(!left);
    struct wsfj_server *server = load_acquire(&w->server);

    store_relaxed(&w->left, left);
    store_release(&own->left, true); /* for wsfj_pool_stop(); our last word */
    wsfj_context_switch(&own->context, &server->loop);
    if (left)
        wsfj_fpenv_set(load_relaxed(&own->region)->fpenv); /* after the switch: swapcontext() has its own idea */
}

/* A task has ended, maybe with a bracket open. */
static void close_brackets(struct wsfj_stack *own)
{
    if (own->brackets) {
        own->brackets = 0;
        wsfj_blocking_return(own);
    }
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
            close_brackets(own);
            resume = wsfj_join_finish(line, kind);
        } else if (own->item.fn) {
            own->item.fn(own->item.arg);
            close_brackets(own);
            wsfj_dispatch_finished(load_relaxed(&own->worker));
            resume = wsfj_group_finish(own->item.group);
        } else {
            wsfj_exec_any(&own->head, own->lines, region->line, region->rp);
            close_brackets(own);
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

/* What a surplus worker could go on with at once is for somebody else (PARK-7). Returns what is left for `w`. */
static struct wsfj_stack *unless_surplus(struct wsfj_worker *w, struct wsfj_stack *s, const struct wsfj_region *guest)
{
    if (!s || guest || wsfj_supply_allows(w->id))
        return s;
    wsfj_global_put_strand(s);
    wsfj_park_notify(w);
    return NULL;
}

/* Runs a stack until it is left, and then whatever that makes runnable at once. Returns the region whose root has
 * finished, or NULL. The place may be lent away when it returns. */
static struct wsfj_region *run(struct wsfj_worker *w, struct wsfj_server *self, struct wsfj_stack *s,
                                const struct wsfj_region *guest)
{
    struct wsfj_region *finished = NULL;

    while (s) {
        store_release(&s->worker, w); /* for a checker: wait_inside() in submit.c */
        store_seq(&w->stack, s); /* PARK-3: before the state is read */
        wsfj_park_carry_over(s);
        wsfj_tls = &s->head;
        wsfj_context_switch(&self->loop, &s->context);
        wsfj_tls = NULL;
        (void)load_acquire(&s->left); /* for a checker that takes the stack for a strand of its own */
        /* The stack we come from is not always the one we went to: a task may have been suspended and another one
         * resumed on it meanwhile, but never without passing here. So it is `s`, on the same thread. */
        if (load_relaxed(&self->lent)) {
            wsfj_blocking_left(s);
            return NULL;
        }

        wsfj_left *left = load_relaxed(&w->left);

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
        s = unless_surplus(w, s, guest);
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

        if (round % POLITE_ROUNDS == 0)
            wsfj_supply_check();
        if (!guest && !wsfj_supply_allows(w->id))
            return NULL;
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
        if (wsfj_phase_hot() ? !wsfj_runtime_active() : wsfj_now() - start > patience)
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
    wsfj_guest_leave(w);
}

/* Runs a stack, and what the worker's queues have after it. IDLE: there is nothing more. */
static enum wsfj_served run_on(struct wsfj_worker *w, struct wsfj_server *self, struct wsfj_stack *s,
                               const struct wsfj_region *guest)
{
    while (s) {
        struct wsfj_region *finished = run(w, self, s, guest);

        if (load_relaxed(&self->lent))
            return WSFJ_SERVED_LENT;
        if (finished && finished == guest)
            return WSFJ_SERVED_DONE;
        if (finished)
            wsfj_inject_finish(finished, WSFJ_REGION_DONE);
        s = guest || !wsfj_supply_allows(w->id) ? NULL : wsfj_dispatch(w);
    }
    return WSFJ_SERVED_IDLE;
}

/* Nothing to do: sleeps until somebody has work, and as long as the worker is surplus; then searches. */
static void sleep_until_work(struct wsfj_worker *w, struct wsfj_server *self, bool searching)
{
    wsfj_pool_flush(&w->cache); /* others may need them meanwhile */
    wsfj_supply_check();
    if (wsfj_supply_allows(w->id)) {
        wsfj_park_sleep(w, searching);
    } else {
        if (!searching)
            wsfj_census_add_searcher();
        wsfj_retire(w);
    }
    store_release(&w->server, self); /* a guest may have had our place */
}

enum wsfj_served wsfj_worker_serve(struct wsfj_worker *w, struct wsfj_stack *first, struct wsfj_region *guest)
{
    struct wsfj_server self = {.is_guest = guest != NULL};
    uint64_t patience = wsfj_settings.spin_ns;
    enum wsfj_served served;

    wsfj_context_here(&self.loop);
    store_release(&w->server, &self); /* for a checker that takes a stack for a strand of its own, as all of `self` */
    served = run_on(w, &self, first, guest);
    while (served == WSFJ_SERVED_IDLE) {
        struct wsfj_stack *s = search(w, guest, patience);

        if (s) {
            if (guest)
                wsfj_park_notify(w);
            else
                wsfj_park_found(w);
            served = run_on(w, &self, s, guest);
            if (served == WSFJ_SERVED_IDLE && !guest && !wsfj_park_search())
                sleep_until_work(w, &self, false);
            patience = wsfj_settings.spin_ns;
        } else if (guest || wsfj_worker_stopping()) {
            break;
        } else if (!wsfj_supply_allows(w->id) || !wsfj_poll()) {
            sleep_until_work(w, &self, true);
            /* Woken in vain so far: search less long. */
            patience = wsfj_settings.spin_ns == WSFJ_FOREVER ? WSFJ_FOREVER : wsfj_settings.spin_ns / 4;
        }
    }
    if (guest && served != WSFJ_SERVED_LENT)
        leave_guest(w);
    return served;
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
