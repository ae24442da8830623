/* SPDX-License-Identifier: MIT */
/*
 * Systematic exploration of the library's own code: what a program of this folder is. See tests/explore/README.md.
 *
 * A program is a setup, two or three threads and a final check. Every execution within the bounds is run, each from the
 * start: all schedules with at most so many preemptions, and in each all values that the loads may return under C11's
 * rules, of which at most so many are not the newest (memory.c). Whatever may differ between executions is a choice;
 * the list of choices replays an execution.
 *
 * A mutant is the same program with one error at one site. Function, operation and the text of the address name the
 * site (prelude.h). The explorer must find each mutant; a site that does not occur is an error, too.
 */
#ifndef TESTS_EXPLORE_EXPLORE_H
#define TESTS_EXPLORE_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPLORE_THREADS 3

enum explore_wrong {
    EXPLORE_WEAKER, /* the order is `value`, an __ATOMIC_ constant */
    EXPLORE_SKIP,   /* the operation is left out; a call and a load return 0 */
    EXPLORE_VALUE,  /* a store stores `value`, a load returns it */
    EXPLORE_LATE,   /* a store or an addition takes effect `value` atomic operations of its thread later */
    EXPLORE_SPLIT   /* exchange, add, or, cas: a load and, later, a store; a wait releases the mutex before it waits */
};

struct explore_mutant {
    const char *name; /* what is wrong; NULL ends a list */
    const char *function, *operation, *place;
    enum explore_wrong wrong;
    uint64_t value;
};

struct explore_bounds {
    unsigned preemptions, stale;
};

struct explore_program {
    const char *name;
    void (*setup)(void);
    void (*thread[EXPLORE_THREADS])(void); /* the last ones may be NULL */
    void (*check)(void);                   /* after all threads have ended */
    struct explore_bounds quick, full;
    const struct explore_mutant *mutants;
};

/* Runs what the arguments ask for (main.c). Returns the exit status. A program without a name ends `programs`. */
int explore_main(int argc, char **argv, const struct explore_program *programs);

/* In setup: plain accesses to this memory are checked for races. */
void explore_shared(void *low, size_t size);

/* In setup: the same for the threads' stacks. */
void explore_shared_stacks(void);

/* In setup: this word is a thread-local variable of the library. Each thread begins with 0 there. At most two words. */
void explore_thread_local(void *word);

/* One of [0, n). All values are explored. */
unsigned explore_choose(unsigned n);

/* In setup: the kernel refuses membarrier() in this execution. */
void explore_refuse_barriers(void);

/* The number of the calling thread. */
unsigned explore_self(void);

/* Ends the execution as a failure unless `ok`. */
void explore_must(bool ok, const char *what);

/* The calling thread spins: others go on. It continues when another thread has written something, or when no other can
 * go on. */
void engine_pause(void);

/* The calling thread sleeps until another thread wakes it and hands on what it knows. explore_wake() returns whether a
 * thread was asleep. */
void explore_sleep(const void *on);
bool explore_wake(const void *on);

/* Each call of wsfj_now() advances the clock by this many nanoseconds. */
extern uint64_t explore_tick;

#endif
