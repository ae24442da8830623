/* SPDX-License-Identifier: MIT */
/*
 * A worker: one of the places where tasks run. A pool thread serves it, or for the time of a ws_run() the calling
 * thread (a guest). The loop - run, steal, park - runs on the thread's own stack, tasks run on stacks of the pool.
 */
#ifndef WSFJ_WORKER_H
#define WSFJ_WORKER_H

#include "base.h"
#include "context.h"
#include "pool.h"
#include "stats.h"
#include "victim.h"

#include <pthread.h>

struct wsfj_region;

/* Why a stack was left. */
enum wsfj_left {
    WSFJ_LEFT_DONE,     /* its task is finished: the stack is free */
    WSFJ_LEFT_SUSPENDED /* its continuation waits for the join */
};

struct wsfj_worker {
    /* Set at start, then constant. */
    unsigned id;
    const unsigned *cpus; /* operating system numbers of the processors it is bound to */
    unsigned num_cpus;    /* 0: not bound */
    bool has_thread;
    pthread_t thread;
    struct wsfj_victims victims;

    /* Read by thieves, written by whoever serves the worker. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_stack *stack; /* what runs now; NULL: nothing */

    /* Written by wakers (park.c). */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint32_t park;

    /* Written by whoever serves the worker and by senders (home.c). */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uintptr_t home;

    /* Only whoever serves the worker. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_context loop; /* the scheduler's own context */
    enum wsfj_left left;
    struct wsfj_stack *resume;    /* DONE: a parent that was waiting for this task only */
    struct wsfj_region *finished; /* DONE: the region whose root this was */
    struct wsfj_cache cache;
    uint64_t random;
    uint64_t force_after; /* no forced exposure before this time, in nanoseconds */
    uint64_t force_pause; /* how long to hold back after the next failure */
    uint64_t starved;     /* no stack to steal with: how long to sleep before looking again, in nanoseconds */
    struct wsfj_stats stats;
};

/* The runtime's workers; constant while it runs. */
extern struct wsfj_worker *wsfj_workers;
extern unsigned wsfj_num_workers;

/* Serves a worker until wsfj_worker_stop() (guest NULL), or as a guest until its region is finished (true) or there is
 * nothing left to steal from it (false). `first`: a stack to run first, or NULL. */
bool wsfj_worker_serve(struct wsfj_worker *worker, struct wsfj_stack *first, struct wsfj_region *guest);

/* The first function on a fresh stack of the pool. */
void wsfj_worker_stack_main(void *stack);

/* Before the first thread starts. */
void wsfj_worker_begin(void);

/* Tells the loops of all pool threads to return; wakes them. */
void wsfj_worker_stop(void);
bool wsfj_worker_stopping(void);

/* Leaves the stack for the scheduler's loop. Returns when the stack is resumed, perhaps on another worker. */
void wsfj_worker_leave(struct wsfj_stack *own, enum wsfj_left why);

#endif
