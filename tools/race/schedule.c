/* SPDX-License-Identifier: MIT */
/*
 * A schedule by seed: which task runs next. Each child is a fiber. At a spawn a draw decides whether the child or its
 * parent goes on. At locks, atomics and some accesses a draw decides whether another fiber goes on.
 *
 * Only one thread is scheduled, the one that is in a region or has submitted tasks. Everything here belongs to it.
 */
#include "schedule.h"

#include <wsfj/inline/race_hooks.h>

#include <stdlib.h>
#include <time.h>

static __thread struct fiber *self __attribute__((tls_model("initial-exec"))); /* NULL: this thread is not scheduled */
static struct fiber **scheduled_thread;                                        /* the address of its `self` */
static struct fiber own, fibers[MOST_FIBERS], *unused[MOST_FIBERS], *ready[MOST_FIBERS + 1];
static size_t n_live, n_most, n_made, n_unused, n_ready, limit = MOST_FIBERS;
static void (*go_of[MOST_FIBERS])(void *);

enum { MANY_FORKS = 100000 };

static unsigned until_access; /* of how many accesses the last one lets another fiber run; 0: not drawn yet */

int race_here(void)
{
    return self != NULL;
}

struct fiber *race_self(void)
{
    return self;
}

void race_schedule_end(void)
{
    if (!race.regions && !race.spawns)
        race_say("no region has run: a schedule has nothing to choose");
    if (getenv("WSFJ_RACE_STATS"))
        race_say("%llu fiber%s, at most %zu at once", (unsigned long long)race.spawns, race.spawns == 1 ? "" : "s",
                 n_most);
}

void race_make_ready(struct fiber *fiber)
{
    fiber->waits = RUNS;
    ready[n_ready++] = fiber;
}

static void run(struct fiber *fiber)
{
    struct fiber *from = self;

    if (fiber == from)
        return;
    self = fiber;
    race_fiber_switch(from->flow, fiber->flow);
}

static struct fiber *draw_ready(void)
{
    const unsigned i = race_draw((unsigned)n_ready);
    struct fiber *fiber = ready[i];

    ready[i] = ready[--n_ready];
    return fiber;
}

/** The running fiber cannot go on, and another one runs. Returns when it is ready and drawn. */
void race_next(void)
{
    while (!n_ready && !race_wake_timed()) {
        if (!race_other_threads())
            race_deadlock();
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL); /* one of them may hold a lock */
        race_wake_all();
    }
    run(draw_ready());
}

/** Another fiber goes on, if there is one. */
void race_turn(void)
{
    struct fiber *next;

    if (!self || !n_ready)
        return;
    next = draw_ready();
    race_make_ready(self);
    run(next);
}

unsigned race_stays;

void race_point_slow(void)
{
    if (self && n_ready && !race_stays && race_draw(race_rates.change_at_locks) == 0)
        race_turn();
}

void race_access_point_slow(void)
{
    const unsigned at = until_access;

    if (!self || !n_ready || race_stays)
        return;
    until_access = at > 1 ? at - 1 : 1 + race_draw(2 * race_rates.between_accesses);
    if (at == 1)
        race_turn();
}

static void finish(void)
{
    struct fiber *fiber = self;

    race_slot_leave(fiber);
    if (fiber->scope && --fiber->scope->wsfj_first == 0 && fiber->parent->waits == FOR_CHILDREN &&
        fiber->parent->object == fiber->scope)
        race_make_ready(fiber->parent);
    if (fiber->group && --*fiber->group == 0)
        race_wake(FOR_GROUP, fiber->group, 1);
    race_fiber_drop(fiber->flow);
    unused[n_unused++] = fiber;
    n_live--;
    race_next();
}

static void entry(void *arguments)
{
    race_fiber_entered(self->flow);
    go_of[self - fibers](arguments);
    finish();
}

