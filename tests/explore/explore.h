/* SPDX-License-Identifier: MIT */
/*
 * Systematic exploration of the library's own code: what a program of this folder is. See tests/explore/README.md.
 *
 * A program is a setup, two or three threads and a final check. Every execution within the bounds is run, one after the
 * other and each from the start: all schedules with at most so many preemptions, and in each all values that the
 * loads may return under C11's rules, at most so many of them not the newest (memory.c). Whatever differs in an
 * execution is a choice; the list of choices replays it.
 *
 * A mutant is the same program with one thing wrong at one site, which is named by the function, the operation and the
 * text of the address there (prelude.h). It must be found; a site that does not occur is an error, too.
 */
#ifndef TESTS_EXPLORE_EXPLORE_H
#define TESTS_EXPLORE_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPLORE_THREADS 3

enum explore_wrong {
    EXPLORE_WEAKER, /* the order is `value`, an __ATOMIC_ constant */
    EXPLORE_SKIP,   /* nothing is done; a call returns 0, a load 0 */
    EXPLORE_VALUE,  /* a store stores `value`, a load returns it */
    EXPLORE_SPLIT   /* exchange, add and cas are a load and, later, a store; wait lets the mutex go before it waits */
};

struct explore_mutant {
    const char *name; /* what is wrong, in words; NULL ends a list */
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

/* Runs what the arguments say: see main.c. The program's exit status. `programs` ends with one without a name. */
int explore_main(int argc, char **argv, const struct explore_program *programs);

/* In setup: plain accesses to this memory are checked for races. */
void explore_shared(void *low, size_t size);

/* One of [0, n), all of which are explored. */
unsigned explore_choose(unsigned n);

/* The number of the calling thread. */
unsigned explore_self(void);

/* Ends the execution as a failure unless `ok`. */
void explore_must(bool ok, const char *what);

/* The calling thread spins: others go on, and it does when one of them has written something or none can. */
void explore_pause(void);

/* The calling thread sleeps until somebody wakes it, who hands on what he knows. True if there was somebody to wake. */
void explore_sleep(const void *on);
bool explore_wake(const void *on);

/* What wsfj_now() goes on by at each call, in nanoseconds. */
extern uint64_t explore_tick;

#endif
