/* SPDX-License-Identifier: MIT */
#include "sched/steal.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "idle/preempt.h"
#include "idle/waiting.h"
#include "sched/fresh.h"
#include "task/join.h"
#include "sched/load.h"
#include "task/deque.h"
#include "task/scope.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/mailbox.h"
#include "worker/worker.h"

#include <sched.h>

/* A thief's search for one task. */
struct search {
    struct wsfj_worker *self;
    const struct wsfj_region *only;
    struct wsfj_stack *fresh; /* to run the stolen task on; NULL: not taken so far */
    bool no_stack;            /* the pool has none */
    bool force;
    struct wsfj_stack *asked; /* the nearest stack that has private tasks only */
    uint64_t answers;         /* its owner's, before the request */
    struct wsfj_stack *resume; /* runs next: a parent whose last child this thief has dropped, or a fiber from a run queue */
};

/* Returns the tier. Tier COUNT: the caller does not know the distance, so this looks it up. */
static enum wsfj_tier count_steal(struct wsfj_worker *w, unsigned victim, enum wsfj_tier tier)
{
    if (tier == WSFJ_TIER_COUNT)
        tier = wsfj_victims_tier(&w->victims, victim);
    count_one(&w->log.steals[tier]);
    return tier;
}

/* A victim seems to have a task. Takes the stack to run it on before the steal: after it, a missing stack would lose
 * the task. */
static bool has_stack(struct search *search)
{
    if (!search->fresh && !search->no_stack) {
        search->fresh = wsfj_fresh_stack(search->self);
        search->no_stack = !search->fresh;
    }
    return search->fresh != NULL;
}

/* Takes half of the victim's detached tasks: one to run, the others for the thief's own queue. */
static bool try_run_queue(struct search *search, unsigned victim, enum wsfj_tier tier)
{
    struct wsfj_run_queue *queue = &wsfj_workers[victim].detached.queue;
    struct wsfj_worker *w = search->self;
    struct wsfj_item item;
    unsigned n;

    if (!wsfj_run_queue_pending(queue) || !has_stack(search))
        return false;
    n = wsfj_run_queue_steal(queue, &w->detached.queue, &item);
    if (n == 0)
        return false;
    if (n > 1)
        wsfj_preempt_get_ready();
    if (wsfj_item_fiber(item))
        search->resume = wsfj_item_fiber(item);
    else
        wsfj_load_item(search->fresh, item);
    tier = count_steal(w, victim, tier);
    WSFJ_EVENT(w, steal, tier, victim, n, wsfj_run_queue_length(queue));
    return true;
}

/* Steals unless a peek shows nothing to take. */
static enum wsfj_steal steal(struct search *search, unsigned victim, struct wsfj_stack *s, struct wsfj_stolen *stolen)
{
    bool force = search->force && !wsfj_deque_offers(s) && wsfj_deque_has_work(s) &&
                 load_relaxed(&s->first) >= load_relaxed(&s->deque.wsfj_exposed);
    enum wsfj_steal got = wsfj_deque_peek(s, force);

    if (got != WSFJ_STEAL_MAYBE || !has_stack(search))
        return got;
    got = wsfj_deque_steal(s, force, search->only, stolen);
    if (force)
        WSFJ_EVENT(search->self, expose_force, 0, victim, 0, 0);
    return got;
}

/* Drops the stolen task. True if that lets its parent resume here: the search is over. */
static bool drop(struct search *search, unsigned victim, const struct wsfj_stolen *stolen)
{
    struct wsfj_worker *w = search->self;
    struct wsfj_stack *parent;

    WSFJ_EVENT(w, cancel, 0, victim, 0, 0); /* before the parent may resume, and finds it counted */
    parent = wsfj_join_drop(stolen->desc, stolen->kind);
    if (!parent)
        return false;
    WSFJ_EVENT(w, runnable, 0, load_relaxed(&parent->number), 0, load_relaxed(&parent->job.runs));
    if (!wsfj_mailbox_send(parent))
        search->resume = parent;
    return search->resume != NULL;
}

/* As steal(), but first drops all tasks of cancelled scopes that come before the first other task. */
static enum wsfj_steal steal_live(struct search *search, unsigned victim, struct wsfj_stack *s,
                                  struct wsfj_stolen *stolen)
{
    enum wsfj_steal got;

    do {
        got = steal(search, victim, s, stolen);
        if (got != WSFJ_STEAL_GOT || !stolen->scope || !wsfj_scope_drops(stolen))
            return got;
    } while (!drop(search, victim, stolen));
    return WSFJ_STEAL_EMPTY;
}

