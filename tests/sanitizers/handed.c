/* SPDX-License-Identifier: MIT */
/*
 * A program without a race, as ordered.c, with the less usual ways in which one thread hands data to another: workers'
 * slots, variables of threads, the poll function, tasks outside of regions, tasks that are dropped, large arguments and
 * results, loops. A sanitizer must report nothing. Neighbour: queued.c.
 */
#include "elsewhere.h"

#include <errno.h>
#include <pthread.h>

#define TIMES 100
#define THREADS 4

static void nap(void)
{
    usleep(200);
}

/* What has a slot, or is a thread's own, until the task waits. */
struct own {
    long times;
};
static WS_LOCAL(struct own, local);
static long slots[64];
static __thread long of_thread;

/* Not inlined: compilers keep the addresses of the thread's variables, which are other ones after a wait. */
static __attribute__((noinline)) void count(void)
{
    struct own *own = ws_local(&local);

    own->times++;
    slots[ws_slot()]++;
    of_thread++;
    errno = 0;
    must(strtol("7", NULL, 10) + errno == 7, "the number");
}

static void uses_slots(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        count();
        if (i == 0)
            ws_yield();
        if (i == 1)
            WS_BLOCKING nap();
    }
}

static WS_TASK_VOID(uses_slots_too)
{
    uses_slots(NULL);
}

static void *guest(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        must(ws_run(uses_slots_too) == 0, "ws_run");
    return unused;
}

/* Workers' own threads, spares and guests serve the workers in turn. */
static void with_slots(void)
{
    ws_group group = WS_GROUP_INIT;
    pthread_t threads[THREADS];
    long sum = 0;

    for (int i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], NULL, guest, NULL) == 0, "pthread_create");
    for (int i = 0; i < TIMES; i++)
        must(ws_group_submit(&group, uses_slots, NULL) == 0, "ws_group_submit");
    must(ws_group_wait(&group) == 0, "ws_group_wait");
    for (int i = 0; i < THREADS; i++)
        must(pthread_join(threads[i], NULL) == 0, "pthread_join");
    ws_local_each(&local, own)
    {
        sum += own->times;
    }
    for (int i = 0; i < 64; i++)
        sum -= slots[i];
    must(sum == 0, "slots count the same");
    ws_local_free(&local);
}

/* Only the library puts the calls of this function, by any thread, into an order. */
static long polls;

static int poll_function(void *arg)
{
    (void)arg;
    polls++;
    return 0;
}

/* Threads outside of regions call tasks, one after the other. */
static WS_TASK(long, add, long, a, long, b)
{
    return a + b;
}

static WS_TASK(long, add_two, long, n)
{
    long a = 0, b = 0;

    ws_spawn(add, &a, n, 1L);
    ws_spawn(add, &b, n, 2L);
    ws_sync();
    return a + b;
}

static int turn;

static void *calls_tasks(void *arg)
{
    int mine = (int)(intptr_t)arg;

    for (int i = 0; i < TIMES; i++) {
        while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != i * THREADS + mine)
            sched_yield();
        must(add_two(i) == 2 * i + 3, "the sum");
        __atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void outside(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], NULL, calls_tasks, (void *)(intptr_t)i) == 0, "pthread_create");
    for (int i = 0; i < THREADS; i++)
        must(pthread_join(threads[i], NULL) == 0, "pthread_join");
}

/* Arguments and results that no descriptor holds; thieves drop the tasks whose scope is cancelled. */
struct large {
    long v[40];
};

static int runs;

static WS_TASK(struct large, enlarge, struct large, l, long *, aside)
{
    raise_flag(&runs);
    for (int i = 0; i < 40; i++)
        l.v[i]++;
    *aside = l.v[0];
    nap();
    return l;
}

static WS_TASK(long, family, long, n, int, cancels)
{
    struct large l[4];
    long aside[4] = {0, 0, 0, 0}, sum = 0;
    ws_scope scope;

    for (int i = 0; i < 40; i++)
        l[0].v[i] = n;
    __atomic_store_n(&runs, 0, __ATOMIC_RELAXED);
    ws_scope_begin(&scope);
    if (cancels)
        (void)ws_scope_cancel(&scope, 1);
    for (int i = 3; i >= 0; i--)
        ws_spawn(enlarge, &l[i], l[0], &aside[i]);
    for (int i = 0; i < 10 && !__atomic_load_n(&runs, __ATOMIC_RELAXED); i++)
        nap();
    ws_sync();
    for (int i = 0; i < 4; i++)
        sum += aside[i] == n + 1 ? l[i].v[39] - aside[i] : l[i].v[39] && cancels ? l[i].v[39] - n - 1 : 0;
    return ws_scope_end(&scope) == cancels && sum == 0;
}

static WS_LOOP(fill, long, i, long *, to)
{
    to[i] = i;
}

static WS_REDUCE(long, 0L, WS_ADD, total, long, i, const long *, of)
{
    return of[i];
}

static void families(void)
{
    static long numbers[10000];
    long holds = 0, sum = 0;

    for (int i = 0; i < TIMES; i++) {
        must(ws_run(family, &holds, (long)i, i % 2) == 0 && holds, "the family");
        must(ws_for(fill, 0L, 10000L, numbers) == 0, "ws_for");
        must(ws_for(total, &sum, 0L, 10000L, numbers) == 0 && sum == 49995000, "the sum of a loop");
    }
}

static void start(void)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 3;
    config.poll = poll_function;
    must(ws_init(&config) == 0, "ws_init");
}

int main(void)
{
    start();
    with_slots();
    outside();
    families();
    must(ws_fini() == 0 && polls > 0, "the poll function is called");
    puts("handed");
    return 0;
}
