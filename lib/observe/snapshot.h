/* SPDX-License-Identifier: MIT */
/*
 * Reads the running runtime from outside, for schedtrace.c, dump.c and watchdog.c. All loads are atomic; each value may
 * be stale at once, and no two are of one moment. Only pointers to what stays are followed: workers and stacks stay
 * until the runtime stops, kinds of tasks as long as their program.
 */
#ifndef WSFJ_OBSERVE_SNAPSHOT_H
#define WSFJ_OBSERVE_SNAPSHOT_H

#include "base/base.h"
#include "observe/textbuf.h"

#include <sys/types.h>

struct wsfj_stack;
struct wsfj_worker;
struct wsfj_snapshot {
    const char *state;        /* running, searching, parked or retired */
    bool guest;               /* a caller of ws_run() serves the worker */
    struct wsfj_stack *stack; /* what runs; NULL: nothing */
    unsigned number;          /* of that stack */
    bool lent;                /* a task that blocks has lent the slot */
    size_t deque;             /* tasks of its stack that are not stolen */
    unsigned queue;           /* detached tasks in its run queue, */
    bool next;                /* and one in run-next */
    uint64_t dispatches, steals;
};
struct wsfj_snapshot wsfj_snapshot(unsigned worker);

/* The thread that serves the worker; 0: not known. */
pid_t wsfj_snapshot_thread(unsigned worker);

/* Sums over all workers, and what belongs to no worker. */
struct wsfj_snapshot_totals {
    unsigned workers, running, guests, sleeping, retired;
    uint32_t searching;           /* as counted (idle_counts.h): includes workers that are being woken */
    unsigned made, used, waiting; /* stacks; those with a fiber; those with a suspended fiber */
    size_t global, fibers, roots; /* detached tasks in the global queue, fibers that can resume, queued roots */
    uint64_t submitted, finished; /* detached tasks */
    uint64_t steals;
};
struct wsfj_snapshot_totals wsfj_snapshot_totals(void);

/* Whether a worker runs the fiber on the stack; whether the fiber is in a blocking section and its slot is lent. */
bool wsfj_snapshot_runs(const struct wsfj_stack *stack);
bool wsfj_snapshot_blocks(const struct wsfj_stack *stack);

/* Adds "function (file)", or the address. */
void wsfj_snapshot_function(struct wsfj_textbuf *text, uintptr_t fn);

/* Adds the name of the task on the stack, with its file and line; of a detached task, its function. */
void wsfj_snapshot_task(struct wsfj_textbuf *text, const struct wsfj_stack *stack);

/* Adds, after `indent`, an address of code: as function+offset (file); without a symbol as file+offset; else as a
 * number. Returns false and adds nothing if it is no code. */
bool wsfj_snapshot_code(struct wsfj_textbuf *text, const char *indent, uintptr_t address, bool is_return);

#endif
