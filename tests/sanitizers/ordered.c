/* SPDX-License-Identifier: MIT */
/*
 * A program without a race: one task hands plain variables to another, and only the library orders the accesses. In
 * each case the two tasks run on different threads or stacks. A sanitizer must report nothing. Neighbour: races.c.
 */
#include "elsewhere.h"

#include <pthread.h>

#define TIMES 50
#define THREADS 3

/* Down by the arguments, up by the result and through a pointer, over a join that goes on on another thread. */
static WS_TASK(long, child, struct elsewhere *, e, const long *, in, long *, out)
{
    elsewhere_child_begins(e);
    *out = *in + 1;
    elsewhere_child_ends(e);
    return *in + 2;
}

static WS_TASK(long, parent, long, n)
{
    struct elsewhere e = {.others = WS_GROUP_INIT};
    long in = n, out = 0, result = 0;

    ws_spawn(child, &result, &e, &in, &out);
    long before = elsewhere_before_sync(&e);
    ws_sync();
    in = 0; /* the child has read it */
    elsewhere_after_sync(&e, before);
    return out == n + 1 && result == n + 2;
}

/* Two detached tasks on two threads, for a foreign thread and for a task that waits. */
struct pair {
    ws_group group;
    long value[2];
    int begun[2];
};

static void one_of_two(struct pair *pair, int self)
{
    raise_flag(&pair->begun[self]);
    await_flag(&pair->begun[!self]);
    pair->value[self]++;
    ws_yield(); /* back on any thread */
    pair->value[self]++;
}

static void first(void *arg)
{
    one_of_two(arg, 0);
}

static void second(void *arg)
{
    one_of_two(arg, 1);
}

static long both(long n)
{
    struct pair pair = {.group = WS_GROUP_INIT, .value = {n, n}};

    must(ws_group_submit(&pair.group, first, &pair) == 0, "ws_group_submit");
    must(ws_group_submit(&pair.group, second, &pair) == 0, "ws_group_submit");
    must(ws_group_wait(&pair.group) == 0, "ws_group_wait");
    return pair.value[0] + pair.value[1];
}

static WS_TASK(long, waiting_task, long, n)
{
    return both(n) == 2 * n + 4;
}

/* A task that goes on on another thread without a join: its own variables. */
static WS_TASK(long, wanderer, long, n)
{
    long sum = 0;

    for (long i = 0; i < n; i++) {
        sum += i;
        if (i % 2)
            ws_yield();
        else
            WS_BLOCKING usleep(10);
    }
    return sum;
}

/* Tasks that another one has submitted to the worker run on the stack of a task that was away meanwhile. */
struct row {
    ws_group group;
    long value;
    int submitted, back;
};

#define IN_ROW 200

static void goes_away(void *arg)
{
    struct row *row = arg;

    WS_BLOCKING await_flag(&row->submitted);
    raise_flag(&row->back);
}

/* Some come before the task above: it waits in the global queue. */
static void reads(void *arg)
{
    const struct row *row = arg;

    must(row->value == IN_ROW, "what the submitter has written");
    if (!__atomic_load_n(&row->back, __ATOMIC_RELAXED))
        usleep(1000);
}

static void submits(void *arg)
{
    struct row *row = arg;

    row->value = IN_ROW;
    for (int i = 0; i < IN_ROW; i++)
        must(ws_group_submit(&row->group, reads, row) == 0, "ws_group_submit");
    raise_flag(&row->submitted);
}

static void in_a_row(void)
{
    struct row row = {.group = WS_GROUP_INIT};

    must(ws_group_submit(&row.group, goes_away, &row) == 0, "ws_group_submit");
    must(ws_group_submit(&row.group, submits, &row) == 0, "ws_group_submit");
    must(ws_group_wait(&row.group) == 0, "ws_group_wait");
}

static WS_TASK(long, tree, const long *, leaves, long, n)
{
    long left = 0, right;

    if (n == 1)
        return leaves[0];
    ws_spawn(tree, &left, leaves, n / 2);
    right = ws_call(tree, leaves + n / 2, n - n / 2);
    ws_sync();
    return left + right;
}

/* A foreign thread: its tasks may read what it has written, and it may use what they have returned, in any region. */
static void *foreign(void *arg)
{
    long leaves[256], *sum = arg, result = 0;

    for (long times = 0; times < TIMES; times++) {
        for (long i = 0; i < 256; i++)
            leaves[i] = i + times;
        must(ws_run(tree, &result, leaves, 256L) == 0, "ws_run");
        must(result == 255 * 128 + 256 * times, "the tree's sum");
        must(ws_run(wanderer, &result, 8L) == 0 && result == 28, "the wanderer's sum");
        *sum += result;
    }
    return NULL;
}

static void from_threads(void)
{
    pthread_t threads[THREADS];
    long sums[THREADS] = {0};

    for (int i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], NULL, foreign, &sums[i]) == 0, "pthread_create");
    for (int i = 0; i < THREADS; i++) {
        must(pthread_join(threads[i], NULL) == 0, "pthread_join");
        must(sums[i] == 28 * TIMES, "the thread's sum");
    }
}

int main(void)
{
    long holds = 0;

    start_workers(2);
    for (long n = 0; n < TIMES; n++) {
        must(ws_run(parent, &holds, n) == 0 && holds, "the child's results");
        must(both(n) == 2 * n + 4, "the group's results, in a thread");
        must(ws_run(waiting_task, &holds, n) == 0 && holds, "the group's results, in a task");
    }
    from_threads();
    must(ws_fini() == 0, "ws_fini");
    start_workers(1);
    in_a_row();
    must(ws_fini() == 0, "ws_fini");
    puts("ordered");
    return 0;
}
