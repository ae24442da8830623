/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Programs for the simulator, wsfj-sim. Include this file instead of wsfj.h, name the first function sim_main() instead
 * of main(), call sim_work() where the program would compute, and link with -lwsfj-sim (and -lhwloc) instead of -lwsfj:
 *
 * @code{.c}
 * #include <wsfj/sim.h>
 *
 * WS_TASK(long, fib, long, n)
 * {
 *     long x, y;
 *
 *     if (n < 2) {
 *         sim_work(10000); // 10 us
 *         return n;
 *     }
 *     ws_spawn(fib, &x, n - 1);
 *     y = ws_call(fib, n - 2);
 *     ws_sync();
 *     return x + y;
 * }
 *
 * int sim_main(int argc, char **argv)
 * {
 *     long result;
 *
 *     return ws_run(fib, &result, 20);
 * }
 * @endcode
 *
 * The program is then a simulator of itself: `./program --workers 64 --machine 'pack:2 core:32 pu:1' -- arguments`.
 */
#ifndef WSFJ_SIM_H
#define WSFJ_SIM_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#ifdef WSFJ_H
#error "include <wsfj/sim.h> before <wsfj.h>"
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
    void
    engine_tail_point(void);

/* The only atomic stores of the inlined code that count are those of a deque's tail: each is a moment at which virtual
 * time goes on. */
#ifndef WSFJ_NO_ASM
#define WSFJ_NO_ASM
#endif
#define __atomic_store_n(p, v, order)                                                                                  \
    (__builtin_strcmp(#p, "&wsfj_deque->wsfj_tail") == 0 ? engine_tail_point() : (void)0, __atomic_store_n(p, v, order))
#include "../wsfj.h"
#undef __atomic_store_n

#ifdef __cplusplus
extern "C" {
#endif

/** Where the simulation begins. `argv`: what follows `--` on the command line. */
int sim_main(int argc, char **argv);

/** Computes for so many nanoseconds of virtual time. */
void sim_work(uint64_t ns);

/** The virtual time since the simulation began, in nanoseconds. */
uint64_t sim_time(void);

#ifdef __cplusplus
}
#endif

#endif
