/* SPDX-License-Identifier: MIT */
/*
 * The join: a parent at its sync, with children that were stolen. Labels JOIN-n: doc/protocols.md.
 *
 * The parent counts every stolen child and itself in its stack's join counter, puts the stack's address into the
 * children's descriptors and leaves the stack. Only after the switch its own unit is taken off. Each child that ends
 * and finds the address takes one off. The thread that brings the counter to zero resumes the parent. No thread waits.
 */
#ifndef WSFJ_SCHED_JOIN_H
#define WSFJ_SCHED_JOIN_H

#include "base/base.h"

struct wsfj_stack;

/* Takes `n` off the parent's join counter. Returns the parent if that brought the counter to zero: the caller must
 * resume it. */
struct wsfj_stack *wsfj_join_arrive(struct wsfj_stack *parent, uint64_t n);

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
