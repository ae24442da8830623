/* SPDX-License-Identifier: MIT */
/*
 * The small workloads that explain work stealing: tasks of random lengths, which begin in given places. Lengths are in
 * units (--unit); SHAPE is fixed, uniform or exponential.
 */
#include <wsfj/sim.h>

#include "check.h"
#include "fail.h"
#include "options.h"
#include "work.h"
#include "workloads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MOST 10000000
#define MEAN_MOST 1e6
#define CHILDREN_MOST 3

struct toy {
    uint64_t hash, length;
    uint64_t begin;      /* the earliest, after the workload's begin */
    unsigned runs, ends; /* how often */
};

static enum work_shape shape;
static double mean, chance, pace;
static uint64_t left; /* tasks that have not ended */

static struct toy *make(uint64_t hash, uint64_t begin)
{
    struct toy *t = sim_new(1, sizeof *t);

    t->hash = work_hash(hash);
    t->length = work_length(shape, mean, t->hash);
    t->begin = begin;
    sim_facts.tasks++;
    left++;
    if (sim_facts.span < (double)(begin + t->length))
        sim_facts.span = (double)(begin + t->length);
    return t;
}

/* Each task runs once. */
static void begin(struct toy *t)
{
    sim_check(t->runs++ == 0, "task %016" PRIx64 " runs twice", t->hash);
    sim_check(sim_time() - sim_facts.began >= t->begin, "task %016" PRIx64 " runs before it was there", t->hash);
}

static void end(struct toy *t)
{
    t->ends++;
    work_done(&left);
}

/* How many children a task has. */
static unsigned children(const struct toy *t)
{
    uint64_t hash = work_hash(t->hash + 1);

    return work_share(hash) < chance ? 1 + (unsigned)(work_hash(hash) % CHILDREN_MOST) : 0;
}

/* Says how long it has waited for a worker. */
static void plain(void *argument)
{
    struct toy *t = argument;

    begin(t);
    sim_latency(sim_time() - sim_facts.began - t->begin);
    sim_work(t->length);
    end(t);
    free(t);
}

static void spawns(void *argument)
{
    struct toy *t = argument;
    unsigned n = children(t);

    begin(t);
    sim_work(t->length / 2);
    for (unsigned i = 0; i < n; i++)
        sim_check(ws_submit(spawns, make(t->hash + 2 + i, t->begin + t->length / 2)) == 0, "no room for a task");
    sim_work(t->length - t->length / 2);
    end(t);
    free(t);
}

/* Returns how long its longest chain is. A parent says by how much it takes longer than that. */
static WS_TASK(uint64_t, waits, struct toy *, t)
{
    uint64_t longest = 0, paths[CHILDREN_MOST] = {0}, began = sim_time();
    struct toy *child[CHILDREN_MOST];
    unsigned n = children(t);

    begin(t);
    sim_work(t->length / 2);
    for (unsigned i = 0; i < n; i++) {
        child[i] = make(t->hash + 2 + i, t->begin + t->length / 2);
        ws_spawn(waits, &paths[i], child[i]);
    }
    ws_sync();
    for (unsigned i = 0; i < n; i++) {
        sim_check(child[i]->ends == 1, "task %016" PRIx64 " goes on before its child has ended", t->hash);
        free(child[i]);
        longest = paths[i] > longest ? paths[i] : longest;
    }
    sim_work(t->length - t->length / 2);
    end(t);
    if (n > 0)
        sim_latency(sim_time() - began - t->length - longest);
    return t->length + longest;
}

static void waits_detached(void *argument)
{
    struct toy *t = argument;
    double path;
    ws_frame();

    path = (double)(t->begin + ws_call(waits, t));
    sim_facts.span = path > sim_facts.span ? path : sim_facts.span;
    free(t);
}

static void generates(void *argument)
{
    uint64_t n = *(uint64_t *)argument, each = work_length(WORK_FIXED, pace, 0);

    for (uint64_t i = 0; i < n; i++) {
        sim_work(each);
        sim_check(ws_submit(plain, make(i, (i + 1) * each)) == 0, "no room for a task");
    }
    work_done(&left);
}

static void give(uint64_t worker, ws_function *fn, struct toy *t)
{
    int error = sim_give((unsigned)worker, fn, t);

    if (error)
        sim_fail(1, "%s: worker %" PRIu64 " takes no more tasks: %s", sim_facts.name, worker,
                 error == EAGAIN ? "all queues are full (WSFJ_MAX_PENDING)" : ws_strerror(error));
}

