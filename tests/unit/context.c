/* SPDX-License-Identifier: MIT */
/* Switching stacks: lib/arch/context.h. */
#include "arch/context.h"

#include "../support/run.h"
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE ((size_t)256 << 10)
#define SWITCHES 10000

static struct wsfj_context here, there;
static void *memory;

/* A switch orders nothing for ThreadSanitizer, which takes each stack for a thread of its own. The switch also hands
 * over what the two sides of a test share. */
static unsigned handed_over;

static void switch_to(struct wsfj_context *from, struct wsfj_context *to)
{
    (void)__atomic_fetch_add(&handed_over, 1, __ATOMIC_ACQ_REL);
    wsfj_context_switch(from, to);
    (void)__atomic_fetch_add(&handed_over, 1, __ATOMIC_ACQ_REL);
}

static void entered(void)
{
    wsfj_context_entered(&there);
    (void)__atomic_fetch_add(&handed_over, 1, __ATOMIC_ACQ_REL);
}

static void start(void (*entry)(void *), void *argument)
{
    memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    memset(&there, 0, sizeof there);
    wsfj_context_here(&here);
    wsfj_context_make(&there, memory, SIZE, entry, argument);
}

static void stop(void)
{
    wsfj_context_drop(&there);
    munmap(memory, SIZE);
}

/* Read and written where the compiler cannot see it: the sums below must live in registers or on the stack. */
static volatile uint64_t step = 1;
static volatile double half = 0.5;
static volatile uint64_t passes;

/* Twelve integers and four doubles, all live across each switch: more than a call preserves in registers. Returns how
 * many are wrong in the end. */
__attribute__((noinline)) static uint64_t keep(struct wsfj_context *from, struct wsfj_context *to, uint64_t seed)
{
    uint64_t a = seed, b = seed + 1, c = seed + 2, d = seed + 3, e = seed + 4, f = seed + 5, g = seed + 6, h = seed + 7,
             i = seed + 8, j = seed + 9, k = seed + 10, l = seed + 11;
    double w = (double)seed, x = w + 1, y = w + 2, z = w + 3;

    for (uint64_t n = 0; n < SWITCHES; n++) {
        passes++;
        switch_to(from, to);
        a += step, b += step, c += step, d += step, e += step, f += step;
        g += step, h += step, i += step, j += step, k += step, l += step;
        w += half, x += half, y += half, z += half;
    }
    seed += SWITCHES;
    w -= SWITCHES * 0.5, x -= SWITCHES * 0.5, y -= SWITCHES * 0.5, z -= SWITCHES * 0.5;
    return (uint64_t)(a != seed) + (b != seed + 1) + (c != seed + 2) + (d != seed + 3) + (e != seed + 4) +
           (f != seed + 5) + (g != seed + 6) + (h != seed + 7) + (i != seed + 8) + (j != seed + 9) + (k != seed + 10) +
           (l != seed + 11) + (x != w + 1) + (y != w + 2) + (z != w + 3) + (w != (double)(seed - SWITCHES));
}

static uint64_t wrong_there;

static void keep_there(void *argument)
{
    entered();
    wrong_there = keep(&there, &here, *(uint64_t *)argument);
    for (;;)
        switch_to(&there, &here);
}

/* Catches: a register that a call preserves and the switch does not. */
START_TEST(values_survive_ten_thousand_switches)
{
    uint64_t seed = (uint64_t)1 << 40;

    start(keep_there, &seed);
    ck_assert_uint_eq(keep(&here, &there, 7), 0);
    switch_to(&here, &there); /* the other side's last switch */
    ck_assert_uint_eq(wrong_there, 0);
    ck_assert_uint_eq(passes, 2 * SWITCHES);
    stop();
}
END_TEST

typedef float vector __attribute__((vector_size(16)));
static bool aligned;
static void *argument_seen;
static char argument_given;