/* 0: there are too many, and the caller runs it at once. */
static int fork_fiber(void (*go)(void *), const void *arguments, size_t size, const struct fiber *like)
{
    struct flow *flow = n_live < limit ? race_fiber_make(entry, arguments, size) : NULL;
    struct fiber *fiber;

    if (!flow) {
        if (n_live < limit)
            race_say("no memory for the stacks of more than %zu tasks: further children run at once", limit = n_live);
        return 0;
    }
    fiber = n_unused ? unused[--n_unused] : &fibers[n_made++];
    *fiber = *like;
    fiber->flow = flow;
    fiber->parent = self;
    go_of[fiber - fibers] = go;
    if (++n_live > n_most)
        n_most = n_live;
    if (fiber->scope)
        fiber->scope->wsfj_first++;
    if (fiber->group)
        ++*fiber->group;
    if (race_draw(8) < race_rates.child_first) {
        race_make_ready(self);
        run(fiber);
    } else {
        race_make_ready(fiber);
    }
    return 1;
}

static void begin_thread(void)
{
    struct fiber **none = NULL;

    if (self || !race_seed)
        return;
    if (!__atomic_compare_exchange_n(&scheduled_thread, &none, &self, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        race_die("two threads have tasks at once: a schedule has those of one thread");
    own.flow = race_fiber_here();
    self = &own;
}

static void leave_if_idle(void)
{
    if (self != &own || own.regions || n_live)
        return;
    race_slot_leave(&own);
    self = NULL;
    __atomic_store_n(&scheduled_thread, NULL, __ATOMIC_SEQ_CST);
}

int race_region_begin(void)
{
    begin_thread();
    race.regions++;
    if (self == &own)
        own.regions++;
    return 1;
}

void race_region_end(void)
{
    if (self == &own)
        own.regions--;
    leave_if_idle();
}

static int may_fork(const struct wsfj_scope *scope)
{
    return scope && self && (self != &own || own.regions) && n_live < limit;
}

/** Whether the child of a spawn becomes a fiber. One in eight, after many: a long program shall end. */
EXPORTED int wsfj_race_forks(const struct wsfj_scope *scope)
{
    return may_fork(scope) && (race.spawns < MANY_FORKS || race_draw(8) == 0);
}

/** Whether n iterations of a loop are halved: to single ones, or after many forks to pieces of `many`. */
EXPORTED int wsfj_race_halves(const struct wsfj_scope *scope, uint64_t n, uint64_t many)
{
    return n > (race.spawns < MANY_FORKS ? 1 : many) && may_fork(scope);
}

EXPORTED void wsfj_race_fork(struct wsfj_scope *scope, const struct wsfj_site *site, void (*go)(void *),
                             const void *arguments, size_t size)
{
    const struct fiber like = {.scope = scope, .site = site};

    race.spawns++;
    if (!fork_fiber(go, arguments, size, &like))
        go((void *)(uintptr_t)arguments);
}

void race_children_wait(struct wsfj_scope *scope)
{
    if (!self)
        return;
    race_slot_leave(self);
    if (!scope->wsfj_first)
        return;
    self->waits = FOR_CHILDREN;
    self->object = scope;
    race_next();
}

struct detached {
    struct ws_scope *scope;
    wsfj_race_call *call;
    void (*fn)(void *);
    void *arg;
};

static void go_detached(void *at)
{
    const struct detached *d = at;

    d->call(d->scope, d->fn, d->arg);
}

/* A group begins with a word that is 0 and belongs to whoever implements it (submit.h). */
int race_task_submit(const void *group, struct ws_scope *scope, wsfj_race_call *call, void (*fn)(void *), void *arg,
                     uintptr_t pc)
{
    const struct detached d = {scope, call, fn, arg};
    const struct fiber like = {.group = (uint64_t *)(uintptr_t)group, .pc = pc};

    begin_thread();
    race.spawns++;
    if (!self || !fork_fiber(go_detached, &d, sizeof d, &like))
        call(scope, fn, arg);
    return 0;
}

void race_group_wait(const void *group, uintptr_t pc)
{
    const uint64_t *pending = group;

    if (!self && race_seed && *pending)
        race_die("a thread waits for tasks that another one has submitted: a schedule has those of one thread");
    if (!self)
        return;
    race_slot_leave(self);
    if (*pending)
        (void)race_wait_for(FOR_GROUP, group, pc, 0);
    leave_if_idle();
}
