/* SPDX-License-Identifier: MIT */
/*
 * Makes a join that is suspended and goes on on another thread, on machines of any speed. Needs a runtime with two
 * workers: the child is stolen before the sync, and ends only when the parent's worker is busy with another task.
 *
 * The flags are relaxed, so a sanitizer sees only the library's order.
 */
#ifndef TESTS_SANITIZERS_ELSEWHERE_H
#define TESTS_SANITIZERS_ELSEWHERE_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wsfj.h>

struct elsewhere {
    int child_runs, other_runs, resumed;
    ws_group others;
};

static inline void raise_flag(int *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

static inline void await_flag(const int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_RELAXED))
        sched_yield();
}

static inline void must(int holds, const char *what)
{
    if (!holds) {
        printf("wrong: %s\n", what);
        exit(1);
    }
}

static inline void start_workers(size_t n)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = n;
    must(ws_init(&config) == 0 && ws_num_workers() == n, "the runtime starts");
}

/* The first call of the child, and its last one. */
static inline void elsewhere_child_begins(struct elsewhere *e)
{
    raise_flag(&e->child_runs);
}

static inline void elsewhere_child_ends(const struct elsewhere *e)
{
    await_flag(&e->other_runs);
}

static inline void elsewhere_other(void *arg)
{
    struct elsewhere *e = (struct elsewhere *)arg;

    raise_flag(&e->other_runs);
    await_flag(&e->resumed);
}

/* The parent calls this between spawn and sync, and uses the value after the sync. */
static inline long elsewhere_before_sync(struct elsewhere *e)
{
    await_flag(&e->child_runs);
    must(ws_group_submit(&e->others, elsewhere_other, e) == 0, "ws_group_submit");
    return syscall(SYS_gettid);
}

static inline void elsewhere_after_sync(struct elsewhere *e, long before)
{
    must(syscall(SYS_gettid) != before, "the join goes on on another thread");
    raise_flag(&e->resumed);
    must(ws_group_wait(&e->others) == 0, "ws_group_wait");
}

#endif
