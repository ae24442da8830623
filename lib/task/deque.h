/* SPDX-License-Identifier: MIT */
/*
 * The deque: the thief's end, exposure, and the owner's way out of line. The protocol, with its labels, a proof sketch
 * and the schedules that fail without each step, is in doc/protocols.md. The owner's end is include/wsfj/inline/fastpath.h.
 *
 *   descriptors <= H <= E <= T      H first task not stolen, E end of the public tasks, T first free descriptor
 *                             (E may be H + 1 = T + 1 while a thief forces, and is the end of all descriptors in locked mode)
 *
 * Rule: nothing here allocates; the owner may wait for the lock, a thief never does.
 */
#ifndef WSFJ_TASK_DEQUE_H
#define WSFJ_TASK_DEQUE_H

#include "base/base.h"

struct wsfj_region;
struct wsfj_stack;

enum wsfj_steal {
    WSFJ_STEAL_EMPTY, /* nothing there */
    WSFJ_STEAL_BUSY,  /* somebody else has the lock */
    WSFJ_STEAL_ASKED, /* there are private tasks only; the owner has been asked to expose some */
    WSFJ_STEAL_FAILED,/* forced, and the owner was faster */
    WSFJ_STEAL_GOT    /* *stolen task is the thief's */
};

/* True if the stack seems to have a task that is not stolen. A hint: it may be stale at once. */
bool wsfj_deque_has_work(struct wsfj_stack *stack);

/* How many tasks it seems to have that are not stolen. A hint, too. */
size_t wsfj_deque_length(struct wsfj_stack *stack);

/* What a thief has got. */
struct wsfj_stolen {
    struct wsfj_descriptor *desc;
    const struct wsfj_kind *kind; /* read under the lock: the parent may then put its join record in its place */
    struct wsfj_region *region;
};

/*
 * Takes the oldest task. With `force` a private one too, at the price of a heavy barrier. A guest passes its region and
 * takes nothing of another one.
 */
enum wsfj_steal wsfj_deque_steal(struct wsfj_stack *victim, bool force, const struct wsfj_region *only,
                                 struct wsfj_stolen *stolen);

enum wsfj_expose {
    WSFJ_EXPOSE_NOTHING, /* every task is stolen already */
    WSFJ_EXPOSE_BUSY,    /* a thief has the lock, and takes one task at most */
    WSFJ_EXPOSE_DONE     /* thieves may take some tasks */
};

/* The owner answers a request: publishes half of its private tasks. */
enum wsfj_expose wsfj_deque_expose(struct wsfj_stack *own, struct wsfj_descriptor *tail);

/* The owner publishes all its tasks, and those that it spawns until a sync takes one back. Until then each sync comes out of
 * descriptor. */
void wsfj_deque_publish_all(struct wsfj_stack *own);

/* The owner has popped `desc`, which is public: true if it is the owner's, false if it is stolen; then so is everything
 * older. */
bool wsfj_deque_reclaim(struct wsfj_stack *own, struct wsfj_descriptor *desc);

/* The owner's deque is empty down to `base`, all older tasks being stolen: H = E = T = base. */
void wsfj_deque_rebase(struct wsfj_stack *own, struct wsfj_descriptor *base);

#endif
