/* SPDX-License-Identifier: MIT */
#include "spare.h"

#include "atomic.h"
#include "fault.h"
#include "futex.h"
#include "mishap.h"
#include "question.h"
#include "team.h"
#include "worker.h"

#include <pthread.h>
#include <stdlib.h>

/* The order to end, and that of a thread's first place. */
static const char stop, first;

/* A thread made here. */
struct made {
    struct wsfj_thread thread;
    unsigned number;
    pthread_t id;
    struct made *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct wsfj_thread *idle; /* under the mutex, as all that follows */
static struct made *all;
static size_t count, limit;
static bool stopping;

void wsfj_spare_start(size_t most)
{
    idle = NULL;
    all = NULL;
    count = 0;
    limit = most;
    stopping = false;
}

static void give_order(struct wsfj_thread *t, const void *order)
{
    store_release(&t->order, order); /* with the place, and all that its last thread did there */
    (void)add_acq_rel(&t->calls, 1u);
    wsfj_futex_wake(&t->calls);
}

/* False if the thread must end instead. */
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
        uint32_t calls = load_acquire(&self->calls); /* before the order is looked for, which comes before the count */
        const void *order = swap_acq_rel(&self->order, NULL); /* BLOCK-1 */

        if (order)
            return order;
        wsfj_futex_wait(&self->calls, calls, NULL);
    }
}

void wsfj_spare_begin(struct wsfj_thread *self, struct wsfj_worker *place)
{
    *self = (struct wsfj_thread){.place = place, .order = &first};
}

/* Serves its place until that is another thread's. False if the thread must end. */
static bool serve(struct wsfj_thread *self)
{
    enum wsfj_served served = wsfj_worker_serve(self->place, self, NULL, NULL);

    return served == WSFJ_SERVED_KEPT || (served == WSFJ_SERVED_LENT && become_idle(self));
}

void wsfj_spare_serve(struct wsfj_thread *self)
{
    wsfj_fault_guard_thread();
    wsfj_question_let_in();
    do {
        if (await_order(self) == &stop)
            break;
        wsfj_team_settle(self->place);
    } while (serve(self));
}

static void *made_main(void *argument)
{
    struct made *made = argument;

    wsfj_team_name_thread(wsfj_num_workers + made->number);
    wsfj_spare_serve(&made->thread);
    return NULL;
}

static struct wsfj_thread *make_locked(void)
{
    struct made *made;

    if (count == limit || wsfj_mishap(WSFJ_AT_ALLOC) || !(made = calloc(1, sizeof *made)))
        return NULL;
    made->number = (unsigned)count;
    if (wsfj_mishap(WSFJ_AT_THREAD) || wsfj_team_make_thread(&made->id, made_main, made) != 0) {
        free(made);
        return NULL;
    }
    made->next = all;
    all = made;
    count++;
    return &made->thread;
}

struct wsfj_thread *wsfj_spare_take(void)
{
    struct wsfj_thread *t;

    pthread_mutex_lock(&mutex);
    t = idle;
    if (t)
        idle = t->next;
    else
        t = make_locked();
    pthread_mutex_unlock(&mutex);
    return t;
}

void wsfj_spare_send(struct wsfj_thread *t, struct wsfj_worker *w, const struct wsfj_stack *sender)
{
    t->place = w;
    give_order(t, sender);
}

bool wsfj_spare_recall(struct wsfj_thread *t, const struct wsfj_stack *sender)
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
        next = t->next; /* it may be gone when it has been told */
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
}

void wsfj_spare_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    wsfj_spare_start(0);
}
