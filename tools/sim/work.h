/* SPDX-License-Identifier: MIT */
/* What the workloads of wsfj-sim have in common: start, arguments, random numbers, and what is known of them. */
#ifndef TOOLS_SIM_WORK_H
#define TOOLS_SIM_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds. What a workload does not know is 0. */
struct sim_facts {
    const char *name;
    uint64_t began, ended; /* moments of virtual time */
    uint64_t work;         /* T1: what sim_work() was asked for between them, all of it */
    uint64_t blocked;      /* sleeps in blocking sections */
    double span;           /* Tinf: the longest chain of work and sleeps */
    uint64_t chain;        /* how many rounded lengths that chain has at most: so many ns may be missing from it */
    uint64_t tasks;        /* with the first of each region */
    uint64_t depth;        /* of spawns in spawns; 0: stacks have no bound, because of detached or blocked tasks */
};
extern struct sim_facts sim_facts;

/* Starts the runtime. False: it cannot be started, and a line says so. */
bool work_start(void);

/* The same for workloads that begin with work in given places. When it returns, the calling thread is outside of the
 * machine, and all workers stand still, awake, until the next call of work_go(). */
bool work_ready(void);
void work_go(void);

/* The thread outside waits until that moment. */
void work_until(uint64_t moment);

/* Around what is measured. The second one asserts what must hold for every run (check.h), and prints one line. */
void work_begin(const char *name);
void work_end(void);
void work_check(void); /* the same without the line */

/* For tasks that nobody else waits for: sim_main() waits until none is left; each says when it ends. The last one's end
 * is sim_facts.ended. */
void work_wait(uint64_t *left);
void work_done(uint64_t *left);

/* Argument i of a workload; `otherwise`, if there is none. On an error one line, exit 2. */
uint64_t work_number(int argc, char **argv, int i, uint64_t otherwise, uint64_t least, uint64_t most);
double work_decimal(int argc, char **argv, int i, double otherwise, double most);
void work_most(int argc, char **argv, int most); /* no more arguments than these */

/* Random numbers from the seed of the run and a number, the same whatever the order of calls. */
uint64_t work_hash(uint64_t x);
double work_share(uint64_t hash); /* 0 to 1 */

/* Random lengths: fixed, uniform from 0 to twice the mean, or exponential. */
enum work_shape { WORK_FIXED, WORK_UNIFORM, WORK_EXPONENTIAL };
enum work_shape work_shape(int argc, char **argv, int i, enum work_shape otherwise);
uint64_t work_length(enum work_shape shape, double mean, uint64_t hash); /* mean in units (--unit) */

#endif
