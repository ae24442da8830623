/* SPDX-License-Identifier: MIT */
/*
 * What the programs of bench/loops share: the work of the loops and the data they run on. Each runtime has one file of
 * loops (wsfj.c, openmp.c, tbb.cc); main.c measures one of them. C11 and C++17.
 */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A loop of n iterations. */
struct loop {
    const char *name;
    void (*run)(long n);
};

/* Those of this runtime; the last one has no name. */
extern const struct loop loops[];

/* Calls f(argument) at this place: "main", an ordinary thread; "task"; "phase", a thread in a ws_phase_begin() phase.
 * -1 if the runtime knows no such place. */
int loops_at(const char *place, void (*f)(void *), void *argument);

/* Arrays of at least n + 2 numbers each, the same values in every program. */
extern double *loop_a, *loop_b, *loop_c;

/* How many steps an iteration takes. */
extern uint32_t *loop_cost;

/* Where reductions leave their results, so that nothing is optimised away. */
extern volatile double loop_sum;

#ifdef __cplusplus
}
#endif

/* One step after the other, each of about a nanosecond. */
static inline void loop_steps(uint32_t steps)
{
    uint64_t x = steps;

    for (; steps > 0; steps--) {
        x = x * UINT64_C(6364136223846793005) + 1;
        __asm__ volatile("" : "+r"(x));
    }
}

/* About a nanosecond; independent of other iterations. */
static inline void loop_light(long i)
{
    uint64_t x = (uint64_t)i;

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    __asm__ volatile("" : : "r"(x));
}

/* About ten nanoseconds. */
static inline void loop_ten(long i)
{
    for (int k = 0; k < 10; k++)
        loop_light(i + k);
}

static inline void loop_empty(void)
{
    __asm__ volatile("");
}

/* 64 iterations, four of which have nearly all the work; and one that has half of it. */
#define LOOP_FEW_STEPS(i) ((i) >= 10 && (i) < 14 ? 200000u : 2000u)
#define LOOP_HALF_STEPS(i, n) ((i) == (n) / 2 ? 400u * (uint32_t)(n) : 400u)

#define LOOP_STENCIL_STEPS 1000
/* A variable: a compiler may do much with a constant that no program has. */
extern long loop_inner;

#endif