static bool try_deque(struct search *search, unsigned victim, struct wsfj_stack *s, enum wsfj_tier tier)
{
    struct wsfj_worker *w = search->self;
    struct wsfj_stolen stolen;
    uint64_t answers;

    if (!s || (search->only && load_relaxed(&s->job.region) != search->only))
        return false;
    answers = load_relaxed(&s->answers); /* before the request: after an answer it is another number */
    switch (steal_live(search, victim, s, &stolen)) {
    case WSFJ_STEAL_GOT:
        store_relaxed(&search->fresh->job.stolen, stolen.desc);
        store_relaxed(&search->fresh->job.kind, stolen.kind);
        store_relaxed(&search->fresh->job.region, stolen.region);
        if (stolen.scope) /* a fresh stack has none */
            wsfj_scope_inherit(search->fresh, stolen.scope);
        tier = count_steal(w, victim, tier);
        /* The length is read for a trace only: the owner writes its line at each spawn. */
        WSFJ_EVENT(w, steal, tier, victim, 1, (unsigned)wsfj_deque_length(s));
        store_relaxed(&search->fresh->job.parent, s);
        w->force.pause = wsfj_policy.force_pause_ns;
        return true;
    case WSFJ_STEAL_ASKED:
        WSFJ_EVENT(w, expose_request, 0, victim, 0, 0);
        if (!search->asked) {
            search->asked = s;
            search->answers = answers;
        }
        break;
    case WSFJ_STEAL_FAILED:
        /* A heavy barrier disturbs every worker: after a failure the thief holds back. */
        w->force.after = wsfj_now() + w->force.pause;
        if (w->force.pause < wsfj_policy.force_pause_most_ns)
            w->force.pause *= 2;
        search->force = false;
        break;
    case WSFJ_STEAL_MAYBE: /* there was no stack */
    case WSFJ_STEAL_EMPTY:
    case WSFJ_STEAL_BUSY: break;
    }
    if (search->resume)
        return true;
    if (!w->watch.stack)
        w->watch = (struct wsfj_watch){s, answers};
    WSFJ_EVENT(w, steal_fail, 0, victim, 0, 0);
    return false;
}

static bool try_suspended(struct search *search)
{
    size_t n = wsfj_suspended_count();

    for (n = n < wsfj_policy.suspended_most ? n : wsfj_policy.suspended_most; n; n--) {
        struct wsfj_stack *s = wsfj_suspended_next();
        const struct wsfj_worker *last = s ? load_acquire(&s->worker) : NULL;

        if (last && try_deque(search, last->id, s, WSFJ_TIER_COUNT))
            return true;
    }
    return false;
}

/* One round: every victim that is awake, then some suspended deques. */
static bool try_all(struct search *search)
{
    struct wsfj_worker *w = search->self;
    struct wsfj_victim_round round;

    wsfj_victims_begin(&w->victims, &round, &w->random);
    while (wsfj_victims_next(&round)) {
        if (try_deque(search, round.victim, load_acquire(&wsfj_workers[round.victim].stack), round.distance) ||
            (!search->only && try_run_queue(search, round.victim, round.distance))) {
            wsfj_victims_found(&round);
            return true;
        }
    }
    return try_suspended(search);
}

/* Tries the deque again whose owner was asked: it may be a suspended one that a second round does not come to. */
static bool try_asked(struct search *search)
{
    const struct wsfj_worker *w = load_acquire(&search->asked->worker);

    return try_deque(search, w->id, search->asked, WSFJ_TIER_COUNT);
}

/* Gives an owner time to make tasks public. Returns whether it has. The line that it writes at each spawn is left alone
 * until it has answered. */
static bool await_answer(struct wsfj_stack *s, uint64_t answers)
{
    uint64_t until = wsfj_now() + wsfj_policy.ask_ns;

    do {
        for (int i = 0; i < 2; i++) {
            if (load_relaxed(&s->answers) != answers && wsfj_deque_offers(s))
                return true;
            wsfj_pause();
        }
    } while (wsfj_now() < until);
    return false;
}

/* A second round, in which a private task may be forced. */
static bool try_again(struct search *search)
{
    search->force = !await_answer(search->asked, search->answers) && wsfj_now() >= search->self->force.after;
    return try_asked(search) || try_all(search);
}

struct wsfj_stack *WSFJ_POLICY_FUNCTION(wsfj_steal)(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct search search = {.self = w, .only = only};

    w->watch.stack = NULL;
    if ((try_all(&search) || (search.asked && !search.no_stack && try_again(&search))) && !search.resume)
        return search.fresh;
    if (search.fresh)
        wsfj_pool_give(&w->cache, search.fresh);
    if (search.resume)
        return search.resume;
    if (search.no_stack)
        sched_yield(); /* the threads whose tasks have the stacks may wait for this processor */
    else if (!only && load_relaxed(&w->no_stack) && !wsfj_waiting_items())
        store_relaxed(&w->no_stack, (uint64_t)0); /* no task waits for a stack */
    return NULL;
}
