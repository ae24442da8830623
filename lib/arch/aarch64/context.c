/* SPDX-License-Identifier: MIT */
/* AArch64: the first frame of a fresh stack, as wsfj_arch_switch (switch.S) will load it. Contract: lib/arch/context.h. */
#include "arch/context.h"

#if defined __aarch64__ && !defined WSFJ_SWITCH_PORTABLE

#include <string.h>

_Static_assert(offsetof(struct wsfj_context, sp) == 0, "switch.S");

void wsfj_arch_make(struct wsfj_context *context, void (*entry)(void *), void *argument)
{
    uintptr_t *sp = (uintptr_t *)wsfj_context_record(context) - 20;

    memset(sp, 0, 160);
    sp[1] = (uintptr_t)wsfj_context_start; /* x30 */
    sp[2] = (uintptr_t)entry;              /* x19 */
    sp[3] = (uintptr_t)argument;           /* x20 */
    context->sp = sp;
}

#endif
