/* SPDX-License-Identifier: MIT */
/*
 * The kernel and the C library for the explored code: futex(2), membarrier(2), mutexes, the clock.
 *
 * A futex wait reads memory, as the kernel does. A wait with a timeout is a pause: it ends when a thread has written
 * something.
 */
#include "engine.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <string.h>

#define MOST_MUTEXES 4
#define MOST_NUMBERS 256

static struct mutex {
    const void *p;
    bool locked;
    struct view view;
} mutexes[MOST_MUTEXES];

enum { TICK = 1000000 };

uint64_t explore_tick;
static uint64_t now;
static bool refuses; /* membarrier() */

void kernel_begin(void)
{
    memset(mutexes, 0, sizeof mutexes);
    now = explore_tick = TICK; /* a setup may choose another one */
    refuses = false;
}

void explore_refuse_barriers(void)
{
    refuses = true;
}

uint64_t engine_now(void)
{
    return now += explore_tick;
}

int engine_yield(void)
{
    engine_pause();
    return 0;
}

/* Where barriers are refused, a nap is so long that by its end all threads see what was stored before. */
int engine_nap(void)
{
    if (refuses)
        memory_heavy_barrier();
    return engine_yield();
}

static bool skipped(struct engine_site *site)
{
    const struct explore_mutant *m = search_mutant(site);

    return m && m->wrong == EXPLORE_SKIP;
}

static long futex_wait(uint32_t *word, uint32_t value, bool ends)
{
    if (*(volatile uint32_t *)word != value) {
        errno = EAGAIN;
        return -1;
    }
    if (ends)
        engine_pause();
    else
        thread_block(word);
    return 0;
}

static long futex(struct engine_site *site, uint32_t *word, int operation, uint32_t value, const void *timeout)
{
    search_trace(site, "%s", operation == FUTEX_WAIT_PRIVATE ? "wait" : "wake");
    if (operation == FUTEX_WAIT_PRIVATE)
        return futex_wait(word, value, timeout != NULL);
    return thread_wake(word) >= 0;
}

long engine_syscall(struct engine_site *site, long number, ...)
{
    va_list arguments;
    long result = 0;

    if (skipped(site) || current < 0)
        return 0;
    thread_point(true);
    va_start(arguments, number);
    if (number == SYS_membarrier) {
        search_trace(site, refuses ? "refused" : " ");
        if (refuses)
            result = -1;
        else
            memory_heavy_barrier();
    } else if (number == SYS_futex) {
        uint32_t *word = va_arg(arguments, uint32_t *);
        int operation = va_arg(arguments, int);
        uint32_t value = va_arg(arguments, uint32_t);

        const void *timeout = operation == FUTEX_WAIT_PRIVATE ? va_arg(arguments, void *) : NULL;

        result = futex(site, word, operation, value, timeout);
    } else {
        search_fail("a system call that is not modelled");
    }
    va_end(arguments);
    return result;
}

static struct mutex *find(const void *p)
{
    unsigned i = 0;

    while (i < MOST_MUTEXES - 1 && mutexes[i].p && mutexes[i].p != p)
        i++;
    mutexes[i].p = p;
    return &mutexes[i];
}

int engine_lock(struct engine_site *site, pthread_mutex_t *mutex)
{
    struct mutex *m = find(mutex);

    if (current < 0 || skipped(site))
        return 0;
    thread_point(true);
    while (m->locked)
        thread_block(mutex);
    search_trace(site, " ");
    m->locked = true;
    view_join(&views[current], &m->view);
    return 0;
}

int engine_trylock(struct engine_site *site, pthread_mutex_t *mutex)
{
    struct mutex *m = find(mutex);

    if (current < 0 || skipped(site))
        return 0;
    thread_point(true);
    search_trace(site, m->locked ? "busy" : " ");
    if (m->locked)
        return EBUSY;
    m->locked = true;
    view_join(&views[current], &m->view);
    return 0;
}

int engine_unlock(struct engine_site *site, pthread_mutex_t *mutex)
{
    struct mutex *m = find(mutex);

    if (current < 0 || !m->locked)
        return 0;
    search_trace(site, " ");
    m->locked = false;
    view_release(&m->view);
    while (thread_wake(mutex) >= 0)
        ;
    return 0;
}

int engine_wait(struct engine_site *site, pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    const struct explore_mutant *m = search_mutant(site);

    (void)engine_unlock(site, mutex);
    if (m && m->wrong == EXPLORE_SPLIT)
        thread_point(true);
    thread_block(condition);
    return engine_lock(site, mutex);
}

int engine_join(struct engine_site *site, pthread_t thread)
{
    search_trace(site, " ");
    thread_await((unsigned)thread);
    return 0;
}

int engine_broadcast(struct engine_site *site, pthread_cond_t *condition)
{
    if (skipped(site))
        return 0;
    while (thread_wake(condition) >= 0)
        ;
    return 0;
}

/* The same numbers in every execution. */
size_t engine_number(const void *address)
{
    static const void *known[MOST_NUMBERS];
    size_t i = 0;

    while (i < MOST_NUMBERS - 1 && known[i] && known[i] != address)
        i++;
    if (known[i] && known[i] != address)
        search_fail("too many numbered addresses");
    known[i] = address;
    return i;
}
