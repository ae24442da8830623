/* SPDX-License-Identifier: MIT */
/*
 * The join: a parent at its sync, with children that were stolen. Labels JOIN-n: doc/protocols.md.
 *
 * The parent counts every stolen child and itself in its stack's join counter, puts the stack's address into the
 * children's descriptors and leaves the stack. Only after the switch its own unit is taken off. Each child that ends
 * and finds the address takes one off. The thread that brings the counter to zero resumes the parent. No thread waits,
 * but for a moment before all this (JOIN-4).
 */
#ifndef WSFJ_TASK_JOIN_H
#define WSFJ_TASK_JOIN_H

#include "base/atomic.h"
#include "base/chaos.h"
#include "task/stack.h"

/* The word of a descriptor (include/wsfj/inline/abi.h): kind (bits 00), DONE (bit 0 set), waiting parent (bits 10). */
#define WSFJ_WORD_DONE 1u
#define WSFJ_WORD_JOIN 2u

/* Takes `n` off the parent's join counter. Returns the parent if that brought the counter to zero: the caller must
 * resume it. */
static inline struct wsfj_stack *wsfj_join_arrive(struct wsfj_stack *parent, uint64_t n)
{
    wsfj_chaos();
    /* Release: the caller's results, for the parent. Acquire: the last to arrive hands on all results. */
    return sub_acq_rel(&parent->join, n) == n ? parent : NULL;
}

/* A thief has finished the task in `desc`: marks it as done, and may not touch the descriptor after that. Returns a
 * parent to resume, or NULL. */
struct wsfj_stack *wsfj_join_finish(struct wsfj_descriptor *desc, const struct wsfj_kind *kind);

/* The same for a task that the thief does not run: its result is all zero bits. */
struct wsfj_stack *wsfj_join_drop(struct wsfj_descriptor *desc, const struct wsfj_kind *kind);

/* The value of a finished descriptor's word. */
static inline uintptr_t wsfj_word_done(const struct wsfj_kind *kind)
{
    return (uintptr_t)kind->wsfj_result_size << 2 | (uintptr_t)(kind->wsfj_in_area != 0) << 1 | 1;
}

#endif
