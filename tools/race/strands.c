/* SPDX-License-Identifier: MIT */
/*
 * The borders of strands: tasks, children, loops, regions.
 *
 * The stack needs care, for the serial run uses one place for many variables. Below the frame of the code that has spawned
 * the running child, everything belongs to this child alone and is not checked. When a child ends, what was recorded
 * there is forgotten. While a task has pending children, its own frame is checked, too.
 */
#define _GNU_SOURCE
#include "shadow.h"

#include <wsfj/inline/race_hooks.h>

#include <pthread.h>
#include <string.h>

const char race_detached;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static int busy;  /* a thread is checked */
static int depth; /* of its regions */

void race_apply_ignored(void)
{
    race_private_lo = race.ignored ? 0 : race.stack_lo;
    race_private_span = race.ignored ? UINTPTR_MAX - 1 : race.limit - race.stack_lo;
}

static void set_limit(uintptr_t limit)
{
    race.limit = limit;
    if (UNLIKELY(race.ignored))
        race_apply_ignored();
    else
        race_private_span = limit - race.stack_lo;
}

/* A thread begins to be checked. */
static void begin_thread(uintptr_t base)
{
    static __thread uintptr_t stack_lo, stack_hi;

    race_start();
    if (!stack_hi) {
        pthread_attr_t attributes;
        void *stack;
        size_t size;

        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            race_die("no memory");
        (void)pthread_attr_getstack(&attributes, &stack, &size);
        (void)pthread_attr_destroy(&attributes);
        stack_lo = (uintptr_t)stack;
        stack_hi = stack_lo + size;
    }
    race.stack_lo = stack_lo;
    race.stack_hi = stack_hi;
    if (base - race.stack_lo >= race.stack_hi - race.stack_lo)
        race_die("a region runs on a stack that is not its thread's: this is not covered");
    race.low = race.stack_hi;
    race.inner = NULL;
    race.locks = race.acquired = race.ignored = race.view = 0;
    race.now++;
    race.limit = base;
    race_apply_ignored();
}

/** A region begins, or (`submits`) a task is submitted outside of any. 1: its end is to be told; 0: nothing is checked. */
int race_enter(int submits)
{
    static int told_wait, told_other;
    const uintptr_t base = RETURN_BASE;
    int checked = 1;

    if (!race_checks()) {
        (void)pthread_mutex_lock(&lock);
        while (busy && depth > 0) {
            if (!told_wait++)
                race_say("two threads run regions at once: the second one waits, and what both use is not compared");
            (void)pthread_cond_wait(&left, &lock);
        }
        if (busy) {
            if (!told_other++)
                race_say(
                    "a second thread has tasks while those that another one has submitted are pending: it is not checked");
            checked = 0;
        } else {
            busy = 1;
        }
        if (checked && !submits)
            depth++;
        (void)pthread_mutex_unlock(&lock);
        if (checked)
            begin_thread(base);
        return checked;
    }
    if (!submits) {
        (void)pthread_mutex_lock(&lock);
        depth++;
        (void)pthread_mutex_unlock(&lock);
    }
    return 1;
}

/** Outside of regions, without pending tasks, nothing is left to check. */
void race_leave_if_idle(void)
{
    (void)pthread_mutex_lock(&lock);
    if (depth == 0 && race.pending == 0) {
        race_private_lo = 0;
        race_private_span = UINTPTR_MAX;
        busy = 0;
    }
    (void)pthread_cond_broadcast(&left);
    (void)pthread_mutex_unlock(&lock);
}

EXPORTED int wsfj_race_region(void *frame)
{
    int entered = race_enter(0);

    (void)frame;
    if (entered)
        race.regions++;
    return entered;
}

EXPORTED void wsfj_race_region_end(int entered)
{
    if (!entered)
        return;
    (void)pthread_mutex_lock(&lock);
    depth--;
    (void)pthread_mutex_unlock(&lock);
    if (depth == 0)
        race_leave_if_idle();
}

static void scope_begin(struct wsfj_scope *scope, const char *task, int is_task)
{
    scope->wsfj_task = task;
    scope->wsfj_limit = race.limit;
    scope->wsfj_first = (uint32_t)race.pending;
    scope->wsfj_is_task = is_task;
}

EXPORTED void wsfj_race_open(struct wsfj_scope *scope, const char *task)
{
    scope_begin(scope, task, 1);
}

EXPORTED void wsfj_race_block(struct wsfj_scope *scope)
{
    scope_begin(scope, "", 0);
}

EXPORTED void wsfj_race_sync(struct wsfj_scope *scope)
{
    if (!race_checks() || race.pending <= scope->wsfj_first)
        return;
    if (LIKELY(!race.groups)) { /* all of them are the scope's own */
        race.now++;
        race.pending = scope->wsfj_first;
        race.known_span = 0;
        race_intervals_changed();
    } else {
        race_join(scope, scope->wsfj_first);
    }
    if (race.pending == scope->wsfj_first)
        set_limit(scope->wsfj_limit);
}

EXPORTED void wsfj_race_close(struct wsfj_scope *scope)
{
    if (!race_checks() || race.pending <= scope->wsfj_first)
        return;
    if (scope->wsfj_is_task)
        race_scan_dead(RETURN_BASE, scope);
    wsfj_race_sync(scope);
}

