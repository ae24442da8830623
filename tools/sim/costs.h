/* SPDX-License-Identifier: MIT */
/*
 * What things cost, in virtual nanoseconds: from a file, `name value unit` on each line (doc/simulator.md). What the
 * file does not name keeps its default.
 */
#ifndef TOOLS_SIM_COSTS_H
#define TOOLS_SIM_COSTS_H

#include "machine/tier.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Delays vary: half of them are at most p50, and so on. */
struct sim_delay {
    uint64_t p50, p90, p99;
};

struct sim_costs {
    uint64_t pause; /* one spin pause */
    uint64_t clock; /* to read the clock */
    uint64_t lock;  /* to take a free mutex */
    /* Picoseconds: an atomic access of the library, the line being near; one that reads and writes in one step; a spawn
     * and its sync, if nobody steals the task. */
    uint64_t atomic, rmw, spawn;
    uint64_t futex;                   /* a futex call */
    uint64_t wake_call;               /* what a wake-up costs its caller, above the call */
    uint64_t membarrier;              /* a barrier for all threads */
    uint64_t yield;                   /* sched_yield() */
    uint64_t create;                  /* to make a thread, for its maker; the thread arrives after as long again */
    uint64_t asked, answered, forced; /* exposure: for the thief, the owner, the thief */
    uint64_t task;                    /* a task begins on a stack from the pool: detached, stolen, or a root */
    uint64_t suspend, resume;         /* a parent that waits at a sync */
    uint64_t change;                  /* a CPU changes from one thread to another */
    uint64_t slice;                   /* how long a thread runs while others wait for its CPU */
    /* By distance. `line`, in picoseconds: an access whose line another CPU has. */
    uint64_t attempt[WSFJ_TIER_COUNT], steal[WSFJ_TIER_COUNT], migrate[WSFJ_TIER_COUNT], line[WSFJ_TIER_COUNT];
    struct sim_delay wake; /* from the wake-up until the thread asks for a CPU */
    struct sim_delay late; /* the same from the end of a timeout */
};

extern struct sim_costs sim_costs;

/* Reads a file. On an error one line that begins with file:line, and the program ends. */
void sim_costs_read(const char *name);
void sim_costs_write(FILE *file); /* all of them, as such a file */
/* One of them, without the end of the line. */
void sim_costs_write_one(FILE *file, const char *name);

/* The seed of everything that varies. */
void sim_costs_seed(uint64_t seed);
uint64_t sim_random(void);
uint64_t sim_costs_wake(void);
uint64_t sim_costs_late(void);
/* What a thread pays when it has moved to another CPU. */
uint64_t sim_costs_migrate(unsigned from, unsigned to);

#endif
