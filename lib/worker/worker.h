/* SPDX-License-Identifier: MIT */
/*
 * A worker runs tasks. One thread at a time serves it: one of the runtime's or, during a ws_run(), the caller (a guest).
 * The loop of a worker (serve.c: run, steal, park) runs on the thread's own stack. Tasks run on stacks of the pool.
 */
#ifndef WSFJ_WORKER_WORKER_H
#define WSFJ_WORKER_WORKER_H

#include "arch/context.h"
#include "arch/exceptions.h"
#include "base/base.h"
#include "queue/run_queue.h"
#include "task/event.h"
#include "task/pool.h"
#include "worker/after_switch.h"
#include "worker/park_word.h"
#include "worker/victim.h"

#include <pthread.h>
#include <sys/types.h>

struct wsfj_region;
struct wsfj_stack;

/* A thread that serves a worker. */
struct wsfj_server {
    struct wsfj_context loop;               /* the scheduler's own context */
    struct wsfj_exceptions *exceptions;     /* the thread's; NULL: no C++ */
    struct wsfj_exceptions loop_exceptions; /* of the loop, while a fiber runs */
    struct wsfj_worker *worker;             /* the worker that it serves */
    struct wsfj_thread *thread;             /* of the runtime; NULL: a guest */
    pid_t tid;               /* a guest's, if dumps may ask it (frame_request.h) or WSFJ_DISPLAY is set; else 0 */
    struct wsfj_stack *last; /* what ran here last */
    bool lent;               /* its slot is another thread's now (blocking.c) */
    uint32_t has_slot;       /* futex: 1: it has a slot again, for its pinned fiber (pin.c) */
};

/* Forced exposures: when a thief may try the next one (steal.c). Nanoseconds. */
struct wsfj_forcing {
    uint64_t after; /* none before this time */
    uint64_t pause; /* how long to hold back after the next failure */
};

/* The request that a searcher has left, and whose answer ends its pause (steal.c, mailbox.c). */
struct wsfj_watch {
    struct wsfj_stack *stack; /* NULL: none */
    uint64_t answers;         /* the stack's, before the request */
};

/* Where the next detached task comes from (dispatch.c). */
struct wsfj_dispatching {
    uint64_t count;         /* how many so far (others may look) */
    int64_t check_at;       /* by log.followed: whether others than own tasks are due (detached.c) */
    unsigned common;        /* which common queue is next */
    unsigned next_in_a_row; /* how often run-next came first */
};

/* Detached tasks. One writer, the thread that serves the worker; see run_queue.h for the queue. */
struct wsfj_detached_tasks {
    struct wsfj_run_queue queue;
    uint64_t submitted, finished;
};

/* What ran here at the last inspection (preempt.c). Only the preempter's. */
struct wsfj_seen {
    struct wsfj_stack *stack;
    uint64_t runs;
};

enum { WSFJ_PATIENCE_SITES = 16 };

/* Which CPUs the worker's thread may use (reach.h). */
enum wsfj_reach_step {
    WSFJ_REACH_PLACE, /* those to which the worker is bound */
    WSFJ_REACH_CACHE, /* also those that share a last-level cache with them */
    WSFJ_REACH_NODE,  /* ... or a NUMA node */
    WSFJ_REACH_ALL,   /* those of all places */
    WSFJ_REACH_OTHERS /* what somebody else has set */
};

struct wsfj_reach {
    uint64_t look_at;          /* when its thread looks next, by wsfj_coarse_now(); 0: it never leaves its place */
    enum wsfj_reach_step step; /* others may look */
};

struct wsfj_worker {
    /* Set at start, then constant. */
    unsigned id;
    const unsigned *cpus; /* operating system numbers of the processors it is bound to */
    unsigned num_cpus;    /* 0: not bound */
    pid_t tid; /* of the runtime's thread that serves it or sleeps behind a guest, stored by that thread; 0: not yet */
    pid_t guest; /* the last guest's, or 0 */
    struct wsfj_victims victims;

    /* Thieves read this cache line; the thread that serves the worker writes it. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_stack *stack; /* what runs now; NULL: nothing */
    unsigned lent; /* how many blocked fibers have lent this slot, one after the other; any thread (blocking.c) */

    /* Wakers write this cache line (wake.c). */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint32_t park;
    uint64_t asleep_since; /* by wsfj_now(); a hint for wakers */

    /* The thread that serves the worker writes this cache line, and so do senders (mailbox.c). */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uintptr_t mailbox;

    /* Only the thread that serves the worker. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_server *server; /* which thread that is */
    wsfj_after_switch *after_switch; /* NULL: the task is done, its stack is free */
    struct wsfj_stack *resume;       /* task done: a parent that was waiting for this task only */
    struct wsfj_region *finished;    /* task done: the region whose root this was */
    struct wsfj_cache cache;
    uint64_t random;
    struct wsfj_forcing force;
    struct wsfj_watch watch;
    uint64_t no_stack;                     /* how often in a row there was none for a task or a steal (fresh.c) */
    uint8_t patience[WSFJ_PATIENCE_SITES]; /* with which sites short waits were in vain (short_wait.c) */
    unsigned outside;                      /* sleeps in a row that what came from outside has ended (outside.c) */
    struct wsfj_dispatching dispatch;
    struct wsfj_log log;

    struct wsfj_detached_tasks detached;
    struct wsfj_seen seen;
    struct wsfj_reach reach;
};

_Static_assert(sizeof(struct wsfj_worker) <= 1024, "workers that sleep share pages, four at least");

/* The runtime's workers, wsfj_num_workers of them (workers.h); constant while it runs. */
extern WSFJ_HIDDEN struct wsfj_worker *wsfj_workers;

/* How a thread comes to leave a worker. */
enum wsfj_served {
    WSFJ_SERVED_DONE,  /* the guest's region is finished */
    WSFJ_SERVED_IDLE,  /* the runtime stops, or there is nothing left for the guest */
    WSFJ_SERVED_LENT,  /* a task has blocked, and another thread has the slot */
    WSFJ_SERVED_KEPT,  /* the same, and a pinned fiber keeps the thread in reserve (pin.c) */
    WSFJ_SERVED_BEHIND /* a guest has the slot (pin.c) */
};

#endif
