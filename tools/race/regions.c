/* SPDX-License-Identifier: MIT */
/* Regions: which thread is checked, and since when. */
#define _GNU_SOURCE
#include "schedule.h"

#include <wsfj/inline/race_hooks.h>

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static int busy;  /* a thread is checked */
static int depth; /* of its regions */

/* A thread begins to be checked. */
static void begin_thread(uintptr_t base)
{
    static __thread uintptr_t stack_lo, stack_hi;

    race_start();
    if (!stack_hi) {
        pthread_attr_t attributes;
        void *stack;
        size_t size;

        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            race_die("no memory");
        (void)pthread_attr_getstack(&attributes, &stack, &size);
        (void)pthread_attr_destroy(&attributes);
        stack_lo = (uintptr_t)stack;
        stack_hi = stack_lo + size;
    }
    race.stack_lo = stack_lo;
    race.stack_hi = stack_hi;
    if (base - race.stack_lo >= race.stack_hi - race.stack_lo)
        race_die("a region runs on a stack that is not its thread's: this is not covered");
    race.low = race.stack_hi;
    race.inner = NULL;
    race.locks = race.acquired = race.ignored = race.view = 0;
    race.now++;
    race.limit = base;
    race_apply_ignored();
}

/** A region begins, or (`submits`) a task is submitted outside of any. 1: its end is to be told; 0: nothing is checked. */
int race_enter(int submits)
{
    static int told_wait, told_other;
    const uintptr_t base = RETURN_BASE;
    int checked = 1;

    if (!race_checks()) {
        (void)pthread_mutex_lock(&lock);
        while (busy && depth > 0) {
            if (!told_wait++)
                race_say("two threads run regions at once: the second one waits, and what both use is not compared");
            (void)pthread_cond_wait(&left, &lock);
        }
        if (busy) {
            if (!told_other++)
                race_say(
                    "a second thread has tasks while those that another one has submitted are pending: it is not checked");
            checked = 0;
        } else {
            busy = 1;
        }
        if (checked && !submits)
            depth++;
        (void)pthread_mutex_unlock(&lock);
        if (checked)
            begin_thread(base);
        return checked;
    }
    if (!submits) {
        (void)pthread_mutex_lock(&lock);
        depth++;
        (void)pthread_mutex_unlock(&lock);
    }
    return 1;
}

static void leave_if_idle_locked(void)
{
    if (depth == 0 && race.pending == 0) {
        race_private_span = UINTPTR_MAX;
        busy = 0;
    }
    (void)pthread_cond_broadcast(&left);
}

/** Outside of regions, without pending tasks, nothing is left to check. */
void race_leave_if_idle(void)
{
    (void)pthread_mutex_lock(&lock);
    leave_if_idle_locked();
    (void)pthread_mutex_unlock(&lock);
}

EXPORTED int wsfj_race_region(void *frame)
{
    int entered;

    (void)frame;
    if (UNLIKELY(race_scheduled))
        return race_region_begin();
    entered = race_enter(0);
    if (entered)
        race.regions++;
    return entered;
}

EXPORTED void wsfj_race_region_end(int entered)
{
    if (!entered)
        return;
    if (UNLIKELY(race_scheduled)) {
        race_region_end();
        return;
    }
    (void)pthread_mutex_lock(&lock);
    if (--depth == 0) /* under one lock: a thread that waits must not find `busy` set and no region */
        leave_if_idle_locked();
    (void)pthread_mutex_unlock(&lock);
}