__attribute__((noinline)) static bool vector_is_aligned(void)
{
    volatile vector local = {1, 2, 3, 4};
    vector copy = local + local; /* with movaps: faults if the stack is misaligned */

    local = copy;
    return (uintptr_t)&local % 16 == 0 && local[3] == 8;
}

static void look_at_the_stack(void *argument)
{
    entered();
    argument_seen = argument;
    aligned = vector_is_aligned();
#if defined __x86_64__ || defined __aarch64__
    aligned = aligned && (uintptr_t)__builtin_frame_address(0) % 16 == 0;
#endif
    for (;;)
        switch_to(&there, &here);
}

/* Catches: eight bytes too many or too few at the start of a stack: the first vector of a task would fault. */
START_TEST(a_fresh_stack_is_aligned_and_gets_its_argument)
{
    start(look_at_the_stack, &argument_given);
    switch_to(&here, &there);
    ck_assert(aligned);
    ck_assert_ptr_eq(argument_seen, &argument_given);
    stop();
}
END_TEST

#ifndef WSFJ_SWITCH_PORTABLE
static int rounding_seen;

static void change_rounding(void *argument)
{
    entered();
    (void)argument;
    for (;;) {
        rounding_seen = fegetround();
        fesetround(FE_DOWNWARD);
        switch_to(&there, &here);
    }
}

/* Catches: a switch that saves the control word: a task resumed on another thread would bring the old thread's word
 * along instead of the region's. (The portable switch cannot avoid it: swapcontext() does save it.) */
START_TEST(the_switch_leaves_the_rounding_mode_to_the_thread)
{
    start(change_rounding, NULL);
    fesetround(FE_UPWARD);
    switch_to(&here, &there);
    ck_assert_int_eq(rounding_seen, FE_UPWARD);
    ck_assert_int_eq(fegetround(), FE_DOWNWARD);
    fesetround(FE_TOWARDZERO);
    switch_to(&here, &there);
    ck_assert_int_eq(rounding_seen, FE_TOWARDZERO);
    stop();
}
END_TEST
#endif

static void *resume_there(void *argument)
{
    struct wsfj_context *loop = argument;

    wsfj_context_here(loop);
    switch_to(loop, &there);
    return NULL;
}

static struct wsfj_context *loop_of[2];
static pthread_t seen_on[2];

static void move(void *argument)
{
    (void)argument;
    entered();
    for (int i = 0; i < 2; i++) {
        seen_on[i] = pthread_self();
        switch_to(&there, loop_of[i]);
    }
    abort();
}

