/* SPDX-License-Identifier: MIT */
#include "observe/trace_cpu.h"

#include "base/thread.h"
#include "machine/affinity.h"

#include <pthread.h>

/* The calling thread's name. Not the address of a thread-local variable: in the simulator all threads share that. */
static const void *self(void)
{
    return (const void *)(uintptr_t)pthread_self();
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;

    return clock_gettime(clock, &t) == 0 ? (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec : 0;
}

uint64_t wsfj_trace_cpu(const struct wsfj_trace_ring *ring)
{
    uint64_t sum = load_acquire(&ring->cpu), now;

    if (!load_acquire(&ring->thread))
        return sum;
    now = read_clock(load_relaxed(&ring->cpu_clock));
    return now > load_relaxed(&ring->cpu_then) ? sum + now - load_relaxed(&ring->cpu_then) : sum;
}

/* Another thread may have served the worker before, and not have said that it leaves: a guest took the slot from it, or
 * its task has blocked. */
static void begin(struct wsfj_trace_ring *ring)
{
    clockid_t clock = CLOCK_THREAD_CPUTIME_ID;

    store_relaxed(&ring->cpu, wsfj_trace_cpu(ring));
    (void)pthread_getcpuclockid(pthread_self(), &clock); /* other threads can read that one */
    store_relaxed(&ring->cpu_clock, clock);
    store_relaxed(&ring->cpu_then, read_clock(CLOCK_THREAD_CPUTIME_ID));
    store_release(&ring->thread, self());
}

/* Only the thread itself calls this: another one may serve the worker by now. */
static void end(struct wsfj_trace_ring *ring)
{
    store_relaxed(&ring->thread, NULL);
    store_release(&ring->cpu,
                  load_relaxed(&ring->cpu) + read_clock(CLOCK_THREAD_CPUTIME_ID) - load_relaxed(&ring->cpu_then));
}

void wsfj_trace_leave(struct wsfj_trace_ring *ring)
{
    if (load_acquire(&ring->thread) == self())
        end(ring);
}

void wsfj_trace_cpu_note(struct wsfj_trace_ring *ring, enum wsfj_event event)
{
    if (load_relaxed(&ring->thread) != self())
        begin(ring);
    if (event == WSFJ_EVENT_park)
        end(ring);
}

unsigned wsfj_trace_cpus(void)
{
    struct wsfj_mask mask;

    return wsfj_mask_read(&mask, wsfj_thread_id()) ? wsfj_mask_count(&mask) : 0;
}
