/* SPDX-License-Identifier: MIT */
/*
 * Included first (-include) into files of tests that are to run in virtual time: what they call of the system becomes a
 * call of the simulator's engine, and their spinning is virtual work.
 */
#ifndef TESTS_SIM_INSIDE_H
#define TESTS_SIM_INSIDE_H

#include <wsfj/sim.h>

#include "calls.h"

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
