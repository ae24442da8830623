/* SPDX-License-Identifier: MIT */
#include "steal.h"

#include "arch.h"
#include "atomic.h"
#include "deque.h"
#include "dispatch.h"
#include "worker.h"

#include <time.h>

/* A thief that has asked for exposure waits this long before it looks again and then forces. */
#define ASK_NS 1000
/* Pause after a forced exposure that found nothing; doubled each time up to the most. */
#define FORCE_PAUSE_NS 10000
#define FORCE_PAUSE_MOST_NS 1000000
/* Without a stack: the first nap, doubled each time up to the most. */
#define STARVED_NS 1000000
#define STARVED_MOST_NS 16000000

/* What the victim visits of one round need. */
struct hunt {
    struct wsfj_worker *self;
    struct wsfj_stack *fresh; /* to run the stolen task on */
    const struct wsfj_region *only;
    bool got, force;
    struct wsfj_stack *asked; /* the nearest one that has private tasks only */
};

static void count_steal(struct wsfj_worker *w, unsigned victim, enum wsfj_tier tier, unsigned tasks, unsigned left)
{
    count_one(&w->log.steals[tier]);
    WSFJ_EVENT(w, steal, tier, victim, tasks, left);
}

/* Half of the victim's detached tasks; the rest of the loot goes to our own ring. */
static bool try_ring(struct hunt *hunt, unsigned victim, enum wsfj_tier tier)
{
    struct wsfj_ring *ring = &wsfj_workers[victim].ring;
    struct wsfj_item item;
    struct wsfj_worker *w = hunt->self;
    unsigned n = wsfj_ring_steal(ring, &w->ring, &item);

    if (n == 0 && !wsfj_ring_steal_next(ring, &item))
        return false;
    wsfj_dispatch_load(hunt->fresh, item);
    count_steal(w, victim, tier, n ? n : 1, wsfj_ring_length(ring));
    hunt->got = true;
    return true;
}

static bool try_deque(struct hunt *hunt, unsigned victim, struct wsfj_stack *s, enum wsfj_tier tier)
{
    struct wsfj_worker *w = hunt->self;
    struct wsfj_loot loot;

    if (!s || (hunt->only && load_relaxed(&s->region) != hunt->only))
        return false;

    bool force = hunt->force && wsfj_deque_has_work(s) && load_relaxed(&s->first) >= load_relaxed(&s->head.exposed);
    enum wsfj_steal got = wsfj_deque_steal(s, force, hunt->only, &loot);

    if (force)
        WSFJ_EVENT(w, force, 0, victim, 0, 0);
    switch (got) {
    case WSFJ_STEAL_GOT:
        store_relaxed(&hunt->fresh->job, loot.line);
        store_relaxed(&hunt->fresh->kind, loot.kind);
        store_relaxed(&hunt->fresh->region, loot.region);
        count_steal(w, victim, tier, 1, (unsigned)wsfj_deque_length(s));
        store_relaxed(&hunt->fresh->parent, s);
        w->force_pause = FORCE_PAUSE_NS;
        hunt->got = true;
        return true;
    case WSFJ_STEAL_ASKED:
        WSFJ_EVENT(w, ask, 0, victim, 0, 0);
        if (!hunt->asked)
            hunt->asked = s;
        break;
    case WSFJ_STEAL_FAILED:
        /* A heavy barrier disturbs every worker: hold back after it was in vain. */
        w->force_after = wsfj_now() + w->force_pause;
        if (w->force_pause < FORCE_PAUSE_MOST_NS)
            w->force_pause *= 2;
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
           try_deque(hunt, victim, load_acquire(&w->lent), tier) || (!hunt->only && try_ring(hunt, victim, tier));
}

/* How many tasks wait there, of both kinds. */
static size_t length_of(void *context, unsigned victim)
{
    struct wsfj_stack *s = load_acquire(&wsfj_workers[victim].stack);

    (void)context;
    return (s ? wsfj_deque_length(s) : 0) + wsfj_ring_length(&wsfj_workers[victim].ring);
}

/* One look everywhere; first at a stack that blocks and has lent us the place. */
static bool look_around(struct hunt *hunt)
{
    const struct wsfj_visit visit = {try_victim, length_of, hunt};
    struct wsfj_worker *w = hunt->self;

    return try_deque(hunt, w->id, load_acquire(&w->lent), WSFJ_TIER_CORE) ||
           wsfj_victims_visit(&w->victims, &w->random, &visit);
}

struct wsfj_stack *wsfj_steal_fresh_stack(struct wsfj_worker *w)
{
    struct wsfj_stack *s = wsfj_pool_take(&w->cache);

    if (s)
        wsfj_stack_refresh(s);
    return s;
}

/* There is no stack to be had, or somebody needs it more. Work that lies about must not keep us busy looking at it. */
static void starve(struct wsfj_worker *w)
{
    w->starved = w->starved ? w->starved * 2 : STARVED_NS;
    if (w->starved > STARVED_MOST_NS)
        w->starved = STARVED_MOST_NS;
    nanosleep(&(struct timespec){0, (long)w->starved}, NULL);
}

/* Gives an owner time to make tasks public. */
static bool await_answer(struct wsfj_stack *s)
{
    uint64_t until = wsfj_now() + ASK_NS;

    do {
        for (int i = 0; i < 2; i++) {
            if (load_relaxed(&s->first) < load_relaxed(&s->head.exposed))
                return true;
            wsfj_pause();
        }
    } while (wsfj_now() < until);
    return false;
}

struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct hunt hunt = {.self = w, .only = only};

    if (wsfj_pool_is_wanted()) {
        wsfj_pool_flush(&w->cache);
        starve(w);
        return NULL;
    }
    /* The stack first: without one there is no steal, and nothing is lost. */
    hunt.fresh = wsfj_steal_fresh_stack(w);
    if (!hunt.fresh) {
        starve(w);
        return NULL;
    }
    w->starved = 0;
    if (!look_around(&hunt) && hunt.asked) {
        hunt.force = !await_answer(hunt.asked) && wsfj_now() >= w->force_after;
        (void)look_around(&hunt);
    }
    if (hunt.got)
        return hunt.fresh;
    wsfj_pool_give(&w->cache, hunt.fresh);
    return NULL;
}
