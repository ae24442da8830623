/* SPDX-License-Identifier: MIT */
/*
 * The deque: the thief's end, exposure, and the owner's slow path. doc/protocols.md has the protocol with its labels, a
 * proof sketch, and the schedules that fail without each step. The owner's fast path is include/wsfj/inline/fastpath.h.
 *
 *   first descriptor <= H <= E <= T     H the oldest task that is not stolen, E the end of the public tasks, T the tail
 *   P <= E                              P the end of the tasks that the owner has offered
 *
 * While a thief forces, E may be H + 1 = T + 1. In locked mode E is the end of all descriptors.
 *
 * Nothing here allocates. The owner may wait for the lock; a thief never waits.
 */
#ifndef WSFJ_TASK_DEQUE_H
#define WSFJ_TASK_DEQUE_H

#include "base/base.h"

struct wsfj_region;
struct wsfj_stack;

enum wsfj_steal {
    WSFJ_STEAL_EMPTY,  /* no task */
    WSFJ_STEAL_BUSY,   /* another thread holds the lock */
    WSFJ_STEAL_ASKED,  /* only private tasks; the owner has been asked to expose some */
    WSFJ_STEAL_FAILED, /* forced, but the owner was faster */
    WSFJ_STEAL_MAYBE,  /* wsfj_deque_peek() only: a steal may get a task */
    WSFJ_STEAL_GOT     /* the task in *stolen is the thief's */
};

/* True if the deque seems to have a task that is not stolen. A hint: may be stale at once. */
bool wsfj_deque_has_work(struct wsfj_stack *stack);

/* True if the owner has made tasks public that seem not to be stolen. A hint, too. Reads the thieves' cache line only. */
bool wsfj_deque_offers(const struct wsfj_stack *stack);

/* The number of tasks that seem not to be stolen. A hint, too. */
size_t wsfj_deque_length(struct wsfj_stack *stack);

/* A stolen task. */
struct wsfj_stolen {
    struct wsfj_descriptor *desc;
    const struct wsfj_kind *kind; /* read under the lock: afterwards the parent may overwrite it with its join record */
    struct wsfj_region *region;
    ws_scope *scope; /* the innermost that the task is a member of; NULL: none */
};

/* What a steal would meet, without the lock: MAYBE; or EMPTY or ASKED, and then the owner has been asked to expose tasks. */
enum wsfj_steal wsfj_deque_peek(struct wsfj_stack *victim, bool force);

/*
 * Takes the oldest task. With `force` also a private one, at the price of a heavy barrier. `only`: take a task of this
 * region only (guests); NULL: of any.
 */
enum wsfj_steal wsfj_deque_steal(struct wsfj_stack *victim, bool force, const struct wsfj_region *only,
                                 struct wsfj_stolen *stolen);

enum wsfj_expose {
    WSFJ_EXPOSE_NOTHING, /* every task is stolen already */
    WSFJ_EXPOSE_BUSY,    /* a thief holds the lock, and takes at most one task */
    WSFJ_EXPOSE_DONE     /* thieves may take at least one task */
};

/* Owner: answers a request by making half of its private tasks public. When DONE, the caller notes the time
 * (exposed_at). */
enum wsfj_expose wsfj_deque_expose(struct wsfj_stack *own, struct wsfj_descriptor *tail);

/* For the recheck: asks the owner to make its next spawn known. True: the caller must execute a heavy barrier before it
 * looks at the deque; false: the request of an earlier recheck stands (PARK-10). */
bool wsfj_deque_request(struct wsfj_stack *stack);

/* Owner: takes the request away, before it answers. */
void wsfj_deque_answer(struct wsfj_stack *own);

/* Owner: makes all its tasks public, and those that it spawns until a sync takes one back. Until then each sync takes
 * its slow path. */
void wsfj_deque_publish_all(struct wsfj_stack *own);

/* Owner: has popped `desc`, which is public. True if the task is the owner's; false if it is stolen, and then all older
 * tasks are stolen too. */
bool wsfj_deque_reclaim(struct wsfj_stack *own, struct wsfj_descriptor *desc);

/* The same without a wait for the lock and without calls, for brief.c; wsfj_rough_counts is set. False: not decided, or
 * stolen. */
bool wsfj_deque_reclaim_brief(struct wsfj_stack *own, struct wsfj_descriptor *desc);

/* Owner: the innermost open scope of the stack that the deque belongs to, the head of a chain. NULL: none. */
ws_scope *wsfj_deque_scope(const struct wsfj_deque *own);

/* Owner: puts a scope in front of the chain. */
void wsfj_deque_open_scope(struct wsfj_deque *own, ws_scope *scope);

/* Owner: takes the scopes in front of `until` off the chain. They may be gone after that. */
void wsfj_deque_close_scopes(struct wsfj_deque *own, ws_scope *until);

/* Owner: empties the deque down to `base`, after all tasks from there on are stolen: H = E = T = base. */
void wsfj_deque_rebase(struct wsfj_stack *own, struct wsfj_descriptor *base);

#endif
