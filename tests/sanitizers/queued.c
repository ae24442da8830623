/* SPDX-License-Identifier: MIT */
/*
 * A program without a race, as ordered.c: detached tasks where stacks are few, tasks that a thief runs in a row, tasks that
 * a waiter calls, and tasks that only the stop of the runtime waits for. A sanitizer must report nothing.
 */
#include "elsewhere.h"

#include <errno.h>

#define TIMES 100

/* Waiting tasks that find no stack for others call them. */
struct crowd {
    ws_group group;
    long sum, parts[8];
};

static void part(void *arg)
{
    (*(long *)arg)++;
    ws_yield();
}

static void crowd(void *arg)
{
    struct crowd *c = arg;

    ws_group_init(&c->group);
    for (int i = 0; i < 8; i++) {
        c->parts[i] = i;
        must(ws_group_submit(&c->group, part, &c->parts[i]) == 0, "ws_group_submit");
    }
    must(ws_group_wait(&c->group) == 0, "ws_group_wait");
    c->sum = 0;
    for (int i = 0; i < 8; i++)
        c->sum += c->parts[i];
}

static void crowds(void)
{
    static struct crowd all[TIMES];
    ws_group group = WS_GROUP_INIT;

    for (int i = 0; i < TIMES; i++)
        must(ws_group_submit(&group, crowd, &all[i]) == 0, "ws_group_submit");
    must(ws_group_wait(&group) == 0, "ws_group_wait");
    for (int i = 0; i < TIMES; i++)
        must(all[i].sum == 36, "the crowd's sum");
}

/* A thief takes many tasks at once, and runs them in a row; their submitter's worker is busy until all have run. */
#define IN_ROW 100

struct row {
    ws_group group;
    long value[IN_ROW];
    int ran;
};
static struct row row;

static void in_row(void *arg)
{
    (*(long *)arg)++;
    __atomic_add_fetch(&row.ran, 1, __ATOMIC_RELAXED);
}

static void submits_row(void *arg)
{
    (void)arg;
    __atomic_store_n(&row.ran, 0, __ATOMIC_RELAXED);
    ws_group_init(&row.group);
    for (int i = 0; i < IN_ROW; i++) {
        row.value[i] = i;
        must(ws_group_submit(&row.group, in_row, &row.value[i]) == 0, "ws_group_submit");
    }
    while (__atomic_load_n(&row.ran, __ATOMIC_RELAXED) < IN_ROW)
        sched_yield();
    must(ws_group_wait(&row.group) == 0, "ws_group_wait");
    for (int i = 0; i < IN_ROW; i++)
        must(row.value[i] == i + 1, "a task of the row");
}

/* A waiting task that must help calls the task of another worker, which is busy until then. */
struct help {
    ws_group others, own;
    long value;
    int begun, ended;
};

static void helped(void *arg)
{
    struct help *h = arg;

    h->value++;
    raise_flag(&h->ended);
}

static void needs_help(void *arg)
{
    struct help *h = arg;

    h->value = 1;
    must(ws_group_submit(&h->own, helped, h) == 0, "ws_group_submit");
    raise_flag(&h->begun);
    await_flag(&h->ended);
    must(ws_group_wait(&h->own) == 0 && h->value == 2, "the task that was called");
}

static void helps(void *arg)
{
    struct help h = {.others = WS_GROUP_INIT, .own = WS_GROUP_INIT};

    (void)arg;
    must(ws_group_submit(&h.others, needs_help, &h) == 0, "ws_group_submit");
    await_flag(&h.begun);
    must(ws_group_wait(&h.others) == 0, "ws_group_wait");
}

/* Nobody waits for these tasks but ws_fini(). */
static long loose[TIMES];

static void let_loose(void *arg)
{
    (*(long *)arg)++;
}

static void start(size_t workers, size_t stacks)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.max_stacks = stacks;
    must(ws_init(&config) == 0, "ws_init");
}

static void stop(void)
{
    for (int i = 0; i < TIMES; i++)
        must(ws_submit(let_loose, &loose[i]) == 0, "ws_submit");
    while (ws_fini() == EBUSY)
        usleep(200);
    for (int i = 0; i < TIMES; i++)
        loose[i]++;
}

static void run_one(void (*task)(void *))
{
    ws_group group = WS_GROUP_INIT;

    must(ws_group_submit(&group, task, NULL) == 0, "ws_group_submit");
    must(ws_group_wait(&group) == 0, "ws_group_wait");
}

int main(void)
{
    start(2, 3);
    crowds();
    stop();
    start(2, 0);
    for (int i = 0; i < 5; i++)
        run_one(submits_row);
    stop();
    for (int i = 0; i < 5; i++) {
        start(2, 2); /* anew: a worker that has run tasks may keep a free stack for itself */
        run_one(helps);
        stop();
    }
    for (int i = 0; i < TIMES; i++)
        must(loose[i] == 14, "tasks that nobody waits for");
    puts("queued");
    return 0;
}
