/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include "base/atomic.h"
#include "worker/worker.h"
#include "engine.h"
#include "event.h"
#include "fail.h"
#include "log.h"
#include "task/stack.h"

#include <stdlib.h>
#include <string.h>

/* What a fiber waits for, by the number of its stack. */
struct fiber {
    uint64_t waits, ready; /* since when; UINT64_MAX: it does not */
};

struct sim_watch sim_watch = {.first = UINT64_MAX};

static struct fiber *fibers;
static size_t num_fibers;
static uint32_t *served; /* by each thread: its worker */
static unsigned num_served;

static size_t more(size_t wanted)
{
    return wanted < 32 ? 64 : 2 * wanted;
}

static struct sim_watch_worker *worker(uint32_t number)
{
    if (number >= sim_watch.num_workers) {
        unsigned room = (unsigned)more(number);

        sim_watch.workers = sim_again(sim_watch.workers, room * sizeof *sim_watch.workers);
        for (unsigned i = sim_watch.num_workers; i < room; i++)
            sim_watch.workers[i] = (struct sim_watch_worker){.first = UINT64_MAX, .searches = UINT64_MAX};
        sim_watch.num_workers = room;
    }
    return &sim_watch.workers[number];
}

static struct fiber *fiber(uint32_t stack)
{
    if (stack >= num_fibers) {
        size_t room = more(stack);

        fibers = sim_again(fibers, room * sizeof *fibers);
        for (; num_fibers < room; num_fibers++)
            fibers[num_fibers] = (struct fiber){UINT64_MAX, UINT64_MAX};
    }
    return &fibers[stack];
}

static void add(struct sim_samples *samples, uint64_t ns)
{
    if (samples->count == samples->room) {
        samples->room = more(samples->room);
        samples->at = sim_again(samples->at, samples->room * sizeof *samples->at);
    }
    samples->at[samples->count++] = ns;
}

static void note_served(uint32_t number)
{
    if (sim_self->number >= num_served) {
        unsigned room = (unsigned)more(sim_self->number);

        served = sim_again(served, room * sizeof *served);
        while (num_served < room)
            served[num_served++] = 0;
    }
    served[sim_self->number] = number;
}

void sim_watch_spawn(void)
{
    if (sim_self->number < num_served)
        worker(served[sim_self->number])->kept++;
}

void sim_watch_work(uint64_t ns)
{
    if (wsfj_tls)
        sim_watch.work += ns;
    if (sim_log_is_on)
        sim_log_works();
}

/* Counts the time that the worker has searched until now. Only time between the begin of the first task and the end of the
 * last one counts. */
static void searches_no_more(struct sim_watch_worker *w, uint64_t now)
{
    uint64_t from = w->searches > sim_watch.first ? w->searches : sim_watch.first, last = sim_watch.last;

    if (w->searches == UINT64_MAX)
        return;
    w->searches = UINT64_MAX;
    if (w->late_since != last)
        w->searched += w->late, w->late = 0;
    w->late_since = last;
    if (from < last) {
        w->searched += (now < last ? now : last) - from;
        from = last;
    }
    if (from < now)
        w->late += now - from;
}

/* The worker has a task from now on. */
static void busy(struct sim_watch_worker *w, uint64_t now)
{
    if (sim_watch.first == UINT64_MAX)
        sim_watch.first = now;
    searches_no_more(w, now);
    if (w->first == UINT64_MAX)
        w->first = now;
    else if (w->since != UINT64_MAX)
        w->idle += now - w->since;
    w->since = UINT64_MAX;
}

static void waited(uint64_t ns)
{
    sim_watch.joined += ns;
    if (ns > sim_watch.join_most)
        sim_watch.join_most = ns;
}

void sim_watch_join(uint64_t ns)
{
    sim_watch.joins++;
    waited(ns);
}

static void waits_no_more(uint32_t stack, uint64_t now)
{
    struct fiber *f = fiber(stack);
    uint64_t ns = now - f->waits;

    if (f->waits == UINT64_MAX)
        return;
    f->waits = UINT64_MAX;
    waited(ns);
}

static void resumes(uint32_t stack, uint64_t now)
{
    struct fiber *f = fiber(stack);

    waits_no_more(stack, now); /* its last child may have ended before it had left its stack */
    if (f->ready != UINT64_MAX)
        add(&sim_watch.ready, now - f->ready);
    f->ready = UINT64_MAX;
}

