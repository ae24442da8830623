/* SPDX-License-Identifier: MIT */
/* No runtime, and starts only: a thread that is bound to the first processor sleeps on a word, and the submitter wakes it. A
 * runtime that binds its threads cannot start a task sooner once its worker sleeps. */
#define _GNU_SOURCE
#include "small.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static small_task *function;
static void *function_argument;
static atomic_uint full; /* the release and acquire of this word hand the task over */

static void *serve(void *unused)
{
    (void)unused;
    for (;;) {
        while (!atomic_load_explicit(&full, memory_order_acquire))
            syscall(SYS_futex, &full, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        atomic_store_explicit(&full, 0, memory_order_relaxed);
        function(function_argument); /* it tells the submitter that it runs */
    }
    return NULL;
}

/* Binds `attributes` to the first processor that the process may use. */
static int bind_to_first(pthread_attr_t *attributes)
{
    cpu_set_t allowed, first;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return errno;
    while (!CPU_ISSET(cpu, &allowed))
        cpu++;
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    return pthread_attr_setaffinity_np(attributes, sizeof first, &first);
}

/* Makes one thread, for any number of workers: others would only sleep. */
static int begin(int workers, int beside)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);

    (void)workers;
    (void)beside;
    if (error)
        return error;
    error = bind_to_first(&attributes);
    if (!error)
        error = pthread_create(&thread, &attributes, serve, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

static void submit(small_task *f, void *argument, void (*wait)(void))
{
    function = f;
    function_argument = argument;
    atomic_store_explicit(&full, 1, memory_order_release);
    syscall(SYS_futex, &full, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    wait();
}

const struct small_contender contender = {begin, NULL, NULL, submit, NULL, NULL};
