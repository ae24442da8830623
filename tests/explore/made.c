/* SPDX-License-Identifier: MIT */
#include "made.h"

#include "base/thread.h"
#include "blocking/spare.h"
#include "idle/park.h"
#include "sched/serve.h"
#include "signals/stack_overflow.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <string.h>

static struct {
    void *(*main)(void *);
    void *argument;
} made[EXPLORE_THREADS];
static unsigned num_made;

/* Memory that the library allocates. Each execution gets the same memory, because locations are known by their
 * address. */
void *explore_calloc(size_t n, size_t size);
void *explore_calloc(size_t n, size_t size)
{
    static char memory[EXPLORE_THREADS][256] __attribute__((aligned(64)));

    explore_must(n * size <= sizeof memory[0], "no memory");
    memset(memory[num_made], 0, sizeof memory[0]);
    explore_shared(memory[num_made], sizeof memory[0]);
    return memory[num_made];
}

int wsfj_thread_make(pthread_t *id, size_t stack, void *(*main)(void *), void *argument)
{
    (void)stack;
    (void)id;
    made[num_made].main = main;
    made[num_made++].argument = argument;
    return 0;
}

/* No program here recruits threads for workers. */
int wsfj_thread_make_on(const struct wsfj_thread_stacks *stacks, unsigned i, pthread_t *id, void *(*main)(void *),
                        void *argument)
{
    (void)stacks;
    (void)i;
    return wsfj_thread_make(id, 0, main, argument);
}

bool wsfj_thread_stacks_map(struct wsfj_thread_stacks *stacks, unsigned count, size_t stack)
{
    (void)stacks;
    (void)count;
    (void)stack;
    return false;
}

void wsfj_thread_stacks_unmap(struct wsfj_thread_stacks *stacks)
{
    (void)stacks;
}

void wsfj_thread_stacks_forget(struct wsfj_thread_stacks *stacks)
{
    (void)stacks;
}

void wsfj_thread_begin_number(unsigned number)
{
    (void)number;
}

pid_t wsfj_thread_id(void)
{
    return 1;
}

void wsfj_worker_bind(struct wsfj_worker *w)
{
    (void)w;
}

bool wsfj_overflow_guard_thread(void)
{
    return true;
}

void wsfj_frame_request_let_in(void)
{
}

void made_start(unsigned threads)
{
    struct wsfj_thread *t[EXPLORE_THREADS];

    num_made = 0;
    wsfj_spare_forget();
    wsfj_spare_start(threads, wsfj_serve);
    for (unsigned i = 0; i < threads; i++)
        explore_must((t[i] = wsfj_spare_take()) != NULL, "no memory");
    for (unsigned i = 0; i < threads; i++)
        wsfj_spare_give(t[i]);
}

void made_send(struct wsfj_worker *worker)
{
    wsfj_spare_send(wsfj_spare_take(), worker, &made);
}

/* The newest first: it is the first that is taken. */
void made_thread(void)
{
    unsigned i = num_made - 1 - explore_self();

    (void)made[i].main(made[i].argument);
}

void made_stop(void)
{
    wsfj_park_stop();
    wsfj_spare_stop();
}
