/* SPDX-License-Identifier: MIT */
/*
 * What the C++ programs of this folder need of a test framework. They are built with other compilers and options than
 * the library, so they do not link Check; cxx.sh runs them. Each CHECK may stand in any thread. The program ends with
 * the number of failures.
 */
#ifndef TESTS_CXX_TEST_H
#define TESTS_CXX_TEST_H

#include <atomic>
#include <cstdio>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wsfj.h>

inline std::atomic<int> failures{0};
inline const char *running = "";

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition) && failures++ < 20)                                                                           \
            std::fprintf(stderr, "%s:%d: %s: '%s' does not hold\n", __FILE__, __LINE__, running, #condition);          \
    } while (0)

/* Not inlined: compilers keep thread-local addresses across a sync. */
__attribute__((noinline)) inline long this_thread()
{
    return syscall(SYS_gettid);
}

inline void await(const std::atomic<int> &counter, int value)
{
    while (counter.load() < value)
        sched_yield();
}

inline void end_runtime()
{
#ifndef WSFJ_SERIAL
    while (ws_fini() != 0)
        sched_yield();
#endif
}

/* Runs a test with a runtime of so many workers, and at most so many stacks. 0: the default. */
inline void with_workers(const char *name, size_t workers, void (*test)(), size_t stacks = 0)
{
    running = name;
#ifndef WSFJ_SERIAL
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.max_stacks = stacks;
    config.spin_us = 0; /* workers sleep soon, and callers of ws_run() take their places */
    CHECK(ws_init(&config) == 0);
#else
    (void)workers;
    (void)stacks;
#endif
    test();
    end_runtime();
}

/* Prints the line of totals. */
inline int ended(const char *program)
{
    std::printf("%s: %d failures\n", program, failures.load());
    return failures.load() != 0;
}

#endif
