/* SPDX-License-Identifier: MIT */
/*
 * The borders of strands: tasks, children, loops.
 *
 * The stack needs care, for the serial run uses one place for many variables. Below the frame of the code that has spawned
 * the running child, everything belongs to this child alone and is not checked. When a child ends, what was recorded
 * there is forgotten. While a task has pending children, its own frame is checked, too.
 */
#define _GNU_SOURCE
#include "schedule.h"
#include "shadow.h"

#include <wsfj/inline/race_hooks.h>

const char race_detached;

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

static COLD void sync_with_groups(const struct wsfj_scope *scope)
{
    race_join(scope, scope->wsfj_first);
    if (race.pending == scope->wsfj_first)
        set_limit(scope->wsfj_limit);
}

/* Without groups, all that is pending since the scope's begin is its own. */
ALWAYS_INLINE void sync_scope(const struct wsfj_scope *scope)
{
    if (UNLIKELY(race.groups)) {
        sync_with_groups(scope);
        return;
    }
    race.now++;
    race.pending = scope->wsfj_first;
    race_intervals_changed();
    set_limit(scope->wsfj_limit);
}

EXPORTED void wsfj_race_sync(struct wsfj_scope *scope)
{
    if (LIKELY(race.pending > scope->wsfj_first)) {
        if (race_checks())
            sync_scope(scope);
    } else if (UNLIKELY(race_scheduled)) {
        race_children_wait(scope);
    }
}

/* A task's variables end with it, and children are not done. */
static COLD void close_pending(const struct wsfj_scope *scope, uintptr_t base)
{
    if (scope->wsfj_is_task)
        race_scan_dead(base, scope);
    sync_scope(scope);
}

EXPORTED void wsfj_race_close(struct wsfj_scope *scope)
{
    if (UNLIKELY(race.pending > scope->wsfj_first)) {
        if (race_checks())
            close_pending(scope, RETURN_BASE);
    } else if (UNLIKELY(race_scheduled)) {
        race_children_wait(scope);
    }
}

/* With groups, the end of a child can add more than one interval. */
static COLD void begin_odd_strand(void)
{
    uint32_t next = UINT32_MAX - 64;

    if (race.now >= next)
        race_die("more than 4 * 10^9 strands in one run: use a smaller input");
    if (race.pending >= MOST_PENDING)
        race_die("more than %zu children are pending: use a smaller input", MOST_PENDING);
    if (race_wanted_time && race.now > race_wanted_time)
        race_wanted_advance();
    if (next - race.now > MOST_PENDING - race.pending)
        next = race.now + (uint32_t)(MOST_PENDING - race.pending);
    if (race_wanted_time && race_wanted_time < next)
        next = race_wanted_time + 1;
    race.next_odd = race.groups ? 0 : next;
}

ALWAYS_INLINE void begin_strand(void)
{
    if (UNLIKELY(race.now >= race.next_odd))
        begin_odd_strand();
}

/* In one piece: the next child reads it in one, and would have to wait for two. */
typedef uint32_t held_copy __attribute__((vector_size(16), aligned(4), may_alias));

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
ALWAYS_INLINE void spawn(struct wsfj_spawned *child, const void *owner, const struct wsfj_site *site, uintptr_t pc,
                         uintptr_t base)
{
    child->wsfj_outer = race.inner;
    child->wsfj_owner = owner;
    child->wsfj_site = site;
    child->wsfj_pc = pc;
    child->wsfj_limit = race.limit;
    child->wsfj_base = base;
    child->wsfj_begun = ++race.now;
    child->wsfj_first = (uint32_t)race.pending;
    *(held_copy *)child->wsfj_held = race.held;
    child->wsfj_loop = 0;
    race.inner = child;
    race.spawns++;
    begin_bare(base);
}

void race_spawn(struct wsfj_spawned *child, const void *owner, const struct wsfj_site *site, uintptr_t pc,
                uintptr_t base)
{
    begin_strand();
    spawn(child, owner, site, pc, base);
}

/* What the parent had before the child. */
ALWAYS_INLINE void continue_parent(const struct wsfj_spawned *child, uintptr_t limit)
{
    const uint32_t ignored = race.ignored | child->wsfj_held[2];

    race.inner = child->wsfj_outer;
    race.held = *(const held_copy *)child->wsfj_held;
    race.limit = limit;
    race_private_span = limit - race.stack_lo;
    if (UNLIKELY(ignored != 0))
        race_apply_ignored();
}

ALWAYS_INLINE void forget_stack(uintptr_t base)
{
    const uintptr_t low = race.low;

    if (low < base) {
        race.low = base;
        race_forget_near(low, base);
    }
}

ALWAYS_INLINE uintptr_t lower(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

ALWAYS_INLINE void leave_child(const struct wsfj_spawned *child)
{
    continue_parent(child, lower(child->wsfj_base, child->wsfj_limit));
    forget_stack(child->wsfj_base);
}

void race_spawn_end(struct wsfj_spawned *child)
{
    race_finish(child->wsfj_first, child->wsfj_begun,
                &(struct interval){0, 0, child->wsfj_owner, child->wsfj_site, child->wsfj_pc});
    leave_child(child);
}

EXPORTED int wsfj_race_child(struct wsfj_spawned *child, const struct wsfj_scope *scope, const struct wsfj_site *site,
                             void *frame)
{
    const uintptr_t base = (uintptr_t)frame + 2 * sizeof(void *);

    if (!scope || !race_checks()) {
        child->wsfj_begun = 0; /* a call */
        return UNLIKELY(race_scheduled) && wsfj_race_forks(scope);
    }
    if (UNLIKELY(race.now >= race.next_odd))
        race_spawn(child, scope, site, 0, base);
    else
        spawn(child, scope, site, 0, base);
    return 0;
}

/* Mostly all of its own children are done. */
EXPORTED void wsfj_race_child_end(struct wsfj_spawned *child)
{
    if (!child->wsfj_begun)
        return;
    if (UNLIKELY(race.pending != child->wsfj_first)) {
        race_spawn_end(child);
    } else {
        struct interval *made = &race.intervals[race.pending++];

        made->start = child->wsfj_begun;
        made->end = ++race.now;
        made->owner = child->wsfj_owner;
        made->site = child->wsfj_site;
        made->pc = child->wsfj_pc;
        race_intervals_changed();
        leave_child(child);
    }
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
