/* SPDX-License-Identifier: MIT */
/*
 * Work and span of a program that runs serially: what the profiled macros do at the border of two strands.
 *
 * A strand is code without a spawn, a child's end, or a sync inside. The length of each strand is added to the work,
 * and to the span of the path that leads here, its position. A child begins at its parent's position, and so does the
 * code after the spawn; a sync takes the farther one. The burdened span adds the cost of a steal at the start of each
 * child and that of a suspended join at its end (He, Leiserson, Leiserson, The Cilkview Scalability Analyzer, SPAA
 * 2010).
 *
 * Reading the clock takes longer than many strands. So of the short strands that begin in the same way at the same
 * place only some are timed, and the others count with the average of the timed ones (lib/profile/strand.c).
 *
 * Everything here is internal. profile.h has the macros, lib/profile/profile.h the library's side.
 */
#ifndef WSFJ_STRANDS_H
#define WSFJ_STRANDS_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "abi.h"

/** A place in the source that spawns; one constant object for each. */
struct wsfj_site {
    const char *wsfj_file, *wsfj_task;
    unsigned wsfj_line;
};

/** How a strand ends. */
enum wsfj_end { WSFJ_END_SPAWN, WSFJ_END_CHILD, WSFJ_END_SYNC, WSFJ_ENDS };

/** Of so many timed strands the median is what most take. */
#define WSFJ_RECENT 7

/** No time: the clock's are odd, and greater. */
#define WSFJ_RECORDED 2

/** The strands of a thread that begin in one way. Lengths are in 1/256 of the clock's ticks, as everywhere here. */
struct wsfj_strands {
    uint64_t wsfj_left;             /**< how many strands until the next timed one */
    uint64_t wsfj_mean[WSFJ_ENDS];  /**< the length that the others count */
    uint64_t wsfj_doubt[WSFJ_ENDS]; /**< how much of that comes from few that were longer than most */

    /* Written when a strand is timed. */
    uint32_t wsfj_period, wsfj_drawn, wsfj_quiet, wsfj_calm;
    uint32_t wsfj_id; /**< in a record */
    struct wsfj_sample {
        uint64_t wsfj_timed;
        double wsfj_stands_for, wsfj_sum, wsfj_squares;
        uint64_t wsfj_recent[WSFJ_RECENT], wsfj_known; /**< the last timed ones, and how many there ever were */
    } wsfj_sample[WSFJ_ENDS];
};

/** A position in a program: the lengths of the longest paths to it. The least span leaves out what may be no part of the
 *  program: a strand that takes longer once than most of its kind has perhaps met an interrupt or a cold cache. */
struct wsfj_position {
    uint64_t wsfj_span, wsfj_burdened, wsfj_least;
};

struct wsfj_spawned;
struct wsfj_scope;

/** What a thread knows of a site. */
struct wsfj_tally {
    const struct wsfj_site *wsfj_site;
    struct wsfj_strands wsfj_child, wsfj_after,
        wsfj_synced; /**< strands that begin at the spawn, after it, after the sync */
    uint64_t wsfj_count;
    /* Sums over the outermost children of this site, with all that runs inside them. */
    struct wsfj_spawned *wsfj_outermost; /**< the running one; NULL: none */
    uint64_t wsfj_work, wsfj_blocked, wsfj_strands;
    struct wsfj_position wsfj_path;
    uint64_t wsfj_longest; /**< the longest span of any of them */
    struct wsfj_total *wsfj_total;
    struct wsfj_tally *wsfj_next;
};

struct wsfj_site_slot {
    const struct wsfj_site *wsfj_site;
    struct wsfj_tally *wsfj_tally;
};

/** A thread's profile. Work and span are kept apart: a compiler that adds to both at once would load them together, and
 *  wait for the stores of each (fib: 0.066 s instead of 0.047). */
