/* SPDX-License-Identifier: MIT */
/*
 * A look at the running runtime from outside, for schedtrace.c, dump.c and watchdog.c. Everything is read by atomic loads
 * and may be stale at once, and no two values are of one moment. Only what stays is followed: workers and stacks until the
 * runtime stops, kinds of tasks as long as their program.
 */
#ifndef WSFJ_OBSERVE_SNAPSHOT_H
#define WSFJ_OBSERVE_SNAPSHOT_H

#include "base/base.h"
#include "observe/textbuf.h"

struct wsfj_stack;
struct wsfj_worker;
struct wsfj_snapshot {
    const char *state;        /* running, searching, parked or retired */
    bool guest;               /* a caller of ws_run() has the place */
    struct wsfj_stack *stack; /* what runs; NULL: nothing */
    bool lent;                /* a task that blocks has lent the place */
    size_t deque;             /* tasks of its stack that are not stolen */
    unsigned queue;           /* detached tasks in its ring, */
    bool next;                /* and one in run-next */
    uint64_t dispatches, steals;
};
struct wsfj_snapshot wsfj_snapshot(unsigned worker);

/* All of them, and what no worker has. */
struct wsfj_snapshot_totals {
    unsigned workers, running, guests, sleeping, retired;
    uint32_t searching; /* as counted (idle_counts.h): includes workers that are being woken */
    unsigned made, used, waiting; /* stacks; those of strands, and of them the suspended ones */
    size_t global, strands, roots; /* detached tasks in the global queue, strands that can go on, queued roots */
    uint64_t submitted, finished; /* detached tasks */
    uint64_t steals;
};
struct wsfj_snapshot_totals wsfj_snapshot_totals(void);

/* Whether a worker runs the strand on it; whether it is in a bracket, its worker's place being lent. */
bool wsfj_snapshot_runs(const struct wsfj_stack *stack);
bool wsfj_snapshot_blocks(const struct wsfj_stack *stack);

/* Adds the name of the task on the stack: where it is written, or for a detached one its function. */
void wsfj_snapshot_task(struct wsfj_textbuf *sheet, const struct wsfj_stack *stack);

/* Adds, after `indent`, a place in code as function+offset (file), or file+offset where no symbol says more, or as a
 * number where nothing is known of it. False, and nothing, if that is not code. */
bool wsfj_snapshot_code(struct wsfj_textbuf *sheet, const char *indent, uintptr_t address, bool is_return);

#endif
