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
extern "C" {
#endif

struct wsfj_descriptor;
void engine_tail_point(uintptr_t after, uintptr_t before);

/* Each store of a deque's tail is a moment at which virtual time goes on. */
static inline void engine_store_tail(struct wsfj_descriptor **at, struct wsfj_descriptor *tail)
{
    engine_tail_point((uintptr_t)tail, (uintptr_t)*at);
    __atomic_store_n(at, tail, __ATOMIC_RELEASE);
}
#define WSFJ_STORE_TAIL(at, tail) engine_store_tail(at, tail)
#ifndef WSFJ_NO_ASM
#define WSFJ_NO_ASM
#endif

#ifdef __cplusplus
}
#endif

#include "../wsfj.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where the simulation begins. `argv`: what follows `--` on the command line. */
int sim_main(int argc, char **argv);

/** Computes for so many nanoseconds of virtual time. */
void sim_work(uint64_t ns);

/** Sleeps for so many nanoseconds of virtual time, as a system call that waits: the thread has no CPU meanwhile. The
 * worker of a task waits with it, unless the task calls this in a blocking section. */
void sim_sleep(uint64_t ns);

/** The virtual time since the simulation began, in nanoseconds. */
uint64_t sim_time(void);

/**
 * Submits fn(arg) as worker number `worker` itself would: into its run queue, or half of that into the global queue
 * first if it is full. No real program can do this, because only a worker writes its queue; it is for programs that begin
 * with work in a given place. It takes no virtual time, except that it waits while the worker is in the middle of
 * changing a queue, and that it wakes a sleeper as ws_submit() does, that worker first. What one thread gives in a row
 * is therefore there before any worker runs on, if it gives it as soon as ws_init() has returned.
 *
 * @return 0; EINVAL if fn is NULL or there is no such worker (also: the runtime does not run); EAGAIN if its queue and
 *         the global queue are full. On an error fn does not run.
 */
int sim_give(unsigned worker, void (*fn)(void *arg), void *arg);

/** Tells the report the program's span: its longest chain of sim_work(), in nanoseconds. Said again, it is added. */
void sim_span(uint64_t ns);

/** Names the task that runs, for --log. Without this it has the name of its function. */
void sim_name(const char *name);

/** One latency for the report: how long something took that the program waited for. */
void sim_latency(uint64_t ns);

#ifdef __cplusplus
}
#endif

#endif