/* What is the same for all: the first argument is the workload's own, then [MEAN [SHAPE]]. */
static void begin_all(int argc, char **argv, int most, const char *name)
{
    work_most(argc, argv, most);
    mean = work_decimal(argc, argv, 2, 1, MEAN_MOST);
    shape = work_shape(argc, argv, 3, WORK_EXPONENTIAL);
    if (!work_ready())
        exit(1);
    work_begin(name);
}

/* N [MEAN [SHAPE]], and so on; returns N. */
static uint64_t start(int argc, char **argv, int most, const char *name)
{
    uint64_t n = work_number(argc, argv, 1, 20, 1, TASKS_MOST);

    begin_all(argc, argv, most, name);
    return n;
}

static int finish(void)
{
    work_go();
    work_wait(&left);
    work_end();
    return 0;
}

/* To random workers, or all to the first one. */
static int scatter(uint64_t n, ws_function *fn, bool everywhere)
{
    uint64_t workers = everywhere ? ws_num_workers() : 1;

    for (uint64_t i = 0; i < n; i++)
        give(work_hash(~i) % workers, fn, make(i, 0));
    return finish();
}

int sim_workload_independent(int argc, char **argv)
{
    return scatter(start(argc, argv, 3, "independent"), plain, true);
}

int sim_workload_one_worker(int argc, char **argv)
{
    return scatter(start(argc, argv, 3, "one-worker"), plain, false);
}

/* The number at *list, up to a comma or the end, where *list is then. */
static uint64_t next_number(const char **list, const char *all)
{
    size_t length = strcspn(*list, ",");
    char *end;
    unsigned long long n = strtoull(*list, &end, 10);

    if (**list < '0' || **list > '9' || end != *list + length || n > TASKS_MOST)
        sim_fail(SIM_EXIT_USAGE, "placed: argument 1, %s: expected numbers from 0 to %d with commas between them", all,
                 TASKS_MOST);
    *list += length;
    return n;
}

/* LIST: so many tasks to worker 0, to worker 1, and so on. */
int sim_workload_placed(int argc, char **argv)
{
    const char *all = argc > 1 ? argv[1] : "12,1,2,0", *list = all;
    uint64_t worker = 0, made = 0;

    begin_all(argc, argv, 3, "placed");
    do {
        uint64_t n = next_number(&list, all);

        if (worker >= ws_num_workers())
            sim_fail(SIM_EXIT_USAGE, "placed: argument 1, %s: there are only %zu workers", all, ws_num_workers());
        while (n--)
            give(worker, plain, make(made++, 0));
        worker++;
    } while (*list++ == ',');
    if (!made)
        sim_fail(SIM_EXIT_USAGE, "placed: argument 1, %s: there is no task", all);
    return finish();
}

int sim_workload_spawning(int argc, char **argv)
{
    chance = work_decimal(argc, argv, 4, 0.3, 0.49); /* else the tasks never end: each has 2 children if it has any */
    return scatter(start(argc, argv, 4, "spawning"), spawns, true);
}

int sim_workload_waiting(int argc, char **argv)
{
    chance = work_decimal(argc, argv, 4, 0.4, 0.49);
    return scatter(start(argc, argv, 4, "waiting"), waits_detached, true);
}

int sim_workload_generator(int argc, char **argv)
{
    uint64_t n = start(argc, argv, 4, "generator");

    pace = work_decimal(argc, argv, 4, 0.5, MEAN_MOST);
    sim_facts.tasks = left = 1;
    sim_facts.span = (double)(n * work_length(WORK_FIXED, pace, 0));
    if (sim_give(0, generates, &n) != 0)
        return 1;
    return finish();
}

int sim_workload_bursts(int argc, char **argv)
{
    uint64_t n = start(argc, argv, 4, "bursts"),
             late = work_length(WORK_FIXED, work_decimal(argc, argv, 4, 5, MEAN_MOST), 0);

    for (uint64_t i = 0; i < n / 2; i++)
        give(0, plain, make(i, 0));
    left++; /* for the second burst */
    work_go();
    work_until(sim_facts.began + late);
    for (uint64_t i = n / 2; i < n; i++)
        give(ws_num_workers() > 1, plain, make(i, late));
    left--;
    return finish();
}
