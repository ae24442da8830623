/* SPDX-License-Identifier: MIT */
#include "signals/frames.h"

uint32_t wsfj_frames_walk(struct wsfj_registers from, uintptr_t low, uintptr_t high, uintptr_t *pc, uint32_t most)
{
    uint32_t n = 0;
    uintptr_t bottom = from.sp > low && from.sp < high ? from.sp : low;

    if (from.pc)
        pc[n++] = from.pc;
    while (n < most && from.fp >= bottom) {
        struct wsfj_registers caller = wsfj_registers_caller(from.fp, low, high);

        if (!caller.pc)
            break;
        pc[n++] = caller.pc;
        bottom = from.fp + 1;
        from = caller;
    }
    return n;
}

uint32_t wsfj_frames_suspended(const struct wsfj_stack *s, uintptr_t *pc, uint32_t most)
{
    uintptr_t low = (uintptr_t)s->memory.low, high = low + s->memory.size;

    return wsfj_frames_walk(wsfj_registers_saved(&s->context, low, high), low, high, pc, most);
}
