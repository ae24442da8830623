/* SPDX-License-Identifier: MIT */
/*
 * A runtime that is asked for dumps: its start, tasks that last until the test releases them, and the request. For
 * dump.c and dump_signal.c.
 */
#ifndef TESTS_USER_DUMPS_H
#define TESTS_USER_DUMPS_H

#include "../support/heard.h"
#include "../support/resources.h"
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>

#define END "libwsfj: end of the dump\n"

static int go_on, started;
static sem_t gate;

/* Inside its caller without optimisation, too: interrupted in its first instruction it would hide the caller's
 * frame. */
static inline __attribute__((always_inline)) bool may_go_on(void)
{
    return __atomic_load_n(&go_on, __ATOMIC_ACQUIRE);
}

static inline void has_started(void)
{
    (void)__atomic_add_fetch(&started, 1, __ATOMIC_ACQ_REL);
}

static inline void await_started(int n)
{
    while (__atomic_load_n(&started, __ATOMIC_ACQUIRE) < n)
        sched_yield();
}

/* Has a frame and a name of its own. */
static __attribute__((noinline)) long turns_in_circles(long n)
{
    char room[n]; /* else gcc makes no frame for a function that calls none */

    __asm__ volatile("" ::"r"(room) : "memory");
    has_started();
    while (!may_go_on())
        __asm__ volatile("" ::: "memory");
    return n + 1;
}

static WS_TASK(long, runs_long, long, n)
{
    long r = turns_in_circles(n);

    __asm__ volatile("" : "+r"(r)); /* not the last thing: it stays on the stack */
    return r;
}

#define BOTH_RUN ", 3 in use, 1 waiting;"

/* Both children must be stolen while it waits here. */
static WS_TASK(long, has_two_children, long, n)
{
    long x = 0, y = 0;

    ws_spawn(runs_long, &x, n);
    ws_spawn(runs_long, &y, n);
    await_started(2);
    ws_sync();
    return x + y;
}

static long result;

static inline void *run_parent(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(has_two_children, &result, 20L), 0);
    return NULL;
}

/* Sends the signal until a dump comes that has the text: not all that is under way has come to rest at the first. */
static inline bool dump_shows(int signal, const char *text)
{
    for (int i = 0; i < PATIENCE_S; i++) {
        hear_nothing();
        ck_assert_int_eq(kill(getpid(), signal), 0);
        if (!hear_until(END))
            return false;
        if (strstr(heard, text))
            return true;
        usleep(10000);
    }
    printf("no '%s' in:\n%s", text, heard);
    return false;
}

static pthread_t other;
static int files_before; /* open at the begin: as many are at the end, whatever a dump has looked up */

static inline void begin(const char *signal, size_t n)
{
    files_before = count_files();
    go_on = started = 0;
    sem_init(&gate, 0, 0);
    setenv("WSFJ_DUMP_SIGNAL", signal, 1);
    listen_begin();
    start(n);
}

static inline void end(void)
{
    __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 4; i++)
        sem_post(&gate);
    while (ws_fini() != 0)
        usleep(1000);
    listen_end();
    ck_assert_msg(!strstr(heard, "invalid value"), "%s", heard);
    ck_assert_int_eq(count_files(), files_before);
}

static inline void run_two_children(void)
{
    ck_assert_int_eq(pthread_create(&other, NULL, run_parent, NULL), 0);
    await_started(2);
}

static inline void end_two_children(void)
{
    __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
    pthread_join(other, NULL);
    ck_assert_int_eq(result, 42);
    end();
}

#endif
