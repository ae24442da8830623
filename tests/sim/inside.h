/* SPDX-License-Identifier: MIT */
/*
 * Included first (-include) into files of tests that are to run in virtual time: what they call of the system becomes a
 * call of the simulator's engine, and their spinning is virtual work.
 */
#ifndef TESTS_SIM_INSIDE_H
#define TESTS_SIM_INSIDE_H

#include "calls.h"

/* Of inlined code, too, each access is counted, and may be a point (as in virtual.h; a store of the tail is always one):
 * between a sync's store of the tail and its look at what is exposed, a thief may come. */
static inline __attribute__((always_inline)) void sim_inside_atomic(void)
{
    if (__builtin_expect(++engine_atomics >= engine_atomics_most, 0))
        engine_atomic_point();
}

#define __atomic_load_n(p, order) (sim_inside_atomic(), __atomic_load_n(p, order))
#define __atomic_exchange_n(p, v, order) (sim_inside_atomic(), __atomic_exchange_n(p, v, order))
#define __atomic_fetch_add(p, v, order) (sim_inside_atomic(), __atomic_fetch_add(p, v, order))
#define __atomic_fetch_sub(p, v, order) (sim_inside_atomic(), __atomic_fetch_sub(p, v, order))
#define __atomic_compare_exchange_n(p, expected, v, weak, success, failure)                                            \
    (sim_inside_atomic(), __atomic_compare_exchange_n(p, expected, v, weak, success, failure))

#include <wsfj/sim.h>

#define pthread_create(...) engine_create(__VA_ARGS__)
#define pthread_self() engine_self()
#define pthread_join(thread, result) engine_join(&sim_inside_join, thread)
#define sched_yield() engine_yield()
#define nanosleep(...) engine_sleep(__VA_ARGS__)
#define clock_gettime(...) engine_clock(__VA_ARGS__)

__attribute__((unused)) static struct engine_site sim_inside_join = {"a task", "join", "a thread", "tests/random",
                                                                     0,        NULL,   0,          0};

#include "../stress/stress.h"
#define spin(n) sim_work(n)

#endif
