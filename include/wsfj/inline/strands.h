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

#include "abi.h"

/** A place in the source that spawns; one constant object for each. */
struct wsfj_site {
    const char *file, *task;
    unsigned line;
};

/** How a strand ends. */
enum wsfj_end { WSFJ_END_SPAWN, WSFJ_END_CHILD, WSFJ_END_SYNC, WSFJ_ENDS };

/** The strands of a thread that begin in one way. Lengths are in 1/256 of the clock's ticks, as everywhere here. */
struct wsfj_strands {
    uint64_t left;            /**< how many strands until the next timed one */
    uint64_t mean[WSFJ_ENDS]; /**< the length that the others count */

    /* Written when a strand is timed. */
    uint32_t period, drawn, quiet, calm;
    struct wsfj_sample {
        uint64_t timed;
        double stands_for, sum, squares;
    } sample[WSFJ_ENDS];
};

/** A position in a program: the lengths of the longest paths to it. */
struct wsfj_position {
    uint64_t span, burdened;
};

struct wsfj_spawned;

/** What a thread knows of a site. */
struct wsfj_tally {
    const struct wsfj_site *site;
    struct wsfj_strands child, after, synced; /**< strands that begin at the spawn, after it, after the sync */
    uint64_t count;
    /* Sums over the outermost children of this site, with all that runs inside them. */
    struct wsfj_spawned *outermost; /**< the running one; NULL: none */
    uint64_t work, blocked, strands;
    struct wsfj_position path;
    struct wsfj_total *total;
    struct wsfj_tally *next;
};

struct wsfj_site_slot {
    const struct wsfj_site *site;
    struct wsfj_tally *tally;
};

/** A thread's profile. Work and span are kept apart: a compiler that adds to both at once would load them together, and
 *  wait for the stores of each (fib: 0.066 s instead of 0.047). */
struct wsfj_profile {
    uint64_t work;
    struct wsfj_strands *now; /**< the strand that runs */
    uint64_t span;
    uint64_t started; /**< time at the strand's begin; 0: it is not timed */
    uint64_t burden;  /**< burdened span minus span of the path that leads here */
    uint64_t strands;
    uint64_t blocked;             /**< in blocking sections; not part of the work */
    uint64_t steal, join;         /**< cost of a steal and of a join, in the burden */
    uint64_t unit;                /**< the cost of a task if nothing is timed; else 0 */
    struct wsfj_site_slot *slots; /**< hash table of the sites: address times a constant, shifted */
    unsigned shift;
};

#ifdef __cplusplus
extern "C" {
#endif

/** The profile of the calling thread, while it is in a profiled region. */
extern __attribute__((tls_model("initial-exec"))) __thread struct wsfj_profile *wsfj_profile_tls;

/* The slow paths, in the library. */
void wsfj_profile_time(struct wsfj_profile *p);
void wsfj_profile_timed(struct wsfj_profile *p, enum wsfj_end end);
struct wsfj_tally *wsfj_profile_tally(struct wsfj_profile *p, const struct wsfj_site *site);
void wsfj_profile_outermost(struct wsfj_profile *p, struct wsfj_spawned *child);
void wsfj_profile_dropped(const char *task);

/** A region, from its begin to its end. */
struct wsfj_profile_root {
    struct wsfj_profile *profile; /**< NULL: part of another region */
    unsigned generation;
    int cancel_state;
};
int wsfj_profile_open(struct wsfj_profile_root *root);
void wsfj_profile_close(struct wsfj_profile_root *root);

#ifdef __cplusplus
}
#endif

WSFJ_INLINE void wsfj_strand_begin(struct wsfj_profile *p, struct wsfj_strands *strands)
{
    p->now = strands;
    if (WSFJ_UNLIKELY(--strands->left == 0))
        wsfj_profile_time(p);
}

WSFJ_INLINE void wsfj_strand_end(struct wsfj_profile *p, enum wsfj_end end)
{
    uint64_t length;

    if (WSFJ_UNLIKELY(p->started)) {
        wsfj_profile_timed(p, end);
        return;
    }
    length = p->now->mean[end];
    p->work += length;
    p->span += length;
}

WSFJ_INLINE struct wsfj_position wsfj_at(const struct wsfj_profile *p)
{
    struct wsfj_position at;

    at.span = p->span;
    at.burdened = p->span + p->burden;
    return at;
}

