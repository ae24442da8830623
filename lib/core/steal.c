/* SPDX-License-Identifier: MIT */
#include "core/steal.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "core/dispatch.h"
#include "core/preempt.h"
#include "core/suspended.h"
#include "core/worker.h"
#include "task/deque.h"
#include "task/stack.h"

#include <sched.h>

/* A thief that has asked for exposure waits this long before it looks again and then forces. */
#define ASK_NS 1000
/* Pause after a forced exposure that found nothing; doubled each time up to the most. */
#define FORCE_PAUSE_NS 10000
#define FORCE_PAUSE_MOST_NS 1000000

/* A round looks at so many suspended deques; the next round goes on from there. */
#define SUSPENDED_MOST 8

/* What the victim visits of one round need. */
struct hunt {
    struct wsfj_worker *self;
    struct wsfj_stack *fresh; /* to run the stolen task on */
    const struct wsfj_region *only;
    bool got, force;
    struct wsfj_stack *asked; /* the nearest one that has private tasks only */
};

/* Tier COUNT: the caller does not know the distance, so this looks it up. */
static void count_steal(struct wsfj_worker *w, unsigned victim, enum wsfj_tier tier, unsigned tasks, unsigned left)
{
    if (tier == WSFJ_TIER_COUNT)
        tier = wsfj_victims_tier(&w->victims, victim);
    count_one(&w->log.steals[tier]);
    WSFJ_EVENT(w, steal, tier, victim, tasks, left);
}

/* Half of the victim's detached tasks; the rest of the stolen task goes to our own ring. */
static bool try_ring(struct hunt *hunt, unsigned victim, enum wsfj_tier tier)
{
    struct wsfj_run_queue *ring = &wsfj_workers[victim].detached.queue;
    struct wsfj_item item;
    struct wsfj_worker *w = hunt->self;
    unsigned n = wsfj_run_queue_steal(ring, &w->detached.queue, &item);

    if (n == 0 && !wsfj_run_queue_steal_next(ring, &item))
        return false;
    if (n > 1)
        wsfj_preempt_moved();
    wsfj_dispatch_load(hunt->fresh, item);
    count_steal(w, victim, tier, n ? n : 1, wsfj_run_queue_length(ring));
    hunt->got = true;
    return true;
}

static bool try_deque(struct hunt *hunt, unsigned victim, struct wsfj_stack *s, enum wsfj_tier tier)
{
    struct wsfj_worker *w = hunt->self;
    struct wsfj_stolen stolen;

    if (!s || (hunt->only && load_relaxed(&s->job.region) != hunt->only))
        return false;

    bool force = hunt->force && wsfj_deque_has_work(s) && load_relaxed(&s->first) >= load_relaxed(&s->deque.exposed);
    enum wsfj_steal got = wsfj_deque_steal(s, force, hunt->only, &stolen);

    if (force)
        WSFJ_EVENT(w, expose_force, 0, victim, 0, 0);
    switch (got) {
    case WSFJ_STEAL_GOT:
        store_relaxed(&hunt->fresh->job.stolen, stolen.desc);
        store_relaxed(&hunt->fresh->job.kind, stolen.kind);
        store_relaxed(&hunt->fresh->job.region, stolen.region);
        count_steal(w, victim, tier, 1, (unsigned)wsfj_deque_length(s));
        store_relaxed(&hunt->fresh->job.parent, s);
        w->force.pause = FORCE_PAUSE_NS;
        hunt->got = true;
        return true;
    case WSFJ_STEAL_ASKED:
        WSFJ_EVENT(w, expose_request, 0, victim, 0, 0);
        if (!hunt->asked)
            hunt->asked = s;
        break;
    case WSFJ_STEAL_FAILED:
        /* A heavy barrier disturbs every worker: hold back after it was in vain. */
        w->force.after = wsfj_now() + w->force.pause;
        if (w->force.pause < FORCE_PAUSE_MOST_NS)
            w->force.pause *= 2;
        hunt->force = false;
        break;
    case WSFJ_STEAL_EMPTY:
    case WSFJ_STEAL_BUSY:
        break;
    }
    WSFJ_EVENT(w, steal_fail, 0, victim, 0, 0);
    return false;
}

static bool try_victim(void *context, unsigned victim, enum wsfj_tier tier)
{
    struct hunt *hunt = context;
    struct wsfj_worker *w = &wsfj_workers[victim];

    return try_deque(hunt, victim, load_acquire(&w->stack), tier) ||
           (!hunt->only && try_ring(hunt, victim, tier));
}

/* How many tasks wait there, of both kinds. */
static size_t length_of(void *context, unsigned victim)
{
    struct wsfj_stack *s = load_acquire(&wsfj_workers[victim].stack);

    (void)context;
    return (s ? wsfj_deque_length(s) : 0) + wsfj_run_queue_length(&wsfj_workers[victim].detached.queue);
}

/* A few of the suspended deques. */
static bool try_suspended(struct hunt *hunt)
{
    size_t n = wsfj_suspended_count();

    for (n = n < SUSPENDED_MOST ? n : SUSPENDED_MOST; n; n--) {
        struct wsfj_stack *s = wsfj_suspended_next();
        const struct wsfj_worker *last = s ? load_acquire(&s->worker) : NULL;

        if (last && try_deque(hunt, last->id, s, WSFJ_TIER_COUNT))
            return true;
    }
    return false;
}

/* One look everywhere. */
static bool look_around(struct hunt *hunt)
{
    const struct wsfj_visit visit = {try_victim, length_of, hunt};
    struct wsfj_worker *w = hunt->self;

    return wsfj_victims_visit(&w->victims, &w->random, &visit) || try_suspended(hunt);
}

/* Tries the deque again whose owner was asked: a second round over many suspended deques may not come to it. */
static bool try_asked(struct hunt *hunt)
{
    const struct wsfj_worker *w = load_acquire(&hunt->asked->worker);

    return try_deque(hunt, w->id, hunt->asked, WSFJ_TIER_COUNT);
}

struct wsfj_stack *wsfj_steal_fresh_stack(struct wsfj_worker *w)
{
    struct wsfj_stack *s = wsfj_pool_take(&w->cache);

    store_relaxed(&w->no_stack, s ? 0 : load_relaxed(&w->no_stack) + 1);
    if (s)
        wsfj_stack_refresh(s);
    return s;
}

/* Gives an owner time to make tasks public. */
static bool await_answer(struct wsfj_stack *s)
{
    uint64_t until = wsfj_now() + ASK_NS;

    do {
        for (int i = 0; i < 2; i++) {
            if (load_relaxed(&s->first) < load_relaxed(&s->deque.exposed))
                return true;
            wsfj_pause();
        }
    } while (wsfj_now() < until);
    return false;
}

struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct hunt hunt = {.self = w, .only = only};

    /* The stack first: without one there is no steal, and nothing is lost. */
    hunt.fresh = wsfj_steal_fresh_stack(w);
    if (!hunt.fresh) {
        sched_yield(); /* the threads whose tasks have the stacks may wait for our processor */
        return NULL;
    }
    if (!look_around(&hunt) && hunt.asked) {
        hunt.force = !await_answer(hunt.asked) && wsfj_now() >= w->force.after;
        if (!try_asked(&hunt))
            (void)look_around(&hunt);
    }
    if (hunt.got)
        return hunt.fresh;
    wsfj_pool_give(&w->cache, hunt.fresh);
    return NULL;
}
