/* SPDX-License-Identifier: MIT */
/* Watches a run: counts what the library's events say, for the report. */
#ifndef TOOLS_SIM_WATCH_H
#define TOOLS_SIM_WATCH_H

#include "machine/tier.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_watch_worker {
    uint64_t began;       /* tasks that began here on a stack of their own */
    int64_t kept;         /* tasks that its fibers spawned and nobody took. A fiber may move: can be negative */
    uint32_t victim;      /* of its last steal */
    uint64_t stole, lost; /* tasks taken from others; taken by others */
    uint64_t failed;      /* tries that brought nothing */
    uint64_t first;       /* when its first task began; UINT64_MAX: never */
    uint64_t idle, since; /* nanoseconds without a task, before `since`; UINT64_MAX: it has one */
    uint64_t searches;    /* since when it searches; UINT64_MAX: it does not */
    uint64_t searched;    /* nanoseconds that it has searched, */
    uint64_t late;        /* and after `late_since`, the end of the last task then: they count if more tasks end */
    uint64_t late_since;
};

struct sim_samples {
    uint64_t *at;
    size_t count, room;
};

struct sim_watch {
    uint64_t first, last; /* the begin of the first task, UINT64_MAX: none; the end of the last one */
    uint64_t work;        /* nanoseconds of sim_work() in tasks */
    uint64_t span;        /* as sim_span() says; 0: not known */
    uint64_t steals, distance[WSFJ_TIER_COUNT]; /* a steal may bring several tasks */
    uint64_t joins, joined, join_most; /* fibers that waited at a sync; nanoseconds: all of them, the longest */
    uint64_t stacks, stacks_most;      /* in use at once */
    struct sim_samples latency;        /* as sim_latency() says */
    struct sim_samples ready;          /* from runnable to running */
    struct sim_watch_worker *workers;
    unsigned num_workers; /* room */
    unsigned seen;        /* all workers that had events have smaller numbers */
};

extern struct sim_watch sim_watch;

/* From now on. */
void sim_watch_start(void);

/* Forgets what has been counted. What runs now is counted no more, and each worker has yet to begin its first task. */
void sim_watch_restart(void);

/* The calling thread spawns. */
void sim_watch_spawn(void);

/* The calling thread computes for so many nanoseconds. */
void sim_watch_work(uint64_t ns);

/* A parent has waited so long at a sync without leaving its worker. */
void sim_watch_join(uint64_t ns);

/* What the worker has done: tasks that it ran, and how long it had none, until `last`. */
int64_t sim_watch_executed(const struct sim_watch_worker *worker);
uint64_t sim_watch_idle(const struct sim_watch_worker *worker);
uint64_t sim_watch_searched(const struct sim_watch_worker *worker); /* without a task, but awake */

#endif
