/* SPDX-License-Identifier: MIT */
/*
 * Values in vector and mask registers survive a spawn or sync that takes a slow-path exit (lib/arch/x86_64/thunk.S).
 * The compiler takes both for a comparison and a jump: it keeps in registers what it would save over a call.
 */
#include "steals.h"
#include "workers.h"

#if defined __x86_64__ && !defined __ILP32__

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIST_8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define LIST_16(X) LIST_8(X) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define LIST_32(X)                                                                                                     \
    LIST_16(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

static bool has_avx512;
static unsigned long spoiled;

/* Any C function may do this to these registers, since its callers save them: fills all of them with ones. */
static void spoil(void)
{
#define SPOIL_Y(n) __asm__ volatile("vpcmpeqd %%ymm" #n ", %%ymm" #n ", %%ymm" #n : : : "xmm" #n);
#define SPOIL_Z(n) __asm__ volatile("vpternlogd $255, %%zmm" #n ", %%zmm" #n ", %%zmm" #n : : : "memory");
#define SPOIL_K(n) __asm__ volatile("kxnorq %%k" #n ", %%k" #n ", %%k" #n : : : "memory");
    LIST_16(SPOIL_Y)
    if (has_avx512) {
        LIST_32(SPOIL_Z)
        LIST_8(SPOIL_K)
    }
    (void)__atomic_fetch_add(&spoiled, 1, __ATOMIC_RELAXED);
}

/* Replaces the C library's function. The runtime reads the clock when it answers a request, when it takes a public task
 * back and when a worker searches: so every slow-path exit spoils the registers, with one worker for certain. */
int clock_gettime(clockid_t id, struct timespec *t)
{
    int error = (int)syscall(SYS_clock_gettime, id, t);

    spoil();
    return error;
}

/* Runs as long as a thief has the child: its parent is suspended meanwhile. */
#define TURNS 5000

/* So short that it is inlined at its sync: a call there would make the compiler save the registers. */
static WS_TASK(long, child, int *, begun)
{
    __atomic_store_n(begun, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < TURNS; i++)
        __builtin_ia32_pause();
    return 1;
}

static void await_thief(const int *begun)
{
    uint64_t end = now() + STEALS_NS;

    while (ws_num_workers() > 1 && !__atomic_load_n(begun, __ATOMIC_ACQUIRE) && now() < end)
        sched_yield();
}

typedef unsigned long long y __attribute__((vector_size(32), may_alias));
typedef unsigned long long z __attribute__((vector_size(64), may_alias));

struct values {
    _Alignas(64) unsigned long long v[32][8], k[8];
};

/* By width: as many values as there are registers. FULL: all are in registers here. HALF also tells the processor that
 * the upper parts, which are zero then, are not in use: thunk.S checks that. */
#define GET(T, i) T v##i = *(const T *)in->v[i];
#define PUT(T, i) *(T *)out->v[i] = v##i;
#define GET_Y(i) GET(y, i)
#define PUT_Y(i) PUT(y, i)
#define HOLD_Y(i) __asm__ volatile("" : "+x"(v##i));
#define GET_Z(i) GET(z, i)
#define PUT_Z(i) PUT(z, i)
#define HOLD_Z(i) __asm__ volatile("" : "+v"(v##i));
#define GET_K(i) unsigned long long k##i = in->k[i];
#define PUT_K(i) out->k[i] = k##i;
#define HOLD_K(i) __asm__ volatile("" : "+k"(k##i));
#define GET_ALL_Y LIST_16(GET_Y)
#define PUT_ALL_Y LIST_16(PUT_Y)
#define GET_ALL_Z LIST_32(GET_Z) LIST_8(GET_K)
#define PUT_ALL_Z LIST_32(PUT_Z) LIST_8(PUT_K)
#define FULL_Y LIST_16(HOLD_Y)
#define FULL_Z LIST_32(HOLD_Z) LIST_8(HOLD_K)
#define HALF_Y FULL_Y __asm__ volatile("vzeroupper");
#define HALF_Z FULL_Z __asm__ volatile("vzeroupper");

/* A single child, several children and a loop of them have slow-path exits of their own. A new stack has a request
 * waiting, so its first spawn takes the exit, and so does the sync of that child. */
#define ONE(BEFORE, AFTER)                                                                                             \
    BEFORE ws_spawn(child, &r[0], &begun);                                                                             \
    AFTER await_thief(&begun);                                                                                         \
    BEFORE ws_sync();                                                                                                  \
    AFTER
#define SEVERAL(BEFORE, AFTER)                                                                                         \
    BEFORE ws_spawn(child, &r[0], &begun);                                                                             \
    AFTER ws_spawn(child, &r[1], &other);                                                                              \
    await_thief(&begun);                                                                                               \
    BEFORE ws_sync();                                                                                                  \
    AFTER
#define LOOP(BEFORE, AFTER)                                                                                            \
    for (int i = 0; i < n; i++) {                                                                                      \
        BEFORE ws_spawn(child, &r[i], i ? &other : &begun);                                                            \
        AFTER                                                                                                          \
    }                                                                                                                  \
    await_thief(&begun);                                                                                               \
    BEFORE ws_sync();                                                                                                  \
    AFTER

#define ONE_CHILDREN 1
#define SEVERAL_CHILDREN 2
#define LOOP_CHILDREN 4
#define KEEPER(name, isa, W, exits, PARTS)                                                                             \
    __attribute__((target(isa), noinline)) static long keeper_##name(const struct values *in, struct values *out,      \
                                                                     int n)                                            \
    {                                                                                                                  \
        int begun = 0, other = 0;                                                                                      \
        long r[4] = {0};                                                                                               \
        ws_frame();                                                                                                    \
        GET_ALL_##W exits(PARTS##_##W, FULL_##W) PUT_ALL_##W;                                                          \
        (void)n, (void)other;                                                                                          \
        return r[0] + r[1] + r[2] + r[3];                                                                              \
    }                                                                                                                  \
    static WS_TASK(long, root_##name, const struct values *, in, struct values *, out, int, n)                         \
    {                                                                                                                  \
        return keeper_##name(in, out, n);                                                                              \
    }                                                                                                                  \
    static int run_##name(long *sum, const struct values *in, struct values *out)                                      \
    {                                                                                                                  \
        return ws_run(root_##name, sum, in, out, exits##_CHILDREN);                                                    \
    }
/* clang-format off */
#define KEEPERS(X)                                                                                                     \
    X(one_y, "avx2", Y, ONE, FULL) X(several_y, "avx2", Y, SEVERAL, FULL) X(loop_y, "avx2", Y, LOOP, FULL)             \
    X(half_one_y, "avx2", Y, ONE, HALF) X(half_several_y, "avx2", Y, SEVERAL, HALF)                                    \
    X(half_loop_y, "avx2", Y, LOOP, HALF)                                                                              \
    X(one_z, "avx512bw", Z, ONE, FULL) X(several_z, "avx512bw", Z, SEVERAL, FULL) X(loop_z, "avx512bw", Z, LOOP, FULL) \
    X(half_one_z, "avx512bw", Z, ONE, HALF) X(half_several_z, "avx512bw", Z, SEVERAL, HALF)                            \
    X(half_loop_z, "avx512bw", Z, LOOP, HALF)
KEEPERS(KEEPER)
/* clang-format on */
#define ENTRY(name, isa, W, exits, PARTS) {#name, run_##name, #W[0], #PARTS[0] == 'H', exits##_CHILDREN},
static const struct {
    const char *name;
    int (*run)(long *sum, const struct values *in, struct values *out);
    char width;
    bool half;
    int children;
} keepers[] = {KEEPERS(ENTRY)};
#define COUNT ((int)(sizeof keepers / sizeof *keepers)) /* the first half needs no AVX-512 */
#define REPEATS 20

static void fill(struct values *values, int i, int repeat)
{
    size_t size = keepers[i].width == 'Y' ? 32 : 64;

    memset(values, 0, sizeof *values);
    if (keepers[i].half && repeat % 4 == 0)
        return; /* all zero: not in use */
    for (int v = 0; v < (keepers[i].width == 'Y' ? 16 : 32); v++)
        memset(values->v[v], repeat + 1 + 7 * v, keepers[i].half ? 16 : size);
    for (int k = 0; k < 8 && keepers[i].width == 'Z'; k++)
        values->k[k] = 0x0123456789abcdefu * (unsigned)(k + 1);
}

/* Catches: an exit that loses registers or parts of them, or that leaves values of the called code or of another thread
 * in parts that were zero. */
START_TEST(vector_registers_live_on_over_spawns_and_syncs)
{
    int i = _i / WORKERS;
    struct values in, out;
    long sum;

    start(workers[_i % WORKERS]);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        unsigned long before = __atomic_load_n(&spoiled, __ATOMIC_RELAXED);

        fill(&in, i, repeat);
        memset(&out, 0, sizeof out);
        ck_assert_int_eq(keepers[i].run(&sum, &in, &out), 0);
        ck_assert_int_eq(sum, keepers[i].children);
        ck_assert_msg(memcmp(&in, &out, sizeof in) == 0, "%s", keepers[i].name);
        ck_assert_uint_gt(__atomic_load_n(&spoiled, __ATOMIC_RELAXED), before); /* an exit was taken */
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) {
        puts("skipped: this processor has no AVX2");
        return EXIT_SKIPPED;
    }
    has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");

    TCase *tcase = new_case("vectors");

    tcase_add_loop_test(tcase, vector_registers_live_on_over_spawns_and_syncs, 0,
                        (has_avx512 ? COUNT : COUNT / 2) * WORKERS);
    return run_case("vectors", tcase);
}

#else

int main(void)
{
    return EXIT_SKIPPED; /* elsewhere the exit is a call that the compiler knows */
}

#endif
