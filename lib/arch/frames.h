/* SPDX-License-Identifier: MIT */
/*
 * Return addresses of a stack's frames, along the chain of frame pointers. Any value may lie on the stack: every read
 * stays between the bounds `low` and `high`, and the walk only goes up. By processor: frames.c. Async-signal-safe.
 */
#ifndef WSFJ_ARCH_FRAMES_H
#define WSFJ_ARCH_FRAMES_H

#include "arch/context.h"

/* Where a flow of control stands. 0: not known. */
struct wsfj_registers {
    uintptr_t pc, sp, fp;
};

/* What a handler with SA_SIGINFO has interrupted, from the handler's third argument. */
struct wsfj_registers wsfj_frames_interrupted(const void *ucontext);

/* Stores `from.pc`, then the return addresses, newest first, at most `most`. Returns how many. Code without frame
 * pointers ends the chain, or its caller is missing. */
uint32_t wsfj_frames_walk(struct wsfj_registers from, uintptr_t low, uintptr_t high, uintptr_t *pc, uint32_t most);

/* The same for a suspended context. If it is resumed meanwhile, the addresses mean nothing. */
uint32_t wsfj_frames_suspended(const struct wsfj_context *context, uintptr_t low, uintptr_t high, uintptr_t *pc,
                               uint32_t most);

#endif
