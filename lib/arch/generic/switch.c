/* SPDX-License-Identifier: MIT */
/*
 * The portable stack switch: ucontext. Slower than assembly (two system calls for the signal mask), the same behaviour
 * otherwise. Contract: lib/arch/context.h.
 */
#include "arch/context.h"

#ifdef WSFJ_SWITCH_PORTABLE

#include <signal.h>

/* makecontext() passes ints: a pointer goes in two halves. */
static void start(unsigned entry_high, unsigned entry_low, unsigned argument_high, unsigned argument_low)
{
    uintptr_t entry = (uintptr_t)((uint64_t)entry_high << 32 | entry_low);
    uintptr_t argument = (uintptr_t)((uint64_t)argument_high << 32 | argument_low);

    ((void (*)(void *))entry)((void *)argument);
}

/* The frame pointer with which the first function starts, where we know its place: walks along frame pointers find the
 * record then. Elsewhere they end somewhere below `start`. */
static void set_frame_pointer(ucontext_t *context, uintptr_t record)
{
#if defined __x86_64__ && defined REG_RBP
    context->uc_mcontext.gregs[REG_RBP] = (greg_t)record;
#elif defined __aarch64__
    context->uc_mcontext.regs[29] = record;
#else
    (void)context;
    (void)record;
#endif
}

void wsfj_arch_make(struct wsfj_context *context, void (*entry)(void *), void *argument)
{
    uint64_t e = (uintptr_t)entry, a = (uintptr_t)argument;

    getcontext(&context->portable);
    context->portable.uc_stack.ss_sp = context->stack_low;
    context->portable.uc_stack.ss_size = (uintptr_t)wsfj_context_record(context) - (uintptr_t)context->stack_low;
    context->portable.uc_link = NULL;
    makecontext(&context->portable, (void (*)(void))start, 4, (unsigned)(e >> 32), (unsigned)e, (unsigned)(a >> 32),
                (unsigned)a);
    set_frame_pointer(&context->portable, (uintptr_t)wsfj_context_record(context));
}

void wsfj_arch_switch(struct wsfj_context *from, struct wsfj_context *to)
{
    /* The mask stays with the thread: swapcontext() would bring that of the thread on which `to` was left. */
    pthread_sigmask(SIG_SETMASK, NULL, &to->portable.uc_sigmask);
    from->saved = 1;
    to->saved = 0;
    swapcontext(&from->portable, &to->portable);
}

#endif