struct wsfj_profile {
    uint64_t wsfj_work;
    struct wsfj_strands *wsfj_now; /**< the strand that runs */
    uint64_t wsfj_span;
    uint64_t wsfj_started; /**< time at the strand's begin; 0: it is not timed; WSFJ_RECORDED: nor that, but recorded */
    uint64_t wsfj_burden;  /**< burdened span minus span of the path that leads here */
    uint64_t wsfj_doubt;   /**< span minus least span of the path that leads here */
    uint64_t wsfj_strands;
    uint64_t wsfj_blocked;             /**< in blocking sections; not part of the work */
    uint64_t wsfj_steal, wsfj_join;    /**< cost of a steal and of a join, in the burden */
    uint64_t wsfj_unit;                /**< the cost of a task if nothing is timed; else 0 */
    struct wsfj_site_slot *wsfj_slots; /**< hash table of the sites: address times a constant, shifted */
    unsigned wsfj_shift;
    int wsfj_records; /**< 1: strands are recorded */
};

#ifdef __cplusplus
extern "C" {
#endif

/** The profile of the calling thread, while it is in a profiled region. */
extern __attribute__((__tls_model__("initial-exec"))) __thread struct wsfj_profile *wsfj_profile_tls;

/* The slow paths, in the library. */
void wsfj_profile_time(struct wsfj_profile *wsfj_p);
void wsfj_profile_timed(struct wsfj_profile *wsfj_p, enum wsfj_end wsfj_end, const struct wsfj_scope *wsfj_scope);
void wsfj_profile_loop(struct wsfj_scope *wsfj_scope, const void *wsfj_loop, int wsfj_divides);
void wsfj_profile_loop_ran(struct wsfj_scope *wsfj_scope, uint64_t wsfj_n);
struct wsfj_tally *wsfj_profile_tally(struct wsfj_profile *wsfj_p, const struct wsfj_site *wsfj_site);
void wsfj_profile_outermost(struct wsfj_profile *wsfj_p, struct wsfj_spawned *wsfj_child);
void wsfj_profile_dropped(const char *wsfj_task);

/** A region, from its begin to its end. */
struct wsfj_profile_root {
    struct wsfj_profile *wsfj_profile; /**< NULL: part of another region */
    unsigned wsfj_generation;
    int wsfj_cancel_state;
};
int wsfj_profile_open(struct wsfj_profile_root *wsfj_root);
void wsfj_profile_close(struct wsfj_profile_root *wsfj_root);

#ifdef __cplusplus
}
#endif

WSFJ_INLINE void wsfj_strand_begin(struct wsfj_profile *wsfj_p, struct wsfj_strands *wsfj_strands)
{
    wsfj_p->wsfj_now = wsfj_strands;
    if (WSFJ_UNLIKELY(--wsfj_strands->wsfj_left == 0))
        wsfj_profile_time(wsfj_p);
}

/** `scope`: of the child that begins or has ended, or of the sync; NULL: the strand ends for another reason. */
WSFJ_INLINE void wsfj_strand_end_in(struct wsfj_profile *wsfj_p, enum wsfj_end wsfj_end,
                                    const struct wsfj_scope *wsfj_scope)
{
    uint64_t wsfj_length;

    if (WSFJ_UNLIKELY(wsfj_p->wsfj_started)) {
        wsfj_profile_timed(wsfj_p, wsfj_end, wsfj_scope);
        return;
    }
    wsfj_length = wsfj_p->wsfj_now->wsfj_mean[wsfj_end];
    wsfj_p->wsfj_work += wsfj_length;
    wsfj_p->wsfj_span += wsfj_length;
    wsfj_p->wsfj_doubt += wsfj_p->wsfj_now->wsfj_doubt[wsfj_end];
}

WSFJ_INLINE void wsfj_strand_end(struct wsfj_profile *wsfj_p, enum wsfj_end wsfj_end)
{
    wsfj_strand_end_in(wsfj_p, wsfj_end, NULL);
}

WSFJ_INLINE struct wsfj_position wsfj_at(const struct wsfj_profile *wsfj_p)
{
    struct wsfj_position wsfj_at;

    wsfj_at.wsfj_span = wsfj_p->wsfj_span;
    wsfj_at.wsfj_burdened = wsfj_p->wsfj_span + wsfj_p->wsfj_burden;
    wsfj_at.wsfj_least = wsfj_p->wsfj_span - wsfj_p->wsfj_doubt;
    return wsfj_at;
}

