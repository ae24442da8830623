/* SPDX-License-Identifier: MIT */
/*
 * Schedules by seed: one thread runs the tasks as fibers, in an order drawn from a seed (WSFJ_RACE_SCHEDULE). The checks are
 * off then. seed.c has the draws, schedule.c the fibers that are ready, waits.c those that wait, deadlock.c the line for a
 * schedule in which all wait.
 */
#ifndef RACE_SCHEDULE_H
#define RACE_SCHEDULE_H

#include "detector.h"

#include "fibers.h"

#include <wsfj/inline/race_hooks.h>

#pragma GCC visibility push(hidden)

enum { MOST_FIBERS = 1000 };

enum wait { RUNS, FOR_CHILDREN, FOR_GROUP, FOR_LOCK, FOR_SIGNAL, FOR_POST, FOR_OBJECT };

/** A task that runs by itself, or the thread outside of all such tasks. */
struct fiber {
    struct flow *flow;
    struct fiber *parent; /**< who waits for its end, with `scope` */
    struct wsfj_scope *scope;
    uint64_t *group;              /**< where its end is counted; NULL: nowhere */
    const struct wsfj_site *site; /**< of its spawn; NULL: none */
    uintptr_t pc;                 /**< of its wait, or its submission */
    const volatile void *object;  /**< for which it waits */
    enum wait waits;
    int is_timed; /**< the wait may end by itself */
    int timed_out;
    unsigned seen;    /**< objects.c: how many changes of objects it has tested after */
    unsigned regions; /**< of the thread's own fiber: how many it is in */
    unsigned slot;    /**< slots.c: which slot of WS_LOCAL it uses until its next sync; 0: none yet */
};

/* seed.c */
/** How often what happens, drawn: some schedules change often and others rarely. */
struct rates {
    unsigned change_at_locks; /**< one time in so many */
    unsigned between_accesses;
    unsigned child_first; /**< of 8 spawns */
};
extern struct rates race_rates;
extern const char *race_seed; /**< NULL: serially */
unsigned race_draw(unsigned below);
void race_by_schedule(const char *seed);

/* schedule.c */
int race_here(void);
struct fiber *race_self(void);
void race_make_ready(struct fiber *fiber);
void race_next(void);
void race_schedule_end(void);
int race_region_begin(void);
void race_region_end(void);
void race_children_wait(struct wsfj_scope *scope);
int race_task_submit(const void *group, struct ws_scope *scope, wsfj_race_call *call, void (*fn)(void *), void *arg,
                     uintptr_t pc);
void race_group_wait(const void *group, uintptr_t pc);
extern unsigned race_stays; /**< above 0: no other task runs at a point */
void race_point_slow(void);
void race_turn(void);

/** A place where another task may run: before a lock, an atomic, a wait. */
ALWAYS_INLINE void race_point(void)
{
    if (UNLIKELY(race_scheduled))
        race_point_slow();
}

/* waits.c */
int race_wait_for(enum wait kind, const volatile void *object, uintptr_t pc, int is_timed);
void race_wake(enum wait kind, const volatile void *object, int all);
void race_wake_all(void);
int race_wake_timed(void);
size_t race_waiting(struct fiber *const **list);
int race_other_threads(void);
struct fiber *race_owner(const volatile void *lock);
void race_owns(const volatile void *lock);
void race_owns_no_more(const volatile void *lock);

/* deadlock.c */
void race_deadlock(void) __attribute__((noreturn));

/* slots.c */
void *race_slot(void *variable, size_t size);
void *race_slot_next(void *variable, const void *last);
void race_slots_free(void *variable);
void race_slot_leave(struct fiber *fiber);

#pragma GCC visibility pop

#endif
