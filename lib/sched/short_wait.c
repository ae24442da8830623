/* SPDX-License-Identifier: MIT */
#include "sched/short_wait.h"

#include "arch/ticks.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/policy.h"
#include "config/settings.h"
#include "idle/allowed.h"
#include "idle/preempt.h"
#include "idle/waiting.h"
#include "queue/root.h"
#include "task/event.h"
#include "task/join.h"
#include "task/stack.h"
#include "worker/worker.h"

/* After so many waits in vain in a row the next joins of a site, so many, do not wait. */
#define VAIN_MOST 4
#define REST 64
/* A site where a wait was worth it, and not so many in vain since, waits so much longer. */
#define LONGER 4

/* What a worker knows of a site: below VAIN_MOST, how many waits in a row were in vain, with WORTH if one before them was
 * worth it; else the site rests, and counts down to VAIN_MOST. A site is known by the line of its child's task. If two sites
 * share an entry, they only wait more or less than they should. A hash of the kind's address would let the place where the
 * system loads the program decide which sites share one. */
#define WORTH 0x80u

static uint8_t *site_of(struct wsfj_worker *w, uintptr_t kind)
{
    uint32_t line = ((const struct wsfj_kind *)kind)->wsfj_lineno;

    return &w->patience[line * UINT32_C(0x9e3779b9) >> 28];
}

/* Whether the site rests. Counts the join. */
static bool rests(uint8_t *site)
{
    if ((*site & ~WORTH) < VAIN_MOST)
        return false;
    *site = (uint8_t)(*site == VAIN_MOST ? 0 : *site - 1);
    return true;
}

static void learn(uint8_t *site, bool worth)
{
    if (worth)
        *site = WORTH;
    else if ((++*site & ~WORTH) == VAIN_MOST)
        *site = VAIN_MOST + REST - 1;
}

/* The newest child in [base, desc] that is not done; its word is its kind. NULL: all are done. */
static const struct wsfj_descriptor *open_child(const struct wsfj_descriptor *base, const struct wsfj_descriptor *desc,
                                                uintptr_t *kind)
{
    for (; desc >= base; desc--) {
        *kind = load_acquire(&desc->wsfj_word); /* JOIN-4: the child's result, if it is done */
        if (!(*kind & WSFJ_WORD_DONE))
            return desc;
    }
    return NULL;
}

static bool something_waits(void)
{
    /* QUIET: nothing has been queued lately. It saves the look at each worker's queue. */
    return load_relaxed(&wsfj_preempt_state) != WSFJ_PREEMPT_QUIET && (wsfj_root_pending() || wsfj_waiting_any());
}

/* Whether the parent may keep its worker for a moment. Without a worker of its own (blocking), or without others (the child
 * of a fork), it may not; nor if another thread waits for its worker or for its CPU. */
static bool may_wait(const struct wsfj_stack *own)
{
    return wsfj_policy.join_wait_ns > 0 && wsfj_settings.spin_ns > 0 && !own->blocking.sections &&
           !own->blocking.lender && !wsfj_stack_is_asked(own) && !wsfj_stack_is_fork_child(own) &&
           !wsfj_allowed_crowded() && !something_waits();
}

/* JOIN-4: looks at the children until all are done, for at most so long. They know nothing of it. */
static bool look_on(const struct wsfj_descriptor *base, const struct wsfj_descriptor *desc, uint64_t most)
{
    uint64_t start = wsfj_rough_now();
    uintptr_t kind;

    do {
        wsfj_chaos();
        wsfj_pause();
        desc = open_child(base, desc, &kind);
    } while (desc && wsfj_rough_now() - start < most);
    return !desc;
}

bool wsfj_short_wait(struct wsfj_stack *own, const struct wsfj_descriptor *base, const struct wsfj_descriptor *desc)
{
    struct wsfj_worker *w;
    uint8_t *site;
    uintptr_t kind;
    bool worth;

    desc = open_child(base, desc, &kind);
    if (!desc || !may_wait(own))
        return !desc;
    w = load_relaxed(&own->worker);
    site = site_of(w, kind);
    if (rests(site))
        return false;
    worth = look_on(base, desc, wsfj_policy.join_wait_ns * (*site & WORTH ? LONGER : 1));
    learn(site, worth);
    if (worth)
        WSFJ_EVENT(w, short_wait, 0, load_relaxed(&own->number), 0, 0);
    else
        WSFJ_EVENT(w, short_wait_vain, 0, load_relaxed(&own->number), 0, 0);
    return worth;
}