WSFJ_INLINE void wsfj_go_on(struct wsfj_profile *wsfj_p, struct wsfj_position wsfj_at)
{
    wsfj_p->wsfj_span = wsfj_at.wsfj_span;
    wsfj_p->wsfj_burden = wsfj_at.wsfj_burdened - wsfj_at.wsfj_span;
    wsfj_p->wsfj_doubt = wsfj_at.wsfj_span - wsfj_at.wsfj_least;
}

WSFJ_INLINE void wsfj_reach(struct wsfj_position *wsfj_most, struct wsfj_position wsfj_p)
{
    wsfj_most->wsfj_span = wsfj_p.wsfj_span > wsfj_most->wsfj_span ? wsfj_p.wsfj_span : wsfj_most->wsfj_span;
    wsfj_most->wsfj_burdened =
        wsfj_p.wsfj_burdened > wsfj_most->wsfj_burdened ? wsfj_p.wsfj_burdened : wsfj_most->wsfj_burdened;
    wsfj_most->wsfj_least = wsfj_p.wsfj_least > wsfj_most->wsfj_least ? wsfj_p.wsfj_least : wsfj_most->wsfj_least;
}

/** A task, or a block with ws_frame(), and the children it has spawned since the last sync. */
struct wsfj_scope {
    struct wsfj_profile *wsfj_profile; /**< NULL: outside any region, where nothing is profiled */
    struct wsfj_tally *wsfj_pending;   /**< the site of the last child; NULL: no child */
    struct wsfj_position wsfj_reach;   /**< the farthest end of the children */
    int wsfj_dropped;                  /**< with WSFJ_DEBUG: a child has a result */
};

/** A child, from its spawn to its end. */
struct wsfj_spawned {
    struct wsfj_tally *wsfj_tally;                  /**< NULL: nothing is profiled */
    uint64_t wsfj_span, wsfj_burden, wsfj_doubt;    /**< the position of its begin */
    uint64_t wsfj_work, wsfj_blocked, wsfj_strands; /**< values before it, if it is the outermost one of its site */
};

WSFJ_INLINE struct wsfj_scope wsfj_scope_open(void)
{
    struct wsfj_scope wsfj_scope;

    wsfj_scope.wsfj_profile = wsfj_profile_tls;
    wsfj_scope.wsfj_pending = NULL;
    wsfj_scope.wsfj_reach.wsfj_span = wsfj_scope.wsfj_reach.wsfj_burdened = wsfj_scope.wsfj_reach.wsfj_least = 0;
    wsfj_scope.wsfj_dropped = 0;
    return wsfj_scope;
}

/** The same for a task, which may have a cost. */
WSFJ_INLINE struct wsfj_scope wsfj_scope_task(void)
{
    struct wsfj_scope wsfj_scope = wsfj_scope_open();
    struct wsfj_profile *wsfj_p = wsfj_scope.wsfj_profile;

    if (wsfj_p && WSFJ_UNLIKELY(wsfj_p->wsfj_unit)) {
        wsfj_p->wsfj_work += wsfj_p->wsfj_unit;
        wsfj_p->wsfj_span += wsfj_p->wsfj_unit;
    }
    return wsfj_scope;
}

WSFJ_INLINE struct wsfj_tally *wsfj_tally_of(struct wsfj_profile *wsfj_p, const struct wsfj_site *wsfj_site)
{
    const struct wsfj_site_slot *wsfj_slot =
        &wsfj_p->wsfj_slots[(uintptr_t)wsfj_site * UINT64_C(0x9e3779b97f4a7c15) >> wsfj_p->wsfj_shift];

    return WSFJ_LIKELY(wsfj_slot->wsfj_site == wsfj_site) ? wsfj_slot->wsfj_tally
                                                          : wsfj_profile_tally(wsfj_p, wsfj_site);
}