/* The task that begins at the worker was spawned, not submitted. */
static bool is_child(uint32_t number)
{
    const struct wsfj_stack *s = load_relaxed(&wsfj_workers[number].stack);

    return s && load_relaxed(&s->job.stolen);
}

static void count(const struct sim_note *n)
{
    struct sim_watch_worker *w;

    if (n->worker == UINT32_MAX)
        return;
    note_served(n->worker);
    if (n->worker >= sim_watch.seen)
        sim_watch.seen = n->worker + 1;
    w = worker(n->worker);
    switch (n->event) {
    case WSFJ_EVENT_task_begin:
        busy(w, n->time);
        w->began++;
        if (is_child(n->worker))
            worker(w->victim)->kept--;
        if (++sim_watch.stacks > sim_watch.stacks_most)
            sim_watch.stacks_most = sim_watch.stacks;
        break;
    case WSFJ_EVENT_task_end:
        sim_watch.stacks--;
        sim_watch.last = n->time;
        break;
    case WSFJ_EVENT_resume:
        busy(w, n->time);
        resumes(n->a, n->time);
        break;
    case WSFJ_EVENT_block_end: busy(w, n->time); break;
    case WSFJ_EVENT_suspend:
        sim_watch.joins++;
        fiber(n->a)->waits = n->time;
        break;
    case WSFJ_EVENT_runnable:
        waits_no_more(n->a, n->time);
        fiber(n->a)->ready = n->time;
        break;
    case WSFJ_EVENT_steal:
        (void)worker(n->a); /* it may move them all */
        w = worker(n->worker);
        w->stole += n->b;
        w->victim = n->a;
        worker(n->a)->lost += n->b;
        sim_watch.steals++;
        if (n->detail < WSFJ_TIER_COUNT)
            sim_watch.distance[n->detail]++;
        break;
    case WSFJ_EVENT_cancel: worker(n->a)->kept--; break;
    case WSFJ_EVENT_steal_fail: worker(n->worker)->failed++; break;
    case WSFJ_EVENT_search:
    case WSFJ_EVENT_park:
        if (w->first != UINT64_MAX && w->since == UINT64_MAX)
            w->since = n->time;
        if (n->event == WSFJ_EVENT_park)
            searches_no_more(w, n->time);
        else if (w->searches == UINT64_MAX)
            w->searches = n->time;
        break;
    default: break;
    }
}

static void listen(const struct sim_note *note)
{
    count(note);
    if (sim_log_is_on)
        sim_log_note(note);
}

void sim_watch_start(void)
{
    sim_listener = listen;
}

void sim_watch_restart(void)
{
    struct sim_watch before = sim_watch;

    free(before.latency.at);
    free(before.ready.at);
    sim_watch = (struct sim_watch){.first = UINT64_MAX,
                                   .span = before.span,
                                   .stacks = before.stacks,
                                   .stacks_most = before.stacks,
                                   .workers = before.workers,
                                   .num_workers = before.num_workers,
                                   .seen = before.seen};
    for (unsigned i = 0; i < sim_watch.num_workers; i++)
        sim_watch.workers[i] = (struct sim_watch_worker){.first = UINT64_MAX, .searches = UINT64_MAX};
}

int64_t sim_watch_executed(const struct sim_watch_worker *w)
{
    return w->kept + (int64_t)w->began;
}

uint64_t sim_watch_idle(const struct sim_watch_worker *w)
{
    if (sim_watch.first == UINT64_MAX)
        return 0;
    if (w->first == UINT64_MAX)
        return sim_watch.last - sim_watch.first;
    return w->first - sim_watch.first + w->idle + (w->since < sim_watch.last ? sim_watch.last - w->since : 0);
}

uint64_t sim_watch_searched(const struct sim_watch_worker *worker)
{
    struct sim_watch_worker w = *worker;

    searches_no_more(&w, sim_watch.last);
    return w.searched + (w.late_since != sim_watch.last ? w.late : 0);
}

void sim_span(uint64_t ns);
void sim_latency(uint64_t ns);

void sim_span(uint64_t ns)
{
    sim_watch.span += ns;
}

void sim_latency(uint64_t ns)
{
    add(&sim_watch.latency, ns);
}
