/* SPDX-License-Identifier: MIT */
/* Where a flow of control stands: a suspended one, or one that a signal has interrupted. By processor: arch/registers.c. */
#ifndef WSFJ_ARCH_REGISTERS_H
#define WSFJ_ARCH_REGISTERS_H

#include "arch/context.h"

/* 0: not known. */
struct wsfj_registers {
    uintptr_t pc, sp, fp;
};

/* Of a context that is not running. If it runs again meanwhile they mean nothing, but only memory from `low` to `high`
 * has been read. */
struct wsfj_registers wsfj_registers_saved(const struct wsfj_context *context, uintptr_t low, uintptr_t high);

/* Of what a handler with SA_SIGINFO has interrupted: its third argument. Async-signal-safe. */
struct wsfj_registers wsfj_registers_interrupted(const void *ucontext);

/* The caller's frame and the address it will return to, from the frame pointer. 0 if that lies outside. */
struct wsfj_registers wsfj_registers_caller(uintptr_t fp, uintptr_t low, uintptr_t high);

#endif