WSFJ_INLINE void wsfj_child_begin(struct wsfj_spawned *wsfj_child, struct wsfj_scope *wsfj_scope,
                                  const struct wsfj_site *wsfj_site)
{
    struct wsfj_profile *wsfj_p = wsfj_scope ? wsfj_scope->wsfj_profile : NULL;
    struct wsfj_tally *wsfj_tally;

    wsfj_child->wsfj_tally = NULL;
    if (!wsfj_p)
        return;
    wsfj_strand_end_in(wsfj_p, WSFJ_END_SPAWN, wsfj_scope);
    wsfj_child->wsfj_tally = wsfj_tally = wsfj_tally_of(wsfj_p, wsfj_site);
    wsfj_tally->wsfj_count++;
    wsfj_p->wsfj_strands += 2; /* the child's, and the one after the spawn */
    if (!wsfj_tally->wsfj_outermost) {
        wsfj_tally->wsfj_outermost = wsfj_child;
        wsfj_child->wsfj_work = wsfj_p->wsfj_work;
        wsfj_child->wsfj_blocked = wsfj_p->wsfj_blocked;
        wsfj_child->wsfj_strands = wsfj_p->wsfj_strands;
    }
    wsfj_child->wsfj_span = wsfj_p->wsfj_span;
    wsfj_child->wsfj_burden = wsfj_p->wsfj_burden;
    wsfj_child->wsfj_doubt = wsfj_p->wsfj_doubt;
    wsfj_p->wsfj_burden += wsfj_p->wsfj_steal;
    wsfj_strand_begin(wsfj_p, &wsfj_tally->wsfj_child);
}

WSFJ_INLINE void wsfj_child_end(struct wsfj_spawned *wsfj_child, struct wsfj_scope *wsfj_scope)
{
    struct wsfj_tally *wsfj_tally = wsfj_child->wsfj_tally;
    struct wsfj_profile *wsfj_p;

    if (!wsfj_tally)
        return;
    wsfj_p = wsfj_scope->wsfj_profile;
    wsfj_strand_end_in(wsfj_p, WSFJ_END_CHILD, wsfj_scope);
    if (wsfj_tally->wsfj_outermost == wsfj_child)
        wsfj_profile_outermost(wsfj_p, wsfj_child);
    wsfj_p->wsfj_burden += wsfj_p->wsfj_join;
    wsfj_reach(&wsfj_scope->wsfj_reach, wsfj_at(wsfj_p));
    wsfj_p->wsfj_span = wsfj_child->wsfj_span;
    wsfj_p->wsfj_burden = wsfj_child->wsfj_burden;
    wsfj_p->wsfj_doubt = wsfj_child->wsfj_doubt;
    wsfj_scope->wsfj_pending = wsfj_tally;
    wsfj_strand_begin(wsfj_p, &wsfj_tally->wsfj_after);
}

/** Continues from the farthest of this position and the children's ends. */
WSFJ_INLINE void wsfj_scope_sync(struct wsfj_scope *wsfj_scope)
{
    struct wsfj_profile *wsfj_p = wsfj_scope->wsfj_profile;

    if (!wsfj_scope->wsfj_pending)
        return;
    wsfj_strand_end_in(wsfj_p, WSFJ_END_SYNC, wsfj_scope);
    wsfj_p->wsfj_strands++;
    wsfj_reach(&wsfj_scope->wsfj_reach, wsfj_at(wsfj_p));
    wsfj_go_on(wsfj_p, wsfj_scope->wsfj_reach);
    wsfj_strand_begin(wsfj_p, &wsfj_scope->wsfj_pending->wsfj_synced);
    wsfj_scope->wsfj_pending = NULL;
}

WSFJ_INLINE void wsfj_scope_close(struct wsfj_scope *wsfj_scope, const char *wsfj_task)
{
    if (wsfj_task && wsfj_scope->wsfj_dropped)
        wsfj_profile_dropped(wsfj_task);
    wsfj_scope_sync(wsfj_scope);
}

/** A record: a task of the loop begins; `divides`: it spawns halves. */
WSFJ_INLINE void wsfj_loop_begins(struct wsfj_scope *wsfj_scope, const void *wsfj_loop, int wsfj_divides)
{
    if (wsfj_scope->wsfj_profile && WSFJ_UNLIKELY(wsfj_scope->wsfj_profile->wsfj_records))
        wsfj_profile_loop(wsfj_scope, wsfj_loop, wsfj_divides);
}

/** Its block of n iterations has run. */
WSFJ_INLINE void wsfj_loop_has_run(struct wsfj_scope *wsfj_scope, uint64_t wsfj_n)
{
    if (wsfj_scope->wsfj_profile && WSFJ_UNLIKELY(wsfj_scope->wsfj_profile->wsfj_records))
        wsfj_profile_loop_ran(wsfj_scope, wsfj_n);
}

#endif
