/* SPDX-License-Identifier: MIT */
/* The registers that slow-path exits keep: lib/arch/x86_64/slow_path.c chooses the way, thunk.S saves them. Also with
 * the properties of other processors. */
#include "../support/run.h"

#if defined __x86_64__ && !defined __ILP32__

#include "arch/arch.h"
#include "arch/ticks.h"
#include "arch/x86_64/slow_path.h"
#include "sched/brief.h"
#include "task/stack.h"
#include <cpuid.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* XCR0 of processors, and their other answers. */
static const struct {
    const char *name;
    struct wsfj_processor says;
    struct wsfj_kept kept;
} processors[] = {
    {"no XGETBV", {0, 0, false, false, false}, {WSFJ_VECTORS_XMM, 0, 0, 0}},
    {"SSE only", {0x3, 576, false, false, true}, {WSFJ_VECTORS_XMM, 1, 0, 0}},
    {"AVX", {0x7, 832, false, false, false}, {WSFJ_VECTORS_YMM, 0, 0, 0}},
    {"AVX that the kernel does not save", {0x3, 832, false, false, true}, {WSFJ_VECTORS_XMM, 1, 0, 0}},
    {"AVX-512F without BW", {0xe7, 2688, true, false, true}, {WSFJ_VECTORS_ZMM, 1, 0, 0}},
    {"AVX-512BW", {0x2e7, 2440, true, true, true}, {WSFJ_VECTORS_ZMM_BW, 1, 0, 0}},
    {"AVX-512 that the kernel does not save", {0x7, 832, true, true, true}, {WSFJ_VECTORS_YMM, 1, 0, 0}},
    {"AVX-512 hidden by a hypervisor", {0xe7, 2688, false, false, true}, {WSFJ_VECTORS_YMM, 1, 0, 0}},
    {"AMX", {0x602e7, 11008, true, true, true}, {WSFJ_VECTORS_ZMM_BW, 1, 0x60000, 11008}},
    {"AMX, an odd area", {0x602e7, 10957, true, true, true}, {WSFJ_VECTORS_ZMM_BW, 1, 0x60000, 11008}},
    {"AMX without AVX-512", {0x60007, 11008, false, false, true}, {WSFJ_VECTORS_YMM, 1, 0x60000, 11008}},
};
#define PROCESSORS ((int)(sizeof processors / sizeof *processors))

/* Catches: exits that do not keep all registers of a processor, or that use instructions it does not have. */
START_TEST(what_is_kept_follows_processor_and_kernel)
{
    struct wsfj_kept kept = wsfj_slow_path_decide(&processors[_i].says), expected = processors[_i].kept;

    ck_assert_msg(kept.vectors == expected.vectors, "%s: %u", processors[_i].name, kept.vectors);
    ck_assert_msg(kept.asks_use == expected.asks_use, "%s: %u", processors[_i].name, kept.asks_use);
    ck_assert_msg(kept.by_xsave == expected.by_xsave, "%s: %x", processors[_i].name, kept.by_xsave);
    ck_assert_msg(kept.area == expected.area, "%s: %u", processors[_i].name, (unsigned)kept.area);
}
END_TEST

struct registers {
    _Alignas(64) unsigned long long v[32][8], k[8];
};

