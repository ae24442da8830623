/* SPDX-License-Identifier: MIT */
/* Both ends of a deque, one step at a time, on one thread: lib/task/deque.h. The test plays the owner as the inlined
 * code does (include/wsfj/inline/fastpath.h) and calls the thief's functions itself. */
#ifndef TESTS_UNIT_ONE_DEQUE_H
#define TESTS_UNIT_ONE_DEQUE_H

#include "task/deque.h"

#include "../support/run.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "base/fence.h"
#include "task/region.h"

#define CALL_STACK ((size_t)64 << 10)

static const struct wsfj_kind kind = {.wsfj_name = "kind"};
static struct wsfj_region region;
static struct wsfj_stack *stack;
static struct wsfj_stolen stolen;

static inline void start(enum wsfj_mode mode)
{
    (void)wsfj_heavy_start(true);
    stack = wsfj_stack_make(CALL_STACK, mode);
    ck_assert_ptr_nonnull(stack);
    stack->job.region = &region;
}

static inline void stop(void)
{
    wsfj_stack_destroy(stack);
}

/* The owner spawns n tasks. */
static inline void push(unsigned n)
{
    for (; n; n--) {
        stack->deque.wsfj_tail->wsfj_word = (uintptr_t)&kind;
        wsfj_publish_tail(&stack->deque, stack->deque.wsfj_tail + 1);
    }
}

/* The owner takes its newest task back; false if it was stolen. */
static inline bool pop(void)
{
    struct wsfj_descriptor *desc = stack->deque.wsfj_tail - 1;

    wsfj_publish_tail(&stack->deque, desc);
    return desc >= stack->deque.wsfj_exposed || wsfj_deque_reclaim(stack, desc);
}

static inline enum wsfj_steal steal(bool force)
{
    stolen = (struct wsfj_stolen){NULL, NULL, NULL, NULL};
    return wsfj_deque_steal(stack, force, NULL, &stolen);
}

static inline long exposed(void)
{
    return stack->deque.wsfj_exposed - stack->bottom;
}

static inline long first(void)
{
    return stack->first - stack->bottom;
}

/* descriptors <= H <= E <= T and P <= E of lib/task/deque.h. */
static inline void check_order(void)
{
    if (stack->first < stack->bottom || stack->deque.wsfj_exposed < stack->first ||
        stack->deque.wsfj_tail < stack->deque.wsfj_exposed || stack->offered > stack->deque.wsfj_exposed ||
        stack->lock != 0)
        ck_abort_msg("H %ld, E %ld, T %ld, lock %u", first(), exposed(), (long)(stack->deque.wsfj_tail - stack->bottom),
                     stack->lock);
}

#endif
