/* SPDX-License-Identifier: MIT */
/* x86-64: the first frame of a fresh stack, as wsfj_arch_switch (switch.S) will pop it. Contract:
 * lib/arch/context.h. */
#include "arch/context.h"

#if defined __x86_64__ && !defined WSFJ_SWITCH_PORTABLE

_Static_assert(offsetof(struct wsfj_context, sp) == 0, "switch.S");

void wsfj_arch_make(struct wsfj_context *context, void (*entry)(void *), void *argument)
{
    uintptr_t *sp = (uintptr_t *)wsfj_context_record(context);

    /* After the return to wsfj_context_start rsp is that of the record, 16-aligned, as its call needs. */
    *--sp = (uintptr_t)wsfj_context_start;
    *--sp = 0;                   /* rbp */
    *--sp = 0;                   /* rbx */
    *--sp = (uintptr_t)entry;    /* r12 */
    *--sp = (uintptr_t)argument; /* r13 */
    *--sp = 0;                   /* r14 */
    *--sp = 0;                   /* r15 */
    context->sp = sp;
}

#endif
