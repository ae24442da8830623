/* SPDX-License-Identifier: MIT */
/*
 * Tasks compiled for AVX: the compiler moves their arguments and results with instructions that fault if a value is not
 * aligned as its type says. Neighbour: values.c, types without this need.
 */
#include "steals.h"
#include "workers.h"

#include <stdio.h>

#define SKIPPED 77
#define REPEATS 5
#define CHILDREN 6

#if defined __x86_64__ && !defined __ILP32__

/* A frame with children of two kinds: some are run through their descriptors. */
#define TASKS(name, words)                                                                                             \
    typedef unsigned long long name __attribute__((vector_size(8 * words)));                                           \
    static WS_TASK(name, sum_##name, char, before, name, a)                                                            \
    {                                                                                                                  \
        steals_in();                                                                                                   \
        name sum = a + (unsigned long long)before;                                                                     \
        steals_out();                                                                                                  \
        return sum;                                                                                                    \
    }                                                                                                                  \
    __attribute__((noinline)) static long parent_##name(unsigned long long seed)                                       \
    {                                                                                                                  \
        long wrong = 0;                                                                                                \
        char small[CHILDREN];                                                                                          \
        name a = seed - (name){0}, r[CHILDREN];                                                                        \
        ws_frame();                                                                                                    \
        for (unsigned i = 0; i < CHILDREN; i++) {                                                                      \
            ws_spawn(small_one, &small[i], (char)i);                                                                   \
            ws_spawn(sum_##name, &r[i], (char)i, a);                                                                   \
        }                                                                                                              \
        steals_wait(2);                                                                                                \
        ws_sync();                                                                                                     \
        for (unsigned i = 0; i < CHILDREN; i++) {                                                                      \
            for (unsigned w = 0; w < words; w++)                                                                       \
                wrong += r[i][w] != seed + i;                                                                          \
            wrong += small[i] != (char)i;                                                                              \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }

static WS_TASK(char, small_one, char, c)
{
    steals_in();
    steals_out();
    return c;
}

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
TASKS(ymm, 4)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
TASKS(zmm, 8)
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx2")
TASKS(ymm, 4)
#pragma GCC target("avx512f")
TASKS(zmm, 8)
#pragma GCC pop_options
#endif

static WS_TASK(long, root, int, with_zmm, unsigned long long, seed)
{
    return with_zmm ? parent_zmm(seed) : parent_ymm(seed);
}

/* Catches: an over-aligned value in a descriptor, whose words are aligned to 16 bytes, or in a block that is aligned to
 * less than the value. */
START_TEST(values_are_aligned_as_their_type_says)
{
    long wrong;

    start(workers[_i % WORKERS]);
    for (unsigned mode = 0; mode < STEALS_MODES; mode++) {
        for (unsigned i = 0; i < REPEATS; i++) {
            steals_begin((enum steals_mode)mode);
            ck_assert_int_eq(ws_run(root, &wrong, _i / WORKERS, i * 1234567ull), 0);
            ck_assert_int_eq(wrong, 0);
        }
    }
    ck_assert(steals() > 0 || ws_num_workers() == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) {
        puts("skipped: this processor has no AVX2");
        return SKIPPED;
    }

    TCase *tcase = new_case("wide");

    tcase_add_loop_test(tcase, values_are_aligned_as_their_type_says, 0,
                        (__builtin_cpu_supports("avx512f") ? 2 : 1) * WORKERS);
    return run_case("wide", tcase);
}

#else

int main(void)
{
    return SKIPPED;
}

#endif
