/* SPDX-License-Identifier: MIT */
/* What the prelude puts in the place of system calls, mutexes, conditions, pauses and the clock. */
#include "costs.h"
#include "cpu.h"
#include "engine.h"
#include "machine.h"
#include "watch.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>

#define SECOND UINT64_C(1000000000)

/* The clock does not begin at 0: a moment before the start is none. */
#define CLOCK_START SECOND
#define COARSE (UINT64_C(4) * 1000000) /* a tick of the kernel */

/* So many accesses are paid together. More would let a thread that looks at many others run too far ahead of them. */
unsigned engine_atomics, engine_changes, engine_atomics_most = 128;

static uint64_t duration(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

/* Timers end late. */
static uint64_t until_over(const struct timespec *t)
{
    return duration(t) + sim_costs_late();
}

void engine_pause(void)
{
    sim_point(sim_costs.pause);
}

uint64_t engine_now(void)
{
    sim_point(sim_costs.clock);
    return CLOCK_START + sim_moment;
}

bool engine_delay(bool begins)
{
    if (!sim_self || engine_atomics_most == UINT_MAX) /* sim_give() acts for another thread */
        return false;
    sim_self->inside += begins ? 1u : -1u;
    return true;
}

void engine_atomic_point(void)
{
    if (!sim_self)
        return;
    sim_self->inside++;
    sim_point(0);
    sim_self->inside--;
}

/* A spawn stores the tail, and its sync does. */
void engine_tail_point(uintptr_t after, uintptr_t before)
{
    if (after > before && sim_self)
        sim_watch_spawn();
    sim_progress++;
    sim_owe(sim_costs.spawn / 2);
    sim_point(0);
}

int engine_yield(void)
{
    if (!sim_self)
        return 0;
    sim_point(sim_costs.yield);
    sim_cpu_yield(sim_self);
    return 0;
}

int engine_clock(clockid_t clock, struct timespec *t)
{
    uint64_t now = CLOCK_START + sim_moment;

    if (clock == CLOCK_THREAD_CPUTIME_ID)
        now = sim_self ? sim_self->used : 0;
    else if (clock < -SIM_PID) /* engine_cpu_clock() */
        now = sim_threads[-clock - SIM_PID - 1]->used;
    else if (clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_REALTIME_COARSE)
        now -= now % COARSE;
    else
        now = engine_now();
    *t = (struct timespec){(time_t)(now / SECOND), (long)(now % SECOND)};
    return 0;
}

int engine_sleep(const struct timespec *time, struct timespec *rest)
{
    (void)rest;
    if (!sim_self)
        return 0;
    sim_point(sim_costs.futex);
    (void)sim_wait(&sim_self->event, NULL, until_over(time));
    return 0;
}

int engine_watch(int set, int fd)
{
    static bool said;

    (void)set;
    if (!said)
        fprintf(stderr, "wsfj-sim: descriptor %d cannot be waited for in virtual time (ENOSYS)\n", fd);
    said = true;
    errno = ENOSYS;
    return -1;
}

static uint64_t pokes; /* of the eventfd */

int engine_poke(int fd, uint64_t count)
{
    long woken;

    (void)fd;
    pokes += count;
    woken = (long)sim_wake(&pokes, 1, sim_costs_wake);
    sim_point(sim_costs.futex + (woken ? sim_costs.wake_call : 0));
    return 0;
}

int engine_poked(int fd, uint64_t *count)
{
    (void)fd;
    *count = pokes;
    pokes = 0;
    return 0;
}

/* Costs what a futex does. */
int engine_poll(struct pollfd *fds, unsigned long n, const struct timespec *most)
{
    for (unsigned long i = 0; i < n; i++) {
        fds[i].revents = 0;
        if (fds[i].fd < ENGINE_EPOLL)
            return engine_watch(ENGINE_EPOLL, fds[i].fd);
    }
    sim_point(sim_costs.futex);
    if (!pokes && sim_self)
        (void)sim_wait(&pokes, NULL, most ? until_over(most) : UINT64_MAX);
    for (unsigned long i = 0; i < n; i++)
        if (pokes && fds[i].fd == ENGINE_EVENTS)
            fds[i].revents = POLLIN;
    return pokes != 0;
}

static long futex_wait(const struct engine_site *site, const uint32_t *word, uint32_t value,
                       const struct timespec *timeout)
{
    sim_point(sim_costs.futex);
    if (*(const volatile uint32_t *)word != value) {
        errno = EAGAIN;
        return -1;
    }
    if (!sim_self || sim_wait(word, site, timeout ? until_over(timeout) : UINT64_MAX))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

static long futex_wake(const uint32_t *word, uint32_t most)
{
    long woken = (long)sim_wake(word, most, sim_costs_wake);

    sim_point(sim_costs.futex + (woken ? sim_costs.wake_call : 0));
    return woken;
}

long engine_syscall(struct engine_site *site, long number, ...)
{
    va_list arguments;
    long result = -1;

    va_start(arguments, number);
    if (number == SYS_futex) {
        uint32_t *word = va_arg(arguments, uint32_t *);
        int operation = va_arg(arguments, int) & FUTEX_CMD_MASK;
        uint32_t value = va_arg(arguments, uint32_t);

        result = operation == FUTEX_WAIT ? futex_wait(site, word, value, va_arg(arguments, const struct timespec *))
                                         : futex_wake(word, value);
    } else if (number == SYS_membarrier) {
        sim_point(sim_costs.membarrier);
        result = 0;
    } else if (number == SYS_gettid) {
        result = SIM_PID + (sim_self ? (long)sim_self->number : 0);
    } else {
        errno = ENOSYS; /* a signal to a thread: no virtual thread gets one */
    }
    va_end(arguments);
    return result;
}

/* The library's mutexes are plain ones, all zero at first. A mutex holds 1 + the number of its owner. */
static volatile unsigned *word_of(pthread_mutex_t *m)
{
    return (volatile unsigned *)(void *)m;
}

int engine_lock(struct engine_site *site, pthread_mutex_t *m)
{
    if (!sim_self)
        return 0;
    sim_self->inside++;
    sim_point(sim_costs.lock);
    while (*word_of(m)) {
        (void)sim_wait(m, site, UINT64_MAX);
        sim_point(sim_costs.futex);
    }
    *word_of(m) = sim_self->number + 1;
    sim_self->inside--;
    return 0;
}

int engine_unlock(struct engine_site *site, pthread_mutex_t *m)
{
    (void)site;
    if (!sim_self)
        return 0;
    *word_of(m) = 0;
    sim_self->inside++;
    if (sim_wake(m, 1, sim_costs_wake))
        sim_point(sim_costs.futex + sim_costs.wake_call);
    sim_self->inside--;
    return 0;
}

int engine_mutex_init(pthread_mutex_t *m)
{
    *word_of(m) = 0;
    return 0;
}

int engine_cond_init(pthread_cond_t *c)
{
    (void)c; /* only its address is used */
    return 0;
}

int engine_wait(struct engine_site *site, pthread_cond_t *c, pthread_mutex_t *m)
{
    if (!sim_self)
        return 0;
    sim_point(sim_costs.futex);
    *word_of(m) = 0;
    (void)sim_wake(m, 1, sim_costs_wake);
    (void)sim_wait(c, site, UINT64_MAX);
    return engine_lock(site, m);
}

static int wake(const pthread_cond_t *c, unsigned most)
{
    if (sim_self && sim_wake(c, most, sim_costs_wake))
        sim_point(sim_costs.futex + sim_costs.wake_call);
    return 0;
}

int engine_broadcast(struct engine_site *site, pthread_cond_t *c)
{
    (void)site;
    return wake(c, UINT_MAX);
}

int engine_signal(struct engine_site *site, pthread_cond_t *c)
{
    (void)site;
    return wake(c, 1);
}

int engine_join(struct engine_site *site, pthread_t id)
{
    struct sim_thread *t = (struct sim_thread *)id;

    if (sim_self && t->state != SIM_ENDED)
        (void)sim_wait(t, site, UINT64_MAX);
    if (t->state == SIM_ENDED)
        sim_thread_free(t);
    return 0;
}