static COLD void begin_odd_strand(void)
{
    if (race.now >= UINT32_MAX - 64)
        race_die("more than 4 * 10^9 strands in one run: use a smaller input");
    if (race.pending >= MOST_PENDING)
        race_die("more than %zu children are pending: use a smaller input", MOST_PENDING);
    if (race_wanted_time && race.now > race_wanted_time)
        race_wanted_advance();
}

ALWAYS_INLINE void begin_strand(void)
{
    if (UNLIKELY(race.now >= UINT32_MAX - 64) || UNLIKELY(race.pending >= MOST_PENDING) ||
        UNLIKELY(race_wanted_time - 1 < race.now - 1)) /* 0: none */
        begin_odd_strand();
}

/* A strand that holds nothing and has no view. What is ignored ends with the task, too. */
ALWAYS_INLINE void begin_bare(uintptr_t limit)
{
    const uint32_t ignored = race.ignored;

    race.held &= (__typeof__(race.held)){0, UINT32_MAX, 0, 0};
    race.limit = limit;
    race_private_span = limit - race.stack_lo;
    if (UNLIKELY(ignored != 0))
        race_private_lo = race.stack_lo;
}

/** A child of `owner` begins, above whose frame at `base` the stack is its parents'. */
void race_spawn(struct wsfj_spawned *child, const void *owner, const struct wsfj_site *site, uintptr_t pc,
                uintptr_t base)
{
    begin_strand();
    child->wsfj_outer = race.inner;
    child->wsfj_owner = owner;
    child->wsfj_site = site;
    child->wsfj_pc = pc;
    child->wsfj_limit = race.limit;
    child->wsfj_base = base;
    child->wsfj_begun = ++race.now;
    child->wsfj_first = (uint32_t)race.pending;
    memcpy(child->wsfj_held, &race.held, sizeof race.held);
    child->wsfj_loop = 0;
    race.inner = child;
    race.spawns++;
    begin_bare(base);
}

/* What the parent had before the child. */
ALWAYS_INLINE void continue_parent(const struct wsfj_spawned *child, uintptr_t limit)
{
    const uint32_t ignored = race.ignored;

    race.inner = child->wsfj_outer;
    memcpy(&race.held, child->wsfj_held, sizeof race.held);
    set_limit(limit);
    if (UNLIKELY(ignored != 0))
        race_apply_ignored();
}

ALWAYS_INLINE void forget_stack(uintptr_t base)
{
    if (race.low < base) {
        race_forget_near(race.low, base);
        race.low = base;
    }
}

ALWAYS_INLINE uintptr_t lower(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

void race_spawn_end(struct wsfj_spawned *child)
{
    if (LIKELY(race.pending == child->wsfj_first)) {
        struct interval *made = &race.intervals[race.pending++];

        made->start = child->wsfj_begun;
        made->end = ++race.now;
        made->owner = child->wsfj_owner;
        made->site = child->wsfj_site;
        made->pc = child->wsfj_pc;
        race_intervals_changed();
    } else {
        race_finish(child->wsfj_first, child->wsfj_begun,
                    &(struct interval){0, 0, child->wsfj_owner, child->wsfj_site, child->wsfj_pc});
    }
    forget_stack(child->wsfj_base);
    continue_parent(child, lower(child->wsfj_base, child->wsfj_limit));
}

EXPORTED void wsfj_race_child(struct wsfj_spawned *child, const struct wsfj_scope *scope, const struct wsfj_site *site,
                              void *frame)
{
    if (!scope || !race_checks())
        child->wsfj_begun = 0; /* a call */
    else
        race_spawn(child, scope, site, 0, (uintptr_t)frame + 2 * sizeof(void *));
}

EXPORTED void wsfj_race_child_end(struct wsfj_spawned *child)
{
    if (child->wsfj_begun)
        race_spawn_end(child);
}

EXPORTED void wsfj_race_loop(struct wsfj_spawned *loop, const struct wsfj_site *site, void *frame)
{
    if (!race_checks()) {
        loop->wsfj_begun = 0;
        return;
    }
    race_spawn(loop, loop, site, 0, (uintptr_t)frame + 2 * sizeof(void *));
    loop->wsfj_loop = 1;
    loop->wsfj_iterations = 0;
}

static void iteration_end(struct wsfj_spawned *loop)
{
    race_finish(loop->wsfj_each_first, loop->wsfj_begun, &(struct interval){0, 0, loop, loop->wsfj_site, 0});
    forget_stack(loop->wsfj_base);
}

EXPORTED void wsfj_race_iteration(struct wsfj_spawned *loop)
{
    if (!loop->wsfj_begun)
        return;
    begin_strand();
    if (loop->wsfj_iterations++)
        iteration_end(loop);
    loop->wsfj_begun = race.now;
    loop->wsfj_each_first = (uint32_t)race.pending;
    race.acquired = loop->wsfj_held[1];
    begin_bare(loop->wsfj_base);
}

EXPORTED void wsfj_race_loop_end(struct wsfj_spawned *loop)
{
    if (!loop->wsfj_begun)
        return;
    if (loop->wsfj_iterations)
        iteration_end(loop);
    race_join(loop, loop->wsfj_first);
    continue_parent(loop,
                    race.pending == loop->wsfj_first ? loop->wsfj_limit : lower(loop->wsfj_base, loop->wsfj_limit));
}
