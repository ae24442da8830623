/* SPDX-License-Identifier: MIT */
/* GLib: g_thread_pool_push. A pool takes one function, so a task is a function and its argument on the heap. No loops. */
#include "small.h"

#include <errno.h>
#include <glib.h>

struct task {
    small_task *f;
    void *argument;
};

static GThreadPool *pool;
static GMutex lock;
static GCond all_done;
static gint remaining; /* of a batch */

static void run(gpointer data, gpointer unused)
{
    struct task task = *(struct task *)data;

    (void)unused;
    g_slice_free(struct task, data);
    task.f(task.argument);
}

static void push(small_task *f, void *argument)
{
    struct task *task = g_slice_new(struct task);

    task->f = f;
    task->argument = argument;
    g_thread_pool_push(pool, task, NULL);
}

static int begin(int workers, int beside)
{
    (void)beside;
    pool = g_thread_pool_new(run, NULL, workers, TRUE, NULL);
    return pool ? 0 : EAGAIN;
}

struct batch {
    long n;
    small_task *f;
    char *first;
};
static struct batch batch;

/* A pool cannot wait for its tasks: each of them counts. */
static void counted(void *argument)
{
    batch.f(argument);
    if (g_atomic_int_dec_and_test(&remaining)) {
        g_mutex_lock(&lock);
        g_cond_signal(&all_done);
        g_mutex_unlock(&lock);
    }
}

static void produce(void *unused)
{
    (void)unused;
    for (long i = 0; i < batch.n; i++)
        push(counted, batch.first + i);
}

static void tasks(long n, small_task *f, char *first)
{
    batch = (struct batch){n, f, first};
    g_atomic_int_set(&remaining, (gint)n);
    push(produce, NULL);
    g_mutex_lock(&lock);
    while (g_atomic_int_get(&remaining) > 0)
        g_cond_wait(&all_done, &lock);
    g_mutex_unlock(&lock);
}

static void submit(small_task *f, void *argument, void (*wait)(void))
{
    push(f, argument);
    wait();
}

const struct small_contender contender = {begin, tasks, NULL, submit, NULL, NULL};
