/* SPDX-License-Identifier: MIT */
/* Frames as compilers lay them out for frame pointers, contexts as the stack switch saves them. Contract: frames.h. */
#include "arch/frames.h"

#include "base/atomic.h"

#include <ucontext.h>

/* With no_sanitize alone, clang still instruments atomic operations. */
#ifdef __has_attribute
#if __has_attribute(disable_sanitizer_instrumentation)
#define NOT_CHECKED __attribute__((no_sanitize("address"), disable_sanitizer_instrumentation))
#endif
#endif
#ifndef NOT_CHECKED
#define NOT_CHECKED __attribute__((no_sanitize("thread"), no_sanitize("address")))
#endif

/* A word of a stack that a thread may be writing to: any value will do. */
static NOT_CHECKED uintptr_t peek(uintptr_t at, uintptr_t low, uintptr_t high)
{
    if (at % sizeof at || at < low || at > high - sizeof at)
        return 0;
    return load_relaxed((const uintptr_t *)at);
}

#if defined __riscv
#define OLD_FP (-16)
#define RETURN (-8)
#else
#define OLD_FP 0
#define RETURN 8
#endif

/* Pointer authentication on aarch64 keeps a signature in the upper bits, from bit 39, 42 or 48 on. The kernel's
 * configuration decides which; the instruction below knows. */
static uintptr_t code_address(uintptr_t address)
{
#if defined __aarch64__
    __asm__("mov x30, %0\n\thint #7 /* xpaclri; of no effect where there are no signatures */\n\tmov %0, x30"
            : "+r"(address)
            :
            : "x30");
    return address & (((uintptr_t)1 << 48) - 1);
#else
    return address;
#endif
}

/* The caller's frame and the address to return to, from the frame pointer. 0 for what lies outside. */
static struct wsfj_registers caller(uintptr_t fp, uintptr_t low, uintptr_t high)
{
    return (struct wsfj_registers){.pc = code_address(peek(fp + (uintptr_t)RETURN, low, high)),
                                   .sp = fp,
                                   .fp = peek(fp + (uintptr_t)OLD_FP, low, high)};
}

struct wsfj_registers wsfj_frames_interrupted(const void *ucontext)
{
    const ucontext_t *u = ucontext;
    struct wsfj_registers r = {0, 0, 0};

#if defined __x86_64__
    r = (struct wsfj_registers){(uintptr_t)u->uc_mcontext.gregs[REG_RIP], (uintptr_t)u->uc_mcontext.gregs[REG_RSP],
                                (uintptr_t)u->uc_mcontext.gregs[REG_RBP]};
#elif defined __aarch64__
    r = (struct wsfj_registers){u->uc_mcontext.pc, u->uc_mcontext.sp, u->uc_mcontext.regs[29]};
#elif defined __riscv && defined __GLIBC__
    r = (struct wsfj_registers){u->uc_mcontext.__gregs[REG_PC], u->uc_mcontext.__gregs[REG_SP],
                                u->uc_mcontext.__gregs[REG_S0]};
#else
    (void)u;
#endif
    return r;
}

/* What the stack switch has saved. */
#ifdef WSFJ_SWITCH_PORTABLE
static NOT_CHECKED struct wsfj_registers saved(const struct wsfj_context *context, uintptr_t low, uintptr_t high)
{
    (void)low;
    (void)high;
    return wsfj_frames_interrupted(&context->portable);
}
#else
static NOT_CHECKED struct wsfj_registers saved(const struct wsfj_context *context, uintptr_t low, uintptr_t high)
{
    uintptr_t sp = (uintptr_t)load_relaxed(&context->sp);
    struct wsfj_registers r = {.sp = sp};

#if defined __x86_64__
    r.fp = peek(sp + 40, low, high); /* as switch.S pushes them */
    r.pc = peek(sp + 48, low, high);
#elif defined __aarch64__
    r.fp = peek(sp, low, high);
    r.pc = code_address(peek(sp + 8, low, high));
#endif
    return r;
}
#endif

uint32_t wsfj_frames_walk(struct wsfj_registers from, uintptr_t low, uintptr_t high, uintptr_t *pc, uint32_t most)
{
    uint32_t n = 0;
    uintptr_t bottom = from.sp > low && from.sp < high ? from.sp : low;

    if (from.pc)
        pc[n++] = from.pc;
    while (n < most && from.fp >= bottom) {
        struct wsfj_registers next = caller(from.fp, low, high);

        if (!next.pc)
            break;
        pc[n++] = next.pc;
        bottom = from.fp + 1;
        from = next;
    }
    return n;
}

uint32_t wsfj_frames_suspended(const struct wsfj_context *context, uintptr_t low, uintptr_t high, uintptr_t *pc,
                               uint32_t most)
{
    return wsfj_frames_walk(saved(context, low, high), low, high, pc, most);
}
