/* SPDX-License-Identifier: MIT */
/*
 * For the simulator: everything that touches the real machine becomes a call of the engine: threads and what belongs to
 * a thread, processors and masks, clocks, the files of /proc and /sys, and the environment. Memory, signal handlers and
 * other files stay real. Only for prelude.h.
 *
 * An atomic access stays the built-in that it is. It is counted before, and paid at the next point; with
 * --points=atomics each is a point. A store of a deque's tail in inlined code is always such a point, and has the cost
 * of a spawn.
 */
#ifndef TOOLS_PRELUDE_VIRTUAL_H
#define TOOLS_PRELUDE_VIRTUAL_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* A function, because an expression may have several accesses. */
static inline __attribute__((always_inline)) void engine_atomic(const volatile void *p, enum engine_access access)
{
    if (access == ENGINE_CHANGE)
        engine_changes++;
    if (__builtin_expect(engine_lines, 0))
        engine_line(p, access);
    if (__builtin_expect(++engine_atomics >= engine_atomics_most, 0))
        engine_atomic_point();
}

/* Before __atomic_store_n() gets its other meaning. */
struct wsfj_descriptor;
static inline __attribute__((always_inline)) void engine_store_tail(struct wsfj_descriptor **at,
                                                                    struct wsfj_descriptor *tail)
{
    engine_tail_point((uintptr_t)tail, (uintptr_t)*at);
    __atomic_store_n(at, tail, __ATOMIC_RELEASE);
}
#define WSFJ_STORE_TAIL(at, tail) engine_store_tail(at, tail)

/* A pointer is evaluated once, for it may have accesses of its own; under a name that no pointer within it has. */
#define ENGINE_JOINED(a, b) a##b
#define ENGINE_NAMED(number) ENGINE_JOINED(engine_at_, number)
#define ENGINE_NAME() ENGINE_NAMED(__COUNTER__)
#define ENGINE_ACCESS(at, p, access, operation, ...)                                                                   \
    __extension__({                                                                                                    \
        __typeof__(p) at = (p);                                                                                        \
        engine_atomic(at, access);                                                                                     \
        operation(at, __VA_ARGS__);                                                                                    \
    })

#define __atomic_load_n(p, order) ENGINE_ACCESS(ENGINE_NAME(), p, ENGINE_LOAD, __atomic_load_n, order)
#define __atomic_store_n(p, v, order) ENGINE_ACCESS(ENGINE_NAME(), p, ENGINE_STORE, __atomic_store_n, v, order)
#define __atomic_exchange_n(p, v, order) ENGINE_ACCESS(ENGINE_NAME(), p, ENGINE_CHANGE, __atomic_exchange_n, v, order)
#define __atomic_fetch_add(p, v, order) ENGINE_ACCESS(ENGINE_NAME(), p, ENGINE_CHANGE, __atomic_fetch_add, v, order)
#define __atomic_fetch_sub(p, v, order) ENGINE_ACCESS(ENGINE_NAME(), p, ENGINE_CHANGE, __atomic_fetch_sub, v, order)
#define __atomic_fetch_or(p, v, order) ENGINE_ACCESS(ENGINE_NAME(), p, ENGINE_CHANGE, __atomic_fetch_or, v, order)
#define __atomic_fetch_and(p, v, order) ENGINE_ACCESS(ENGINE_NAME(), p, ENGINE_CHANGE, __atomic_fetch_and, v, order)
#define __atomic_compare_exchange_n(p, expected, v, weak, success, failure)                                            \
    ENGINE_ACCESS(ENGINE_NAME(), p, ENGINE_CHANGE, __atomic_compare_exchange_n, expected, v, weak, success, failure)

#define pthread_create(...) engine_create(__VA_ARGS__)
#define pthread_self() engine_self()
#define pthread_cond_signal(c) engine_signal(ENGINE_SITE("signal", #c), c)
#define pthread_mutex_init(m, attributes) engine_mutex_init(m)
#define pthread_cond_init(c, attributes) engine_cond_init(c)
#define pthread_once(...) engine_once(__VA_ARGS__)
#define pthread_key_create(...) engine_key_create(__VA_ARGS__)
#define pthread_key_delete(key) engine_key_delete(key)
#define pthread_getspecific(key) engine_key_get(key)
#define pthread_setspecific(...) engine_key_set(__VA_ARGS__)
#define pthread_setcancelstate(...) engine_cancel_state(__VA_ARGS__)
#define pthread_detach(id) engine_detach(id)
#define pthread_setname_np(...) engine_name(__VA_ARGS__)
#define pthread_sigmask(...) engine_sigmask(__VA_ARGS__)
#define pthread_getattr_np(...) engine_attributes(__VA_ARGS__)
#define pthread_getcpuclockid(...) engine_cpu_clock(__VA_ARGS__)
#define pthread_setaffinity_np(...) engine_bind(__VA_ARGS__)
#define sigaltstack(...) engine_altstack(__VA_ARGS__)
#define clock_gettime(...) engine_clock(__VA_ARGS__)
#define nanosleep(...) engine_sleep(__VA_ARGS__)
#define getpid() engine_pid()
#define getppid() engine_pid() /* there is one process */
#define sched_getcpu() engine_cpu()
#define sched_getaffinity(...) engine_mask_get(__VA_ARGS__)
#define sched_setaffinity(...) engine_mask_set(__VA_ARGS__)
#define getrusage(who, usage) ((void)(who), engine_usage(usage))
#define open(...) engine_open(AT_FDCWD, __VA_ARGS__)
#define openat(...) engine_open(__VA_ARGS__)
/* Nothing comes from outside, so the epoll set stays empty. poll(2) waits for the time and the one eventfd. */
#define epoll_create1(flags) ((void)(flags), ENGINE_EPOLL)
#define eventfd(count, flags) ((void)(count), (void)(flags), ENGINE_EVENTS)
#define eventfd_write(fd, count) engine_poke(fd, count)
#define eventfd_read(fd, count) engine_poked(fd, count)
#define epoll_ctl(set, change, fd, event) ((void)(change), (void)(event), engine_watch(set, fd))
#define epoll_wait(set, events, most, ms) ((void)(set), (void)(events), (void)(most), (void)(ms), 0)
#define ppoll(fds, n, most, mask) engine_poll(fds, n, most)
#define secure_getenv(name) engine_getenv(name)
/* chaos.c delays a thread in the middle of something. */
#define WSFJ_CHAOS_DELAY(call) ((void)(engine_delay(true) && ((void)(call), engine_delay(false))))
#define process_vm_readv(pid, ...) engine_read_memory(__VA_ARGS__)

/* Of hwloc; the engine has these two (tools/sim/machine.c). The header, included later, declares them. */
#define hwloc_topology_load(...) engine_hwloc_load(__VA_ARGS__)
#define hwloc_topology_is_thissystem(...) engine_hwloc_is_here(__VA_ARGS__)

/* The probes tell the engine of every event. */
#include "task/event.h"
#undef WSFJ_PROBE
#define WSFJ_PROBE(name, worker, detail, a, b, c)                                                                      \
    engine_event(WSFJ_EVENT_##name, worker, (unsigned)(detail), (uint32_t)(a), (uint32_t)(b), (uint32_t)(c))

#include "arch/ticks.h"
#define wsfj_ticks(count) ((void)(count), engine_now())

#endif
