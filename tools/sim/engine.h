/* SPDX-License-Identifier: MIT */
/*
 * The simulator's engine: virtual threads, which are contexts of one thread of the system, in virtual time.
 *
 * One virtual thread runs at a time: the one whose clock is the earliest. It runs until its next point, a call that
 * costs virtual time; there its clock goes on, and if another event is earlier now, that one is next. So all that a
 * thread does between two points happens at one moment of virtual time, and moments come in order.
 *
 * engine.c: threads and points. cpu.c: which thread has a CPU. wait.c: who waits for what. kernel.c, posix.c: what the
 * library calls instead of the system.
 */
#ifndef TOOLS_SIM_ENGINE_H
#define TOOLS_SIM_ENGINE_H

#include "arch/context.h"
#include "calls.h"
#include "heap.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define SIM_KEYS 8
#define SIM_PID 1000 /* of the simulated process, and of its first thread */

enum sim_state {
    SIM_ON_CPU,  /* has a CPU; its event: its next point is due */
    SIM_READY,   /* waits in a CPU's queue; it has no event */
    SIM_ARRIVES, /* was woken or made; its event: it asks for a CPU */
    SIM_WAITS,   /* waits for something; its event: the end of a timeout */
    SIM_ENDED
};

struct sim_thread {
    struct sim_event event;
    enum sim_state state;
    unsigned number;
    unsigned cpu;                     /* the one it is on, or was on last */
    unsigned queue;                   /* READY: the CPU in whose queue it is */
    bool has_run, moves;              /* on any CPU; its mask no longer has its CPU */
    uint64_t debt;                    /* the rest of a cost that it had begun to pay when it lost its CPU */
    uint64_t used;                    /* CPU time */
    uint64_t queued;                  /* since when it is in a CPU's queue */
    uint64_t waited;                  /* how long it was in queues */
    uint64_t turns;                   /* how often it got a CPU */
    uint64_t switches;                /* how often it lost one at the end of a slice */
    unsigned inside;                  /* not 0: maybe in the middle of a change (an access, a mutex, a delay) */
    uint64_t *mask;                   /* the CPUs that it may use, a bit each; NULL: all */
    struct sim_thread *next, *before; /* in a CPU's queue, or among those who wait */

    /* What it waits for. */
    const void *on;
    const struct engine_site *site; /* NULL: there is no site, `on` is what it waits for */
    bool timed_out;

    /* What belongs to a thread. */
    struct wsfj_context context;
    char *locals; /* its thread-local variables while it does not run */
    int error;    /* errno */
    char name[16];
    void *specific[SIM_KEYS];
    sigset_t signals;
    stack_t altstack;
    void *(*function)(void *);
    void *argument;
    void *stack; /* with its guard; NULL: freed */
    size_t size;
};

extern struct sim_thread *sim_self; /* NULL: no simulation runs, or it has ended */
extern struct sim_thread **sim_threads;
extern unsigned sim_num_threads;
extern struct sim_heap sim_heap;

/* What a run has cost. */
struct sim_totals {
    uint64_t time; /* virtual nanoseconds */
    uint64_t points, switches;
    unsigned threads;
};

/* Runs function(argument) as the first virtual thread, until it returns. machine.h, costs.h and cpu.h say on what. */
struct sim_totals sim_run(void *(*function)(void *), void *argument);
struct sim_totals sim_totals(void);

/* The moment, in virtual nanoseconds. */
extern uint64_t sim_moment;

/* The thread pays `ns`; earlier events happen first. Without a simulation it does nothing. */
void sim_point(uint64_t ns);

/* What the thread pays at its next point, in picoseconds. */
void sim_owe(uint64_t ps);

/* For tests: how many nanoseconds longer a point takes, because something else uses the CPU. NULL: no longer. */
extern uint64_t (*sim_disturb)(void);

/* The thread gives up its place: other things happen until it is on a CPU again. Its state says what it does. */
void sim_leave(void);

/* The thread has asked for a CPU, `delay` nanoseconds from now. */
void sim_arrive_after(struct sim_thread *thread, uint64_t delay);

struct sim_thread *sim_thread_make(void *(*function)(void *), void *argument, size_t stack);

/* It has ended: frees its stack. */
void sim_thread_free(struct sim_thread *thread);

/* The program has made progress: this is no livelock. */
extern uint64_t sim_progress;

/* wait.c. The thread waits for `on`; at most `most` nanoseconds, UINT64_MAX: without limit. False: the time is over. */
bool sim_wait(const void *on, const struct engine_site *site, uint64_t most);
/* Wakes up to `most` threads that wait for `on`, the first first; each arrives after `delay`(), NULL: at once. */
unsigned sim_wake(const void *on, unsigned most, uint64_t (*delay)(void));
void sim_wait_over(struct sim_thread *thread); /* its timeout has ended */

/* lines.c: from now on lines cost what sim_costs says. */
void sim_lines_start(void);

/* stuck.c: ends the run with a message. */
_Noreturn void sim_deadlock(void);
void sim_check_livelock(uint64_t points);

#endif
