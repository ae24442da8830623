/* SPDX-License-Identifier: MIT */
/*
 * The contract of the stack switch, the same on every architecture.
 *
 * A context is a suspended flow of control on a stack of its own. It holds the registers that a function must preserve.
 * It does not hold the signal mask and the floating-point control word, which belong to the thread; a worker sets the
 * control word of the thread that started the region (fpenv.h).
 *
 * Implementations: arch/x86_64/switch.S, arch/aarch64/switch.S, arch/generic/switch.c (ucontext). Only context.c and
 * asan.c tell the sanitizers and Valgrind.
 */
#ifndef WSFJ_ARCH_CONTEXT_H
#define WSFJ_ARCH_CONTEXT_H

#include "base/base.h"

#ifdef WSFJ_SWITCH_PORTABLE
#include <ucontext.h>
#endif

/* 1: a switch gives the thread the floating-point control word that the context had when it was left. */
#ifdef WSFJ_SWITCH_PORTABLE
#define WSFJ_SWITCH_BRINGS_MODES 1
#else
#define WSFJ_SWITCH_BRINGS_MODES 0
#endif

struct wsfj_context {
#ifdef WSFJ_SWITCH_PORTABLE
    ucontext_t portable;
    uintptr_t saved; /* 0: the context runs */
#else
    void *sp; /* NULL: the context runs */
#endif
    /* The stack of this context: for the sanitizers and for the frame record below. A thread's own stack: size 0 if it
     * is not known. */
    void *stack_low;
    size_t stack_size;
    void *fiber;      /* ThreadSanitizer's; made with the context, or stored by a switch away */
    const void *slot; /* shared with other fibers, one after the other (wsfj_context_share_slot); NULL: none */
    /* Written by asan.c only. */
    void *fake_stack; /* when the context was last left; NULL: none */
    char *shown;      /* the stack from here on is shown to LeakSanitizer; NULL: nothing is */
};

/*
 * The frame record on top of a context's stack, as if a function with a frame pointer had called the context's first
 * function; the same on x86-64 and aarch64. Profilers that follow frame pointers (perf) read it at any time while a
 * task runs: `next` is NULL or a record that does not change while the context runs. unwind_link.c fills the record in.
 */
struct wsfj_record {
    const void *next; /* the record of the caller's frame */
    const void *code; /* an address in the caller's code */
};

static inline struct wsfj_record *wsfj_context_record(const struct wsfj_context *context)
{
    uintptr_t top = ((uintptr_t)context->stack_low + context->stack_size) & ~(uintptr_t)15;

    return (struct wsfj_record *)top - 1;
}

/* A fresh context that calls entry(argument) on the given stack; the entry never returns. */
void wsfj_context_make(struct wsfj_context *context, void *low, size_t size, void (*entry)(void *), void *argument);

/* Makes a suspended context anew, after its stack has lost the frames saved there. Not for builds with ThreadSanitizer,
 * whose records would still describe the lost frames. */
void wsfj_context_renew(struct wsfj_context *context, void (*entry)(void *), void *argument);

/* Releases what the sanitizers keep of a suspended context. */
void wsfj_context_drop(struct wsfj_context *context);

/* Makes the calling thread a context, with its own stack. The switch away from it stores all there is. */
static inline void wsfj_context_here(struct wsfj_context *context)
{
    context->stack_size = 0;
    context->slot = NULL;
}

/* For ThreadSanitizer: what this context did comes before what the next user of `slot` does. A switch away does the
 * same. */
void wsfj_context_share_slot(struct wsfj_context *context);

/* Suspends the caller in `from` and resumes `to`. Returns when `from` is resumed, possibly on another thread. Which
 * function it is depends on the sanitizer in the process: it is chosen when the first context is made, before the first
 * switch, then constant. */
extern WSFJ_HIDDEN void (*wsfj_context_switch)(struct wsfj_context *from, struct wsfj_context *to);

/* An entry function calls this first. */
void wsfj_context_entered(struct wsfj_context *context);

/* The switch itself, one for each processor. Only for context.c and what it chooses. */

/* Prepares a context whose stack is known: the first switch to it calls entry(argument). */
void wsfj_arch_make(struct wsfj_context *context, void (*entry)(void *), void *argument);

/* wsfj_context_switch() in a process without a sanitizer. Stores that `from` is saved and that `to` runs. */
void wsfj_arch_switch(struct wsfj_context *from, struct wsfj_context *to);

#ifndef WSFJ_SWITCH_PORTABLE
void wsfj_context_start(void);
void wsfj_context_between(void);
#endif

/* What AddressSanitizer and LeakSanitizer are told (asan.c). For context.c; the simulator asks the first one. */

/* Whether switches must be told. The answer does not change. */
bool wsfj_asan_is_here(void);

void wsfj_asan_make(struct wsfj_context *context);
void wsfj_asan_renew(struct wsfj_context *context); /* the stack has lost its frames */
void wsfj_asan_drop(struct wsfj_context *context);  /* and the context is not resumed again */

/* wsfj_context_switch() and wsfj_context_entered() where wsfj_asan_is_here(). */
void wsfj_asan_switch(struct wsfj_context *from, struct wsfj_context *to);
void wsfj_asan_entered(struct wsfj_context *context);

#endif
