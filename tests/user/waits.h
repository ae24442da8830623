/* SPDX-License-Identifier: MIT */
/* For tests of wsfj/wait.h: the same function in tasks of each kind and in threads, side by side. */
#ifndef TESTS_USER_WAITS_H
#define TESTS_USER_WAITS_H

#include "../support/flags.h"
#include "../support/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* One and two workers, with as many stacks as the tasks need and without a limit. */
#define SHAPES 4
static inline void start_shape(int i, size_t stacks)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1 + (size_t)i / 2;
    config.max_stacks = i % 2 ? stacks : 0;
    ck_assert_int_eq(ws_init(&config), 0);
}

/* A function that several run at once, each with its number. */
struct crowd {
    void (*fn)(long);
    long next;
    ws_group tasks;
    pthread_t threads[8];
    int num_threads;
};

WS_TASK_VOID(crowd_child, long *, calls)
{
    add(calls, 1);
}

static inline void crowd_in_section(struct crowd *c, long number)
{
    WS_BLOCKING
    {
        c->fn(number);
    }
}

static inline void crowd_pinned(struct crowd *c, long number)
{
    ws_pinned();
    pthread_t self = pthread_self();

    c->fn(number);
    if (wsfj_pinned == 0)
        ck_assert(pthread_equal(self, pthread_self()));
}

/* With children that are pending meanwhile. */
static inline void crowd_with_children(struct crowd *c, long number)
{
    long calls = 0;

    ws_frame();
    for (int i = 0; i < 3; i++)
        ws_spawn(crowd_child, &calls);
    c->fn(number);
    ws_sync();
    ck_assert_int_eq(calls, 3);
}

static inline void crowd_task(void *arg)
{
    struct crowd *c = arg;
    long number = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);

    switch (number % 5) {
    case 1: crowd_in_section(c, number); break;
    case 2: crowd_pinned(c, number); break;
    case 3: crowd_with_children(c, number); break;
    default: c->fn(number);
    }
}

static inline void *crowd_thread(void *arg)
{
    struct crowd *c = arg;

    c->fn(__atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED));
    return NULL;
}

WS_TASK_VOID(crowd_root, struct crowd *, c)
{
    crowd_task(c);
}

static inline void *crowd_guest(void *arg)
{
    ck_assert_int_eq(ws_run(crowd_root, (struct crowd *)arg), 0);
    return NULL;
}

/* So many detached tasks, threads, and threads whose ws_run() is the task. */
static inline void crowd_begin(struct crowd *c, void (*fn)(long), int tasks, int threads, int guests)
{
    *c = (struct crowd){.fn = fn, .tasks = WS_GROUP_INIT};
    for (int i = 0; i < tasks; i++)
        ck_assert_int_eq(ws_group_submit(&c->tasks, crowd_task, c), 0);
    for (int i = 0; i < threads + guests; i++)
        ck_assert_int_eq(
            pthread_create(&c->threads[c->num_threads++], NULL, i < threads ? crowd_thread : crowd_guest, c), 0);
}

static inline void crowd_end(struct crowd *c)
{
    ck_assert_int_eq(ws_group_wait(&c->tasks), 0);
    while (c->num_threads)
        ck_assert_int_eq(pthread_join(c->threads[--c->num_threads], NULL), 0);
}

#endif