WSFJ_INLINE void wsfj_go_on(struct wsfj_profile *p, struct wsfj_position at)
{
    p->span = at.span;
    p->burden = at.burdened - at.span;
}

WSFJ_INLINE void wsfj_reach(struct wsfj_position *most, struct wsfj_position p)
{
    most->span = p.span > most->span ? p.span : most->span;
    most->burdened = p.burdened > most->burdened ? p.burdened : most->burdened;
}

/** A task, or a block with ws_frame(), and the children it has spawned since the last sync. */
struct wsfj_scope {
    struct wsfj_profile *profile; /**< NULL: outside any region, where nothing is profiled */
    struct wsfj_tally *pending;   /**< the site of the last child; NULL: no child */
    struct wsfj_position reach;   /**< the farthest end of the children */
    int dropped;                  /**< with WSFJ_DEBUG: a child has a result */
};

/** A child, from its spawn to its end. */
struct wsfj_spawned {
    struct wsfj_tally *tally;        /**< NULL: nothing is profiled */
    uint64_t span, burden;           /**< the position of its begin */
    uint64_t work, blocked, strands; /**< values before it, if it is the outermost one of its site */
};

WSFJ_INLINE struct wsfj_scope wsfj_scope_open(void)
{
    struct wsfj_scope scope;

    scope.profile = wsfj_profile_tls;
    scope.pending = NULL;
    scope.reach.span = scope.reach.burdened = 0;
    scope.dropped = 0;
    return scope;
}

/** The same for a task, which may have a cost. */
WSFJ_INLINE struct wsfj_scope wsfj_scope_task(void)
{
    struct wsfj_scope scope = wsfj_scope_open();
    struct wsfj_profile *p = scope.profile;

    if (p && WSFJ_UNLIKELY(p->unit)) {
        p->work += p->unit;
        p->span += p->unit;
    }
    return scope;
}

WSFJ_INLINE struct wsfj_tally *wsfj_tally_of(struct wsfj_profile *p, const struct wsfj_site *site)
{
    const struct wsfj_site_slot *slot = &p->slots[(uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15) >> p->shift];

    return WSFJ_LIKELY(slot->site == site) ? slot->tally : wsfj_profile_tally(p, site);
}

WSFJ_INLINE void wsfj_child_begin(struct wsfj_spawned *child, struct wsfj_scope *scope, const struct wsfj_site *site)
{
    struct wsfj_profile *p = scope ? scope->profile : NULL;
    struct wsfj_tally *tally;

    child->tally = NULL;
    if (!p)
        return;
    wsfj_strand_end(p, WSFJ_END_SPAWN);
    child->tally = tally = wsfj_tally_of(p, site);
    tally->count++;
    p->strands += 2; /* the child's, and the one after the spawn */
    if (!tally->outermost) {
        tally->outermost = child;
        child->work = p->work;
        child->blocked = p->blocked;
        child->strands = p->strands;
    }
    child->span = p->span;
    child->burden = p->burden;
    p->burden += p->steal;
    wsfj_strand_begin(p, &tally->child);
}

WSFJ_INLINE void wsfj_child_end(struct wsfj_spawned *child, struct wsfj_scope *scope)
{
    struct wsfj_tally *tally = child->tally;
    struct wsfj_profile *p;

    if (!tally)
        return;
    p = scope->profile;
    wsfj_strand_end(p, WSFJ_END_CHILD);
    if (tally->outermost == child)
        wsfj_profile_outermost(p, child);
    p->burden += p->join;
    wsfj_reach(&scope->reach, wsfj_at(p));
    p->span = child->span;
    p->burden = child->burden;
    scope->pending = tally;
    wsfj_strand_begin(p, &tally->after);
}

/** Continues from the farthest of this position and the children's ends. */
WSFJ_INLINE void wsfj_scope_sync(struct wsfj_scope *scope)
{
    struct wsfj_profile *p = scope->profile;

    if (!scope->pending)
        return;
    wsfj_strand_end(p, WSFJ_END_SYNC);
    p->strands++;
    wsfj_reach(&scope->reach, wsfj_at(p));
    wsfj_go_on(p, scope->reach);
    wsfj_strand_begin(p, &scope->pending->synced);
    scope->pending = NULL;
}

WSFJ_INLINE void wsfj_scope_close(struct wsfj_scope *scope, const char *task)
{
    if (task && scope->dropped)
        wsfj_profile_dropped(task);
    wsfj_scope_sync(scope);
}

#endif
