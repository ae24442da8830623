/* SPDX-License-Identifier: MIT */
#include "join.h"

#include "costs.h"
#include "engine.h"
#include "fail.h"
#include "watch.h"

#include "base/atomic.h"
#include "idle/preempt.h"
#include "idle/wake.h"
#include "sched/steal.h"
#include "task/event.h"
#include "task/pool.h"
#include "task/region.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/mailbox.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <stdlib.h>
#include <inttypes.h>

/* The events of this file go to the engine, as the library's do (tools/prelude/virtual.h). */
#undef WSFJ_PROBE
#define WSFJ_PROBE(name, worker, detail, a, b, c)                                                                      \
    engine_event(WSFJ_EVENT_##name, worker, (unsigned)(detail), (uint32_t)(a), (uint32_t)(b), (uint32_t)(c))

/* A parent looks at its counter at least so often, so it goes on at most so late. */
#define LOOK_MOST_NS 200

/* The word of a descriptor whose parent waits: the parent's stack, and these bits (include/wsfj/inline/abi.h). */
#define WORD_JOIN 2u

/* Parents that keep their workers, the newest first. */
struct waiting {
    const struct wsfj_stack *parent;
    struct waiting *next, **link;
};
static struct waiting *all_waiting;

static void begin(struct waiting *here, const struct wsfj_stack *own)
{
    *here = (struct waiting){own, all_waiting, &all_waiting};
    if (all_waiting)
        all_waiting->link = &here->next;
    all_waiting = here;
}

static void end(const struct waiting *here)
{
    *here->link = here->next;
    if (here->next)
        here->next->link = here->link;
}

/* How many children have not arrived. The parent keeps its own unit of the counter, so that no child resumes it. */
static uint64_t children(const struct wsfj_stack *own)
{
    return __atomic_load_n(&own->join, __ATOMIC_ACQUIRE) - 1;
}

static uint64_t shortest_pause(void)
{
    return sim_costs.pause + 1;
}

static void pause_longer(uint64_t *pause)
{
    sim_point(*pause);
    *pause = 2 * *pause < LOOK_MOST_NS ? 2 * *pause : LOOK_MOST_NS;
}

void sim_join_block(struct wsfj_stack *own)
{
    uint64_t start = sim_moment, pause = shortest_pause();
    struct waiting here;

    begin(&here, own);
    while (children(own))
        pause_longer(&pause);
    end(&here);
    sim_watch_join(sim_moment - start);
}

/* Where the newest child runs that the parent waits for. NULL: its thief has not begun it yet, or has just ended it. */
static const struct wsfj_stack *newest_child(const struct wsfj_stack *own)
{
    const struct wsfj_descriptor *newest = NULL;
    const struct wsfj_stack *found = NULL;

    for (const struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        const struct wsfj_descriptor *desc = load_relaxed(&s->job.stolen);

        if (desc && load_relaxed(&s->job.parent) == own && load_relaxed(&s->shown.life) != WSFJ_LIFE_FREE &&
            load_relaxed(&desc->wsfj_word) == ((uintptr_t)own | WORD_JOIN) && (!newest || desc > newest)) {
            newest = desc;
            found = s;
        }
    }
    return found;
}

/* Steals from one worker only: the same as any other steal, with a list of one victim. */
static struct wsfj_stack *steal_from(struct wsfj_worker *w, const struct wsfj_worker *thief,
                                     const struct wsfj_region *region)
{
    struct wsfj_victims victims = w->victims;
    unsigned near[] = {w->id, thief->id}, *position = calloc(wsfj_num_workers, sizeof *position);
    const uint64_t awake = 3;
    struct wsfj_victim_order order = {.n = 2, .awake = &awake, .near = near, .position = position};
    struct wsfj_victim_range row[WSFJ_TIER_COUNT + 1] = {{0, 1}};
    unsigned tier = wsfj_victims_tier(&victims, thief->id);
    struct wsfj_stack *s;

    if (!position)
        abort();
    position[thief->id] = 1;
    for (unsigned t = 0; t < WSFJ_TIER_COUNT; t++)
        row[t + 1] = (struct wsfj_victim_range){0, t < tier ? 1 : 2};
    w->victims = (struct wsfj_victims){.order = &order, .range = row, .tiers = 1u << tier, .last = 2};
    s = wsfj_steal(w, region);
    w->victims = victims;
    free(position);
    return s;
}

/* A task of the thief of the newest child, on a fresh stack, or NULL. Suspended deques are other workers', so none is
 * taken from as long as there are any. */
static struct wsfj_stack *leap(const struct wsfj_stack *own, struct wsfj_worker *w)
{
    const struct wsfj_stack *child = newest_child(own);
    const struct wsfj_worker *thief = child ? load_relaxed(&child->worker) : NULL;

    return thief && thief != w && !wsfj_suspended_count() ? steal_from(w, thief, load_relaxed(&own->job.region)) : NULL;
}

static void log_run(struct wsfj_worker *w, struct wsfj_stack *s)
{
    uint32_t runs = load_relaxed(&s->job.runs);

    store_relaxed(&s->job.runs, runs + 1);
    if (runs)
        WSFJ_EVENT(w, resume, 0, s->number, load_relaxed(&s->job.name), runs);
    else
        WSFJ_EVENT(w, task_begin, 0, s->number, load_relaxed(&s->job.name), 0);
}

/* What comes after the task or its fiber's suspension: as in the loop of a worker (lib/sched/serve.c). */
static struct wsfj_stack *after_switch(struct wsfj_worker *w, struct wsfj_stack *s)
{
    wsfj_after_switch *after = load_relaxed(&w->after_switch);
    struct wsfj_stack *resume = load_relaxed(&w->resume);

    store_release(&w->stack, NULL);
    if (after)
        return after(s);
    WSFJ_SHOW(w, task_end, 0, s->number, 0, 0);
    store_relaxed(&s->job.runs, 0u);
    s->exceptions = (struct wsfj_exceptions){NULL, 0};
    wsfj_pool_give(&w->cache, s);
    return resume && wsfj_mailbox_send(resume) ? NULL : resume;
}

/* Runs a stolen task while its worker's parent waits: as the loop of a worker does, with the parent in place of the
 * loop. */
static void run_above(struct wsfj_stack *own, struct wsfj_worker *w, struct wsfj_stack *s)
{
    struct wsfj_server *outer = load_relaxed(&w->server);
    struct wsfj_server here = {.worker = w, .thread = outer->thread, .tid = outer->tid, .exceptions = outer->exceptions};

    here.loop.stack_low = own->context.stack_low;
    here.loop.stack_size = own->context.stack_size;
    store_relaxed(&w->server, &here);
    while (s) {
        struct wsfj_exceptions mine = wsfj_exceptions_swap(here.exceptions, s->exceptions);

        store_release(&s->worker, w);
        store_seq(&w->stack, s);
        wsfj_suspended_remove(s);
        wsfj_wake_carry_over(s);
        wsfj_preempt_runs();
        log_run(w, s);
        wsfj_tls = &s->deque;
        wsfj_context_switch(&here.loop, &s->context);
        s->exceptions = wsfj_exceptions_swap(here.exceptions, mine);
        if (load_relaxed(&here.lent) || s->pin.count)
            sim_fail(SIM_EXIT_USAGE, "--policy join=leapfrog: a stolen task blocks or is pinned, which this join "
                                     "cannot do");
        s = after_switch(w, s);
    }
    wsfj_tls = &own->deque;
    store_seq(&w->stack, own);
    store_relaxed(&w->server, outer);
    wsfj_fpenv_set(load_relaxed(&own->job.region)->fpenv);
}

void sim_join_leapfrog(struct wsfj_stack *own)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);
    uint64_t pause = shortest_pause();
    struct waiting here;

    begin(&here, own);
    WSFJ_EVENT(w, suspend, 0, own->number, (uint32_t)children(own), 0);
    wsfj_stack_lives(own, WSFJ_LIFE_JOIN);
    while (children(own)) {
        struct wsfj_stack *s = leap(own, w);

        if (s) {
            run_above(own, w, s);
            pause = shortest_pause();
        } else {
            pause_longer(&pause);
        }
    }
    wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
    log_run(w, own);
    end(&here);
}

void sim_join_waits(FILE *file)
{
    for (const struct waiting *b = all_waiting; b; b = b->next)
        fprintf(file, "  stack %u keeps worker %u and waits at a sync for %ju of its children\n", b->parent->number,
                b->parent->worker->id, (uintmax_t)children(b->parent));
}
