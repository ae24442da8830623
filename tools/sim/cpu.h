/* SPDX-License-Identifier: MIT */
/*
 * Virtual CPUs: which thread runs where. Like the kernel's scheduler, in little: a thread that wakes goes to the CPU
 * where it was last if that is idle, else to an idle one, else into a queue. A thread runs for a time slice if others
 * wait in its CPU's queue. A CPU that becomes idle takes a thread from the longest queue. A quota stops all CPUs when
 * the process has used its time of the period.
 *
 * A thread that loses its CPU keeps the rest of what it was about to pay as a debt: it may be interrupted anywhere
 * between two points.
 */
#ifndef TOOLS_SIM_CPU_H
#define TOOLS_SIM_CPU_H

#include "engine.h"

#include <stdbool.h>
#include <stdint.h>

/* CPUs 0 to n - 1; `exists`: a bit for each. */
void sim_cpu_start(unsigned n, const uint64_t *exists);

/* The process may use `quota` nanoseconds of CPU time in each `period`; 0: no limit. From the present moment on. */
void sim_cpu_quota(uint64_t quota, uint64_t period);
uint64_t sim_cpu_quota_now(uint64_t *period);

/* The thread asks for a CPU at this moment. It is on one, or in a queue, afterwards. */
void sim_cpu_arrive(struct sim_thread *thread, uint64_t now);
/* The calling thread leaves its CPU: it waits, or has ended. sim_leave() follows. */
void sim_cpu_leave(struct sim_thread *thread);
/* The calling thread lets those run that wait in its CPU's queue. */
void sim_cpu_yield(struct sim_thread *thread);
/* The end of a slice, of a period or of a quota. */
void sim_cpu_event(struct sim_event *event);
/* The mask of the thread has changed. */
void sim_cpu_moved(struct sim_thread *thread);

/* The calling thread belongs to the world outside: from now on it runs whenever it wants to, and takes no CPU away from
 * others. For one thread only. */
void sim_cpu_outside(void);

unsigned sim_cpu_count(void); /* those that exist */
unsigned sim_cpu_end(void);   /* all numbers are smaller */
bool sim_cpu_exists(unsigned cpu);

/* Sets of CPUs. */
static inline bool sim_bit(const uint64_t *set, unsigned i)
{
    return set[i / 64] >> i % 64 & 1;
}

static inline unsigned sim_bit_words(unsigned n)
{
    return (n + 63) / 64;
}

#endif
