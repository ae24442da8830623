/* SPDX-License-Identifier: MIT */
/* libwsfj: ws_group_submit, ws_submit, ws_for. */
#include "small.h"

#include <stddef.h>
#include <wsfj.h>

struct batch {
    long n;
    small_task *f;
    char *first;
};

static int begin(int workers, int beside)
{
    ws_config config;

    (void)beside;
    ws_config_default(&config);
    config.num_workers = (size_t)workers;
    return ws_init(&config);
}

static WS_TASK_VOID(produce, struct batch *, b)
{
    ws_group group = WS_GROUP_INIT;

    for (long i = 0; i < b->n; i++)
        (void)ws_group_submit(&group, b->f, b->first + i);
    (void)ws_group_wait(&group);
}

static void tasks(long n, small_task *f, char *first)
{
    struct batch b = {n, f, first};

    (void)ws_run(produce, &b);
}

static void submit(small_task *f, void *argument, void (*wait)(void))
{
    (void)ws_submit(f, argument);
    wait();
}

static WS_LOOP(iterate, long, i, unsigned char *, runs)
{
    small_iteration(runs, i);
}

static void loop(long n, unsigned char *runs)
{
    (void)ws_for(iterate, 0, n, runs);
}

struct call {
    void (*f)(void *);
    void *argument;
};

static WS_TASK_VOID(inside, struct call *, c)
{
    c->f(c->argument);
}

static int at(enum small_place place, void (*f)(void *), void *argument)
{
    struct call c = {f, argument};

    switch (place) {
    case SMALL_INSIDE: return ws_run(inside, &c);
    case SMALL_PHASE:
        if (ws_phase_begin())
            return -1;
        f(argument);
        return ws_phase_end();
    default: f(argument); return 0;
    }
}

const struct small_contender contender = {begin, tasks, NULL, submit, loop, at};