/* Catches: state of the first thread kept in the context. */
START_TEST(a_context_can_be_resumed_on_another_thread)
{
    struct wsfj_context loops[2];
    pthread_t threads[2];

    start(move, NULL);
    for (int i = 0; i < 2; i++) {
        loop_of[i] = &loops[i];
        ck_assert_int_eq(pthread_create(&threads[i], NULL, resume_there, &loops[i]), 0);
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    stop();
}
END_TEST

static bool is_saved(const struct wsfj_context *context)
{
#ifdef WSFJ_SWITCH_PORTABLE
    return context->saved != 0;
#else
    return context->sp != NULL;
#endif
}

static bool right_there;

static void look_there(void *argument)
{
    (void)argument;
    entered();
    for (;;) {
        right_there = is_saved(&here) && !is_saved(&there);
        switch_to(&there, &here);
    }
}

/* Catches: a debugger that takes stale registers for those of a running context. */
START_TEST(a_context_that_runs_is_not_saved)
{
    start(look_there, NULL);
    for (int i = 0; i < 2; i++) {
        right_there = false;
        switch_to(&here, &there);
        ck_assert(right_there && !is_saved(&here) && is_saved(&there));
    }
    stop();
}
END_TEST

#if defined __x86_64__ && !defined WSFJ_SWITCH_PORTABLE && !WSFJ_ASAN && !WSFJ_TSAN
/* The registers that a call may overwrite, besides the asm statement's own. */
#ifdef __AVX512F__
#define OVERWRITTEN_512                                                                                                \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",      \
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define OVERWRITTEN_512
#endif
#define OVERWRITTEN                                                                                                    \
    "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",  \
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" OVERWRITTEN_512

/* Exactly the six registers, whatever the compiler does with them. Returns how many have changed. */
__attribute__((noinline)) static uint64_t registers(struct wsfj_context *from, struct wsfj_context *to, uint64_t seed)
{
    uint64_t in[6], out[6], wrong = 0, *p = in, *q = out;
    void (*call)(struct wsfj_context *, struct wsfj_context *) = wsfj_context_switch;

    for (unsigned i = 0; i < 6; i++)
        in[i] = seed + i;
    /* Below the red zone, aligned: the old stack pointer and seven registers keep it aligned. */
    __asm__ volatile("movq %%rsp, %%r8\n\tleaq -128(%%rsp), %%rsp\n\tandq $-16, %%rsp\n\tpushq %%r8\n\t"
                     "pushq %%rbx\n\tpushq %%rbp\n\tpushq %%r12\n\tpushq %%r13\n\tpushq %%r14\n\tpushq %%r15\n\t"
                     "pushq %%rcx\n\t"
                     "movq 0(%%rdx), %%rbx\n\tmovq 8(%%rdx), %%rbp\n\tmovq 16(%%rdx), %%r12\n\t"
                     "movq 24(%%rdx), %%r13\n\tmovq 32(%%rdx), %%r14\n\tmovq 40(%%rdx), %%r15\n\t"
                     "call *%%rax\n\t"
                     "popq %%rcx\n\t"
                     "movq %%rbx, 0(%%rcx)\n\tmovq %%rbp, 8(%%rcx)\n\tmovq %%r12, 16(%%rcx)\n\t"
                     "movq %%r13, 24(%%rcx)\n\tmovq %%r14, 32(%%rcx)\n\tmovq %%r15, 40(%%rcx)\n\t"
                     "popq %%r15\n\tpopq %%r14\n\tpopq %%r13\n\tpopq %%r12\n\tpopq %%rbp\n\tpopq %%rbx\n\tpopq %%rsp"
                     : "+D"(from), "+S"(to), "+d"(p), "+c"(q), "+a"(call)
                     :
                     : OVERWRITTEN);
    for (unsigned i = 0; i < 6; i++)
        wrong += out[i] != seed + i;
    return wrong;
}
static uint64_t registers_wrong;

static void registers_there(void *argument)
{
    (void)argument;
    for (;;)
        registers_wrong += registers(&there, &here, (uint64_t)1 << 50);
}

/* Catches: the same as values_survive_ten_thousand_switches, but for each register by name. */
START_TEST(each_preserved_register_is_preserved)
{
    start(registers_there, NULL);
    for (int i = 0; i < SWITCHES; i++)
        ck_assert_uint_eq(registers(&here, &there, 1000), 0);
    ck_assert_uint_eq(registers_wrong, 0);
    stop();
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("context");

    tcase_add_test(tcase, values_survive_ten_thousand_switches);
    tcase_add_test(tcase, a_fresh_stack_is_aligned_and_gets_its_argument);
#ifndef WSFJ_SWITCH_PORTABLE
    tcase_add_test(tcase, the_switch_leaves_the_rounding_mode_to_the_thread);
#endif
    tcase_add_test(tcase, a_context_can_be_resumed_on_another_thread);
    tcase_add_test(tcase, a_context_that_runs_is_not_saved);
#if defined __x86_64__ && !defined WSFJ_SWITCH_PORTABLE && !WSFJ_ASAN && !WSFJ_TSAN
    tcase_add_test(tcase, each_preserved_register_is_preserved);
#endif
    return run_case("context", tcase);
}