#define LIST_8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define LIST_16(X) LIST_8(X) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define LIST_32(X)                                                                                                     \
    LIST_16(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define LOAD_Y(n) "vmovups 64*" #n "(%0), %%ymm" #n "\n\t"
#define LOAD_Z(n) "vmovups 64*" #n "(%0), %%zmm" #n "\n\t"
#define LOAD_K(n) "kmovq 2048+8*" #n "(%0), %%k" #n "\n\t"
#define STORE_Y(n) "vmovups %%ymm" #n ", 64*" #n "(%1)\n\t"
#define STORE_Z(n) "vmovups %%zmm" #n ", 64*" #n "(%1)\n\t"
#define STORE_K(n) "kmovq %%k" #n ", 2048+8*" #n "(%1)\n\t"
#define ONES_Y(n) "vpcmpeqd %%ymm" #n ", %%ymm" #n ", %%ymm" #n "\n\t"
#define ONES_Z(n) "vpternlogd $255, %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define ONES_K(n) "kxnorq %%k" #n ", %%k" #n ", %%k" #n "\n\t"
#define CLOBBER_X(n) "xmm" #n,

static bool has_avx2, has_avx512, spoils;
static int clocks, full; /* how often the deque has read the clock, and the exit was a full one */

int __wrap_wsfj_sync_slow_local(struct wsfj_deque *deque, struct wsfj_descriptor *base, struct wsfj_descriptor *desc);
int __real_wsfj_sync_slow_local(struct wsfj_deque *deque, struct wsfj_descriptor *base, struct wsfj_descriptor *desc);

int __wrap_wsfj_sync_slow_local(struct wsfj_deque *deque, struct wsfj_descriptor *base, struct wsfj_descriptor *desc)
{
    full++;
    return __real_wsfj_sync_slow_local(deque, base, desc);
}

/* The exit of a sync at the newest descriptor (include/wsfj/inline/fastpath.h). */
#define SLOW_PATH_EXIT                                                                                                 \
    "leaq -128(%%rsp), %%rsp\n\tpushq %2\n\tpushq %3\n\tpushq %3\n\t"                                                  \
    "call *wsfj_sync_thunk@GOTPCREL(%%rip)\n\tleaq 152(%%rsp), %%rsp\n\t"
#ifdef __AVX512F__
#define HIGH_CLOBBER                                                                                                   \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",      \
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define HIGH_CLOBBER
#endif

static void pass(bool wide, const struct registers *in, struct registers *out)
{
    struct wsfj_stack *s = wsfj_stack_make(0, WSFJ_MODE_NORMAL);

    ck_assert_ptr_nonnull(s);
    clocks = full = 0;
    spoils = true;
    if (wide)
        __asm__ volatile(LIST_32(LOAD_Z) LIST_8(LOAD_K) SLOW_PATH_EXIT LIST_32(STORE_Z) LIST_8(STORE_K) "vzeroupper"
                         :
                         : "r"(in), "r"(out), "r"(&s->deque), "r"(s->bottom)
                         : LIST_16(CLOBBER_X) "cc", "memory" HIGH_CLOBBER);
    else
        __asm__ volatile(LIST_16(LOAD_Y) SLOW_PATH_EXIT LIST_16(STORE_Y) "vzeroupper"
                         :
                         : "r"(in), "r"(out), "r"(&s->deque), "r"(s->bottom)
                         : LIST_16(CLOBBER_X) "cc", "memory");
    spoils = false;
    wsfj_stack_destroy(s);
}

/* Replaces the C library's function; the deque reads the clock when its owner takes a public task back. Destroys the
 * registers, as any C function may: its callers save them. */
int clock_gettime(clockid_t id, struct timespec *t)
{
    int error = (int)syscall(SYS_clock_gettime, id, t);

    clocks++;
    if (spoils && has_avx512)
        __asm__ volatile(LIST_32(ONES_Z) LIST_8(ONES_K) : : : LIST_16(CLOBBER_X) "memory" HIGH_CLOBBER);
    else if (spoils)
        __asm__ volatile(LIST_16(ONES_Y) : : : LIST_16(CLOBBER_X) "memory");
    return error;
}

/* Ways to keep the registers that work on this processor, with the settings of another one. Processors with tiles save
 * those by XSAVE; here XSAVE saves the upper halves of the vectors instead. */
static const struct {
    const char *name;
    uint32_t vectors, by_xsave;
    bool wide;
    unsigned long long mask; /* of the bits of mask registers that are kept */
} ways[] = {
    {"ymm", WSFJ_VECTORS_YMM, 0, false, 0},
    {"ymm by XSAVE", WSFJ_VECTORS_XMM, 0x4, false, 0},
    {"zmm, masks of 16 bits", WSFJ_VECTORS_ZMM, 0, true, 0xffff},
    {"zmm, masks of 64 bits", WSFJ_VECTORS_ZMM_BW, 0, true, ~0ull},
    {"zmm and masks by XSAVE", WSFJ_VECTORS_XMM, 0xe4, true, ~0ull},
};
#define WAYS ((int)(sizeof ways / sizeof *ways))
#define FILLS 2 /* 0: zeros, which some processors report as not in use */

static void fill(struct registers *r, int i, bool ones)
{
    memset(r, 0, sizeof *r);
    for (int n = 0; ones && n < (ways[i].wide ? 32 : 16); n++)
        memset(r->v[n], 3 * n + 1, ways[i].wide ? 64 : 32);
    for (unsigned n = 0; ones && ways[i].wide && n < 8; n++)
        r->k[n] = (0x0123456789abcdefu * (n + 1)) & ways[i].mask;
}

/* Catches: a way that loses registers or parts of them, uses an area that is too small or that XRSTOR refuses, or does
 * not restore the stack pointer. */
START_TEST(each_way_to_keep_the_registers_keeps_them)
{
    int i = _i / (2 * FILLS);
    bool nonzero = _i % FILLS, asks = _i / FILLS % 2;
    struct registers in, out;
    unsigned a, b, c, d;

    if (ways[i].wide ? !has_avx512 : !has_avx2)
        return;
    wsfj_slow_path_find();

    struct wsfj_kept found = wsfj_kept;

    ck_assert(__get_cpuid_count(13, 0, &a, &b, &c, &d));
    wsfj_kept = (struct wsfj_kept){ways[i].vectors, asks && found.asks_use, ways[i].by_xsave,
                                   ways[i].by_xsave ? (b + 63u) & ~63u : 0};
    fill(&in, i, nonzero);
    memset(&out, 0, sizeof out);
    pass(ways[i].wide, &in, &out);
    ck_assert_int_ge(clocks, 1); /* and all registers were destroyed */
    for (int n = 0; n < 8; n++)
        out.k[n] &= ways[i].mask;
    /* An exit skips the components that XSAVE would save but that are not in use: they hold no values. */
    ck_assert_msg((ways[i].by_xsave && !nonzero) || memcmp(&in, &out, sizeof in) == 0, "%s", ways[i].name);
    wsfj_kept = found;
}
END_TEST

/* Catches: an exit that saves all registers though it need not, or that loses some when it does not. */
START_TEST(a_brief_exit_changes_no_register)
{
    int i = has_avx512 ? 3 : 0;
    struct registers in, out;

    if (!has_avx2 || !wsfj_brief_works)
        return;
    fill(&in, i, true);
    memset(&out, 0, sizeof out);
    wsfj_slow_path_find();
    store_relaxed(&wsfj_rough_counts, true); /* the time is read without a call */
    pass(ways[i].wide, &in, &out);
    store_relaxed(&wsfj_rough_counts, false);
    ck_assert_int_eq(full, 0);
    ck_assert(memcmp(&in, &out, sizeof in) == 0);
}
END_TEST

/* Catches: a deque in use before the exits know the processor. */
START_TEST(with_the_first_deque_the_exits_know)
{
    struct wsfj_stack *s = wsfj_stack_make(0, WSFJ_MODE_PRIVATE);

    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(wsfj_kept.vectors >= WSFJ_VECTORS_YMM, has_avx2);
    ck_assert_int_eq(wsfj_kept.vectors == WSFJ_VECTORS_ZMM_BW, has_avx512);
    wsfj_stack_destroy(s);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("slow_path");

    __builtin_cpu_init();
    has_avx2 = __builtin_cpu_supports("avx2");
    has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
    tcase_add_loop_test(tcase, what_is_kept_follows_processor_and_kernel, 0, PROCESSORS);
    tcase_add_test(tcase, with_the_first_deque_the_exits_know);
    tcase_add_test(tcase, a_brief_exit_changes_no_register);
    tcase_add_loop_test(tcase, each_way_to_keep_the_registers_keeps_them, 0, WAYS * 2 * FILLS);
    return run_case("slow_path", tcase);
}

#else

int main(void)
{
    return EXIT_SKIPPED; /* elsewhere an exit is a call, and the compiler saves the registers */
}

#endif
