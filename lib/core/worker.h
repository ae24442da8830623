/* SPDX-License-Identifier: MIT */
/*
 * A worker: one of the places where tasks run. A pool thread serves it, or for the time of a ws_run() the calling
 * thread (a guest). The loop - run, steal, park - runs on the thread's own stack, tasks run on stacks of the pool.
 */
#ifndef WSFJ_WORKER_H
#define WSFJ_WORKER_H

#include "arch/context.h"
#include "base/base.h"
#include "core/victim.h"
#include "queue/run_queue.h"
#include "task/event.h"
#include "task/pool.h"

#include <pthread.h>
#include <sys/types.h>

struct wsfj_region;

/* Called by the scheduler's loop with a suspended stack, once it is left: makes it known to whoever will resume it.
 * Returns the stack if it can go on at once, else NULL, and then somebody may run it already. */
typedef struct wsfj_stack *wsfj_left(struct wsfj_stack *stack);

/* A thread that serves a worker. */
struct wsfj_server {
    struct wsfj_context loop;   /* the scheduler's own context */
    struct wsfj_worker *place;  /* the worker that it serves */
    struct wsfj_thread *thread; /* of the runtime; NULL: a guest */
    pid_t tid;                  /* a guest's, if dumps may ask it (frame_request.h); else 0 */
    struct wsfj_stack *last;    /* what ran here last */
    bool lent;                  /* its place is another thread's now (blocking.c) */
    uint32_t turn;              /* futex: 1: it has a place again, for its pinned strand (pin.c) */
};

struct wsfj_worker {
    /* Set at start, then constant. */
    unsigned id;
    const unsigned *cpus; /* operating system numbers of the processors it is bound to */
    unsigned num_cpus;    /* 0: not bound */
    pid_t tid; /* of the runtime's thread that serves it, or sleeps behind a guest; that thread stores it; 0: not yet */
    pid_t guest; /* the last guest's, or 0 */
    struct wsfj_victims victims;

    /* Read by thieves, written by whoever serves the worker. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_stack *stack; /* what runs now; NULL: nothing */
    unsigned lent; /* how many blocked strands have lent this place, one after the other; any thread (blocking.c) */

    /* Written by wakers (park.c). */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint32_t park;
    uint64_t asleep_since; /* by wsfj_now(); a hint for wakers */

    /* Written by whoever serves the worker and by senders (mailbox.c). */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uintptr_t home;

    /* Only whoever serves the worker. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_server *server; /* who that is */
    wsfj_left *left;              /* NULL: the task is done, its stack is free */
    struct wsfj_stack *resume;    /* DONE: a parent that was waiting for this task only */
    struct wsfj_region *finished; /* DONE: the region whose root this was */
    struct wsfj_cache cache;
    uint64_t random;
    uint64_t force_after; /* no forced exposure before this time, in nanoseconds */
    uint64_t force_pause; /* how long to hold back after the next failure */
    uint64_t no_stack;    /* how often in a row there was none for a task or a theft (steal.c) */
    uint64_t dispatches;    /* dispatch.c: how many so far (others may look), */
    unsigned common_turn;   /* which common queue is next, */
    unsigned next_in_a_row; /* how often run-next came first */
    struct wsfj_log log;

    /* The run queue of detached tasks; see run_queue.h for who writes what. */
    struct wsfj_ring ring;
    /* Detached tasks submitted here, and done here. One writer, whoever serves the worker. */
    uint64_t submitted_items, finished_items;

    /* Only the thread of preempt.c: what ran here at its last look. */
    struct wsfj_stack *seen_stack;
    uint64_t seen_turns;
};

/* The runtime's workers; constant while it runs. */
extern struct wsfj_worker *wsfj_workers;
extern unsigned wsfj_num_workers;

/* How a thread comes to leave a worker. */
enum wsfj_served {
    WSFJ_SERVED_DONE, /* the guest's region is finished */
    WSFJ_SERVED_IDLE, /* the runtime stops, or there is nothing left for the guest */
    WSFJ_SERVED_LENT, /* a task has blocked, and another thread has the place */
    WSFJ_SERVED_KEPT, /* the same, and somebody keeps the thread in reserve (pin.c) */
    WSFJ_SERVED_BEHIND /* a guest has the place (pin.c) */
};

/* Serves a worker as a thread of the runtime until wsfj_worker_stop() (guest NULL), or as a guest (thread NULL) as long as
 * there is anything of its region. `first`: a stack to run first, or NULL. */
enum wsfj_served wsfj_worker_serve(struct wsfj_worker *worker, struct wsfj_thread *thread, struct wsfj_stack *first,
                                   struct wsfj_region *guest);

/* Before the first thread starts. */
void wsfj_worker_begin(void);

/* Tells the loops of all pool threads to return; wakes them. */
void wsfj_worker_stop(void);
bool wsfj_worker_stopping(void);

#endif
