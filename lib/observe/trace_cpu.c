/* SPDX-License-Identifier: MIT */
#include "observe/trace_cpu.h"

#include "base/thread.h"
#include "machine/affinity.h"
#include "machine/delay.h"
#include "worker/stopping.h"

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

static uint64_t read_delay(pid_t thread)
{
    struct wsfj_delay delay;

    wsfj_delay_read(&delay, thread);
    return delay.known ? delay.waited : 0;
}

uint64_t wsfj_trace_delay(const struct wsfj_trace_ring *ring)
{
    pid_t thread = load_acquire(&ring->delayed);
    uint64_t now = thread ? read_delay(thread) : 0;

    return now > load_relaxed(&ring->delay_then) ? now - load_relaxed(&ring->delay_then) : load_relaxed(&ring->delay);
}

void wsfj_trace_delay_start(struct wsfj_trace_ring *ring, pid_t thread)
{
    store_relaxed(&ring->delay_then, read_delay(thread));
    store_release(&ring->delayed, thread);
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
    if (!load_relaxed(&ring->delayed) && ring->own && load_relaxed(ring->own) == wsfj_thread_id())
        wsfj_trace_delay_start(ring, wsfj_thread_id());
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
    if (wsfj_stopping() && load_relaxed(&ring->delayed) == wsfj_thread_id()) {
        store_relaxed(&ring->delay, wsfj_trace_delay(ring));
        store_release(&ring->delayed, 0);
    }
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
