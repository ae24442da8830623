/* SPDX-License-Identifier: MIT */
/*
 * Return addresses of a stack's frames, along the chain of frame pointers. What is on the stack is believed only so far:
 * every read lies between the bounds, and the chain goes up. Async-signal-safe.
 */
#ifndef WSFJ_SIGNALS_FRAMES_H
#define WSFJ_SIGNALS_FRAMES_H

#include "arch/registers.h"
#include "task/stack.h"

/* Where the control flow stands, then the return addresses, newest first; how many, at most `most`. Code without frame
 * pointers ends the chain, or misses its caller. */
uint32_t wsfj_frames_walk(struct wsfj_registers from, uintptr_t low, uintptr_t high, uintptr_t *pc, uint32_t most);

/* Of a suspended strand. It may go on meanwhile, and then they mean nothing. */
uint32_t wsfj_frames_suspended(const struct wsfj_stack *stack, uintptr_t *pc, uint32_t most);

#endif
