/* SPDX-License-Identifier: MIT */
/*
 * The race detector's own state, shared by the files of tools/race. README.md has the idea and the order to read them in.
 *
 * One thread at a time is in a region and is checked; everything here belongs to it. What other threads do ends at
 * `private_span`, which is the whole address space for them.
 */
#ifndef RACE_DETECTOR_H
#define RACE_DETECTOR_H

#ifndef WSFJ_RACE
#define WSFJ_RACE /* the names of race.h */
#endif
#include <wsfj/race.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))
#define COLD __attribute__((noinline, cold))
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RETURN_PC ((uintptr_t)__builtin_return_address(0))
#define RETURN_BASE ((uintptr_t)__builtin_dwarf_cfa())

/* Also for what is only declared here: without it each use would go through the GOT. */
#pragma GCC visibility push(hidden)

struct wsfj_site;
struct wsfj_scope;
struct wsfj_spawned;

/** Addresses from private_lo up to private_lo + private_span need no check: the part of the stack that only the running
 *  strand can use. The whole address space: nothing is checked. */
extern uintptr_t race_private_lo; /**< of the thread in the region; others read it in vain */
extern __thread uintptr_t race_private_span __attribute__((tls_model("initial-exec")));

/** A finished child or group task that nobody waits for yet: what ran in [start, end) is parallel to what runs now. */
struct interval {
    uint32_t start, end;
    const void *owner; /**< who will wait for it: a scope, a loop, a group; &detached: nobody */
    const struct wsfj_site *site;
    uintptr_t pc; /**< of a submission (site is NULL), or of a spawn in C++ (site has no line) */
};

/** The most children that nobody has waited for. With groups, an end of a child needs room for three times as many. */
#define MOST_PENDING ((size_t)1 << 26)

struct race {
    uint32_t now;                    /**< number of the running strand, from 1 */
    uint32_t pending_lo, pending_hi; /**< all pending intervals are in here */
    uint32_t next_odd;               /**< a strand from this number on looks at what is rare (strands.c) */
    uint32_t known_lo, known_span;   /**< a part of one of them, which has been looked up; without groups */
    size_t pending;
    struct interval *intervals;
    struct wsfj_spawned *inner; /**< the innermost child or loop that runs */
    uintptr_t stack_lo, stack_hi;
    uintptr_t limit; /**< the stack below is private to the running strand */
    uintptr_t low;   /**< the lowest address of the stack that has been recorded */
    uint32_t flags;  /**< WAS_... of the accesses that run */
    union {
        struct {
            uint32_t locks;    /**< the set of held locks (locks.c) */
            uint32_t acquired; /**< how many entries order.c has for the running child and those around it */
            uint32_t ignored;  /**< depth of wsfj_race_ignore_begin */
            uint32_t view;     /**< HAS_VIEW: the running task has called ws_local() */
        };
        uint32_t held __attribute__((vector_size(16))); /**< all of that: a child begins with `acquired` alone */
    };
    uintptr_t base; /**< of the program */
    int groups;     /**< a task was submitted: not every join is nested in the one around it */
    uint64_t spawns, regions;
};
extern struct race race;
extern const char race_detached;

enum kind { READ, WRITE };
enum flags { WAS_ATOMIC = 1, WAS_FREE = 2, WAS_LIBC = 4 };

ALWAYS_INLINE int race_checks(void)
{
    return race_private_span != UINTPTR_MAX;
}
ALWAYS_INLINE int race_on_stack(uintptr_t a)
{
    return a - race.stack_lo < race.stack_hi - race.stack_lo;
}

/* intervals.c */
const struct interval *race_interval_of(uint32_t t);
ALWAYS_INLINE void race_intervals_changed(void)
{
    race.known_span = 0;
    race.pending_lo = race.pending ? race.intervals[0].start : UINT32_MAX;
    race.pending_hi = race.pending ? race.intervals[race.pending - 1].end : 0;
}
int race_joined_together(const struct interval *in);
void race_finish(uint32_t first, uint32_t begun, const struct interval *made);
void race_join(const void *owner, uint32_t first);
ALWAYS_INLINE const struct interval *race_parallel(uint32_t t)
{
    return LIKELY(t >= race.pending_hi || t < race.pending_lo) ? NULL : race_interval_of(t);
}

/* access.c */
void race_range(uintptr_t a, size_t size, enum kind kind, uintptr_t pc);
void race_scan_dead(uintptr_t end, const struct wsfj_scope *scope);

/* contexts.c: where an access was, with which locks and flags */
#define HAS_VIEW UINT32_C(0x40000000) /**< in a context: the task had a view of a slot (views.c) */
uint32_t race_context_make(uintptr_t pc, uint32_t locks, uint32_t flags);
uintptr_t race_context_pc(uint32_t context);
uint32_t race_context_locks(uint32_t context);
uint32_t race_context_flags(uint32_t context);
ALWAYS_INLINE uint32_t race_context(uintptr_t pc)
{
    uintptr_t d = pc - race.base;

    return (UNLIKELY((race.locks | race.flags) != 0 || d >> 30) ? race_context_make(pc, race.locks, race.flags)
                                                                : (uint32_t)d) |
           race.view;
}

/* locks.c: sets of locks by number; 0 is the empty one */
uint32_t race_locks_with(uint32_t set, uintptr_t lock);
uint32_t race_locks_without(uint32_t set, uintptr_t lock);
int race_locks_disjoint(uint32_t a, uint32_t b);
int race_locks_subset(uint32_t a, uint32_t b);

/* order.c: release and acquire */
void race_release(uintptr_t a, int adds);
void race_acquire(uintptr_t a);
void race_relaxed_load(uintptr_t a);
void race_fence(int order);
void race_relaxed_store(uintptr_t a, int adds);
int race_ordered(uint32_t t, const struct interval *in);

/* report.c */
struct conflict {
    uintptr_t address;
    size_t size;
    uint32_t earlier_time, earlier, later;
    enum kind earlier_kind, later_kind;
    const struct interval *in;      /**< of the earlier access */
    const struct wsfj_scope *ended; /**< a task that has returned; NULL: two accesses */
};
void race_report(const struct conflict *conflict);
void race_report_start(void);
unsigned long race_report_end(void);
extern void (*race_report_hook)(const struct conflict *conflict);
extern uint32_t race_wanted_time; /**< stacks.c: a strand from which stacks are asked for; 0: none */
void race_wanted_here(uint32_t me);
void race_wanted_advance(void);
int race_is_ignored_memory(uintptr_t a);

/* regions.c */
int race_enter(int submits);
void race_leave_if_idle(void);

/* strands.c */
void race_apply_ignored(void);
void race_spawn(struct wsfj_spawned *child, const void *owner, const struct wsfj_site *site, uintptr_t pc,
                uintptr_t base);
void race_spawn_end(struct wsfj_spawned *child);

/* views.c */
extern size_t race_blocks;
int race_is_slot(uintptr_t a);
int race_behind_views(uintptr_t a, uint32_t earlier, uint32_t later);
void race_block_new(uintptr_t begin, size_t size);
void race_block_gone(uintptr_t begin);

/* schedule.c */
extern int race_scheduled; /**< the program runs by a schedule, and nothing is checked */
void race_access_point_slow(void);
/** In an access that is not checked: by a schedule another task may run first. */
ALWAYS_INLINE void race_access_point(void)
{
    if (UNLIKELY(race_scheduled))
        race_access_point_slow();
}

/* start.c */
void race_start(void);
void *race_map(size_t bytes);
FILE *race_stderr(void);
void race_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void race_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#pragma GCC visibility pop

#endif
