/* SPDX-License-Identifier: MIT */
/* The interfaces between the parts of the explorer. */
#ifndef TESTS_EXPLORE_ENGINE_H
#define TESTS_EXPLORE_ENGINE_H

#include "explore.h"

#include "prelude.h"

enum { EXPLORE_LOCATIONS = 224 };

/* What a thread, or a thread that synchronises with it, is sure to know. */
struct view {
    uint32_t clock[EXPLORE_THREADS];  /* the past of each thread: for races */
    uint16_t seen[EXPLORE_LOCATIONS]; /* for each location: no older message can be read */
};

/* search.c: the tree of choices. */
enum kind { PREEMPT, WHOM, STALE, PROGRAM };
extern struct explore_bounds budget; /* what remains of the bounds in this execution */
extern unsigned execution;           /* a number that no two executions share */
extern unsigned step;                /* of the execution; at most one choice of a kind in each */
/* One of [0, n); 0 unless it is `open`. A replay ignores `open` and follows the schedule. */
unsigned search_choose(bool open, enum kind kind, unsigned n);
void search_fail(const char *what);
void search_note_race(void); /* the execution fails, but goes on */
void search_trace(const struct engine_site *site, const char *format, ...) __attribute__((format(printf, 2, 3)));
const struct explore_mutant *search_mutant(struct engine_site *site);

/* The result of one search. */
struct outcome {
    unsigned long executions;
    const char *failure; /* NULL: none within the bounds */
    char schedule[4096]; /* the failing one */
    bool met;            /* the mutant's site was reached */
};
void search_all(const struct explore_program *program, struct explore_bounds bounds,
                const struct explore_mutant *mutant, struct outcome *outcome);
/* The narrowest bounds, up to `most`, that show the failure. */
void search_find(const struct explore_program *program, const struct explore_mutant *mutant, struct explore_bounds most,
                 struct outcome *outcome);
/* One execution that follows the schedule, with a trace if `loud`. Returns what fails, or NULL. */
const char *search_replay(const struct explore_program *program, const struct explore_mutant *mutant,
                          const char *schedule, bool loud);

/* thread.c: which thread runs. */
extern int current;                                         /* -1: none, setup or the final check runs */
bool thread_run_all(const struct explore_program *program); /* false: the execution has failed */
void thread_stop(void);                                     /* ends the execution at once */
void thread_point(bool preempt);                            /* a step; another thread may go on here */
void thread_block(const void *on);
void thread_await(unsigned number); /* until that thread has ended */
int thread_wake(const void *on);    /* wakes one thread blocked on it; -1: there is none */

/* location.c */
extern uint64_t messages;  /* written in this execution */
bool location_begin(void); /* false: another shared location was found, and the search begins anew */

/* memory.c: what loads return. */
extern struct view views[EXPLORE_THREADS];
void memory_begin(void);
bool memory_freshen(int thread); /* the thread learns all newest values; true if one of them was new to it */
void memory_heavy_barrier(void);
void view_join(struct view *to, const struct view *from);
void view_release(struct view *to); /* what the current thread knows, for others */

/* race.c: plain accesses. */
enum access { PLAIN_READ, PLAIN_WRITE, ATOMIC_READ, ATOMIC_WRITE };
void race_touch(const volatile void *p, size_t size, enum access access);

/* orders.c: which orders are needed. */
void orders_note(struct engine_site *site, int order);
void orders_of(const struct explore_program *program, struct explore_bounds most);

/* kernel.c: system calls and mutexes. */
void kernel_begin(void);

#endif
