/* SPDX-License-Identifier: MIT */
/*
 * The contract between main.c, which measures, and a contender: one file for each runtime, which defines `contender`.
 * C11 and C++17. Go's program, go.go, has a main of its own that does the same.
 */
#ifndef BENCH_PEERS_SMALL_H
#define BENCH_PEERS_SMALL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void small_task(void *argument);

/* Where a loop is started: an ordinary thread, a task, or an ordinary thread in a phase that keeps workers awake. */
enum small_place { SMALL_OUTSIDE, SMALL_INSIDE, SMALL_PHASE };

/* What a runtime can do; NULL if it cannot. */
struct small_contender {
    /* Gets ready. If `beside` is 1, main's thread only submits, beside this many workers. Returns 0 or an errno. */
    int (*begin)(int workers, int beside);

    /* From a task, submits n tasks f(first + i), and returns when all of them are done. Called outside tasks. NULL: there
     * is no table of tasks. */
    void (*tasks)(long n, small_task *f, char *first);

    /* Calls f where submit may be called. NULL: main may call it. */
    void (*submitter)(void (*f)(void));

    /* Submits f(argument) to another worker, and calls wait, which returns when f has run. */
    void (*submit)(small_task *f, void *argument, void (*wait)(void));

    /* A loop with the iterations 0 to n - 1. */
    void (*loop)(long n, unsigned char *runs);

    /* Calls f(argument) at the place. Returns -1 if there is no such place, or 0. */
    int (*at)(enum small_place place, void (*f)(void *), void *argument);
};

extern const struct small_contender contender;

/* Steps of an iteration. A variable, so that the compiler does not unroll them. */
extern long small_iteration_steps;

#ifdef __cplusplus
}
#endif

/* One step after the other: a multiplication and an addition, 4 cycles. */
static inline void small_steps(long steps)
{
    unsigned long long x = (unsigned long long)steps;

    for (; steps > 0; steps--) {
        x = x * 6364136223846793005u + 1;
        __asm__ volatile("" : "+r"(x));
    }
}

/* The body of a loop: counts its runs if there is a place for that. */
static inline void small_iteration(unsigned char *runs, long i)
{
    if (runs)
        runs[i]++;
    small_steps(small_iteration_steps);
}

#endif
