/* SPDX-License-Identifier: MIT */
/* Both ends of a deque, one step at a time, on one thread: lib/task/deque.h. The test plays the owner as the inlined code
 * does (include/wsfj/inline/fastpath.h) and calls the thief's functions itself. */
#ifndef TESTS_ONE_DEQUE_H
#define TESTS_ONE_DEQUE_H

#include "task/deque.h"

#include "../support/run.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "base/fence.h"
#include "task/region.h"

#define CALL_STACK ((size_t)64 << 10)

static const struct wsfj_kind kind = {.name = "kind"};
static struct wsfj_region region;
static struct wsfj_stack *stack;
static struct wsfj_loot loot;

static inline void start(enum wsfj_mode mode)
{
    (void)wsfj_heavy_start(true);
    stack = wsfj_stack_make(CALL_STACK, mode);
    ck_assert_ptr_nonnull(stack);
    stack->region = &region;
}

static inline void stop(void)
{
    wsfj_stack_destroy(stack);
}

/* The owner spawns so many. */
static inline void push(unsigned n)
{
    for (; n; n--) {
        stack->head.tail->word = (uintptr_t)&kind;
        wsfj_publish_tail(&stack->head, stack->head.tail + 1);
    }
}

/* The owner takes its newest task back; false if it was stolen. */
static inline bool pop(void)
{
    struct wsfj_line *line = stack->head.tail - 1;

    wsfj_publish_tail(&stack->head, line);
    return line >= stack->head.exposed || wsfj_deque_reclaim(stack, line);
}

static inline enum wsfj_steal steal(bool force)
{
    loot = (struct wsfj_loot){NULL, NULL, NULL};
    return wsfj_deque_steal(stack, force, NULL, &loot);
}

static inline long exposed(void)
{
    return stack->head.exposed - stack->lines;
}

static inline long first(void)
{
    return stack->first - stack->lines;
}

/* lines <= H <= E <= T of lib/task/deque.h. */
static inline void check_order(void)
{
    if (stack->first < stack->lines || stack->head.exposed < stack->first || stack->head.tail < stack->head.exposed ||
        stack->lock != 0)
        ck_abort_msg("H %ld, E %ld, T %ld, lock %u", first(), exposed(), (long)(stack->head.tail - stack->lines),
                     stack->lock);
}

#endif
