/* SPDX-License-Identifier: MIT */
#include "blocking/spare.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "base/futex.h"
#include "base/hooks.h"
#include "base/thread.h"
#include "idle/park.h"
#include "worker/stopping.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* The C library keeps up to 40 MiB of ended threads' stacks for new threads. Stacks beyond that it maps and unmaps one by
 * one. */
#define CACHED_STACKS ((size_t)40 << 20)

/* The order to end, by its address. */
static const char stop;

/* A thread made here. */
struct made {
    struct wsfj_thread thread;
    struct wsfj_worker *first; /* the worker that the thread begins with; NULL: it begins as a spare */
    unsigned number;
    pthread_t id;
    struct made *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct wsfj_thread *idle; /* under the mutex, as all that follows */
static struct made *all;
static size_t count, limit;
static struct wsfj_thread_stacks stacks; /* of many recruits; a few recruits get theirs from the C library */
static bool stopping;
static wsfj_spare_serve *serve_worker; /* constant while there are threads */

void wsfj_spare_start(size_t most, wsfj_spare_serve *serve)
{
    serve_worker = serve;
    idle = NULL;
    all = NULL;
    count = 0;
    limit = most;
    stopping = false;
}

static void give_order(struct wsfj_thread *t, const void *order)
{
    store_release(&t->order, order); /* with the worker, and all that its last thread did there */
    (void)add_acq_rel(&t->calls, 1u);
    wsfj_futex_wake(&t->calls);
}

/* Makes the thread a spare. False if it must end instead. */
static bool become_idle(struct wsfj_thread *self)
{
    bool stays;

    pthread_mutex_lock(&mutex);
    stays = !stopping;
    if (stays) {
        self->next = idle;
        idle = self;
    }
    pthread_mutex_unlock(&mutex);
    return stays;
}

static const void *await_order(struct wsfj_thread *self)
{
    for (;;) {
        uint32_t calls = load_acquire(&self->calls); /* before the order is read: a sender stores the order first */
        const void *order = swap_acq_rel(&self->order, NULL); /* BLOCK-1 */

        if (order)
            return order;
        wsfj_futex_wait(&self->calls, calls, NULL);
    }
}

/* Serves its worker until another thread does. False if the thread must end. */
static bool serve(struct wsfj_thread *self)
{
    enum wsfj_served served = serve_worker(self->worker, self);

    return served == WSFJ_SERVED_KEPT || (served == WSFJ_SERVED_LENT && become_idle(self));
}

/* Waits until the thread has a worker to serve. False if it must end. */
static bool begin(struct made *made)
{
    struct wsfj_worker *first = made->first;

    if (!first) {
        if (await_order(&made->thread) == &stop)
            return false;
        wsfj_worker_bind(made->thread.worker);
        return true;
    }
    store_release(&first->tid, wsfj_thread_id()); /* dumps and cpu_limit.c look for a sleeping worker's thread, too */
    if (!wsfj_park_begin(first))
        return false;
    wsfj_worker_bind(first);
    wsfj_park_sleep_on(first);
    return !wsfj_stopping();
}

/* The whole life of a thread. */
static void *made_main(void *argument)
{
    struct made *made = argument;
    struct wsfj_thread *self = &made->thread;

    wsfj_thread_begin_number(made->number);
    if (!begin(made))
        return NULL;
    wsfj_hooks.thread_begins(); /* not earlier: the start makes the threads before it makes what this needs */
    while (serve(self) && await_order(self) != &stop)
        wsfj_worker_bind(self->worker);
    return NULL;
}

/* NULL: *error says why. */
static struct wsfj_thread *make_locked(struct wsfj_worker *first, int *error)
{
    struct made *made = NULL;

    *error = EAGAIN;
    if (count >= limit)
        return NULL;
    made = wsfj_calloc(1, sizeof *made);
    if (!made) {
        *error = ENOMEM;
        return NULL;
    }
    made->thread.worker = made->first = first;
    made->number = (unsigned)count;
    *error = first && stacks.map ? wsfj_thread_make_on(&stacks, made->number, &made->id, made_main, made)
                                 : wsfj_thread_make(&made->id, WSFJ_LOOP_STACK, made_main, made);
    if (*error != 0) {
        free(made);
        return NULL;
    }
    made->next = all;
    all = made;
    store_relaxed(&count, count + 1);
    return &made->thread;
}

size_t wsfj_spare_count(void)
{
    return load_relaxed(&count);
}

unsigned wsfj_spare_recruit(struct wsfj_worker *workers, unsigned wanted, int *error)
{
    unsigned n = 0;

    pthread_mutex_lock(&mutex);
    if (wanted > CACHED_STACKS / WSFJ_LOOP_STACK)
        (void)wsfj_thread_stacks_map(&stacks, wanted, WSFJ_LOOP_STACK); /* if refused: stacks of the C library */
    while (n < wanted && make_locked(&workers[n], error))
        n++;
    pthread_mutex_unlock(&mutex);
    return n;
}

struct wsfj_thread *wsfj_spare_take(void)
{
    struct wsfj_thread *t;
    int error;

    pthread_mutex_lock(&mutex);
    t = idle;
    if (t)
        idle = t->next;
    else
        t = make_locked(NULL, &error);
    pthread_mutex_unlock(&mutex);
    return t;
}

void wsfj_spare_send(struct wsfj_thread *t, struct wsfj_worker *w, const void *sender)
{
    t->worker = w;
    give_order(t, sender);
}

bool wsfj_spare_recall(struct wsfj_thread *t, const void *sender)
{
    const void *order = sender;

    return cas_acq_rel(&t->order, &order, NULL) && become_idle(t);
}

void wsfj_spare_give(struct wsfj_thread *t)
{
    (void)become_idle(t);
}

void wsfj_spare_stop(void)
{
    pthread_mutex_lock(&mutex);
    stopping = true;
    for (struct wsfj_thread *t = idle, *next; t; t = next) {
        next = t->next;
        give_order(t, &stop);
    }
    idle = NULL;
    pthread_mutex_unlock(&mutex);
}

void wsfj_spare_join(void)
{
    while (all) {
        struct made *made = all;

        all = made->next;
        pthread_join(made->id, NULL);
        free(made);
    }
    wsfj_thread_stacks_unmap(&stacks);
}

void wsfj_spare_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    wsfj_thread_stacks_forget(&stacks);
    wsfj_spare_start(0, NULL);
}
