/* SPDX-License-Identifier: MIT */
/*
 * Plays a plain graph (doc/graph.md). A task begins when its parent has begun, all tasks before it have ended, and it has
 * arrived: what comes last starts it. If that is the parent, the task is spawned, and the parent waits for it at its end.
 * Else it is a detached task, submitted by the task that ended last, or from outside. A task that names a worker is
 * given to that one (sim_give()).
 */
#include <wsfj/sim.h>

#include "check.h"
#include "dag.h"
#include "fail.h"
#include "lengths.h"
#include "work.h"
#include "workloads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK_MOST 9007199254740992.0 /* 2^53 ns */

/* Tasks by what they follow: `tasks` from first[t] to first[t + 1]. */
struct lists {
    size_t *first;
    uint32_t *tasks;
};

struct state {
    uint64_t waits_for; /* so many things are still to happen */
    bool has_begun, has_ended;
};

static struct dag dag;
static struct lists children, followers;
static struct state *states;
static struct sim_payer payer;
static uint64_t left;
static const char *file_name;

static WS_DECLARE_VOID(dag_task, uint32_t, t);

static void detached(void *t)
{
    ws_frame();
    ws_call(dag_task, (uint32_t)(uintptr_t)t);
}

static void start(uint32_t t)
{
    const struct dag_task *task = &dag.tasks[t];
    void *argument = (void *)(uintptr_t)t;
    int error = task->worker == DAG_NONE ? ws_submit(detached, argument) : sim_give(task->worker, detached, argument);

    if (error)
        sim_fail(1, "%s:%" PRIu64 ": task %.40s cannot be submitted: %s", file_name, task->line, task->id,
                 error == EAGAIN ? "all queues are full (WSFJ_MAX_PENDING)" : ws_strerror(error));
}

static void begin(uint32_t t)
{
    const struct dag_task *task = &dag.tasks[t];

    sim_check(!states[t].has_begun, "task %.40s runs twice", task->id);
    sim_check((double)(sim_time() - sim_facts.began) >= task->arrival - 1, "task %.40s runs before it arrives",
              task->id);
    sim_check(task->parent == DAG_NONE || states[task->parent].has_begun, "task %.40s runs before its parent", task->id);
    for (size_t i = task->first; i < task->first + task->count; i++)
        sim_check(states[dag.after[i]].has_ended, "task %.40s runs before task %.40s has ended", task->id,
                  dag.tasks[dag.after[i]].id);
    states[t].has_begun = true;
}

static WS_TASK_VOID(dag_task, uint32_t, t)
{
    begin(t);
    for (size_t i = children.first[t]; i < children.first[t + 1]; i++) {
        uint32_t child = children.tasks[i];

        if (--states[child].waits_for > 0)
            continue;
        if (dag.tasks[child].worker == DAG_NONE)
            ws_spawn(dag_task, child);
        else
            start(child);
    }
    sim_work(sim_pay(&payer, sim_length(dag.tasks[t].cost)));
    states[t].has_ended = true;
    for (size_t i = followers.first[t]; i < followers.first[t + 1]; i++)
        if (--states[followers.tasks[i]].waits_for == 0)
            start(followers.tasks[i]);
    ws_sync();
    work_done(&left);
}

/* Calls add(list, predecessor, task) for all pairs, in the order of tasks. */
static void count(struct lists *l, uint32_t before, uint32_t t)
{
    (void)t;
    l->first[before + 1]++;
}

static void fill(struct lists *l, uint32_t before, uint32_t t)
{
    l->tasks[l->first[before]++] = t;
}

static void for_all(void (*add)(struct lists *, uint32_t, uint32_t))
{
    for (uint32_t t = 0; t < dag.num_tasks; t++) {
        const struct dag_task *task = &dag.tasks[t];

        if (task->parent != DAG_NONE)
            add(&children, task->parent, t);
        for (size_t i = task->first; i < task->first + task->count; i++)
            add(&followers, dag.after[i], t);
    }
}

static void make_list(struct lists *l, size_t pairs)
{
    l->first = sim_new(dag.num_tasks + 2, sizeof *l->first);
    l->tasks = sim_new(pairs + 1, sizeof *l->tasks);
}

static void make_lists(void)
{
    struct lists *both[] = {&children, &followers};

    make_list(&children, dag.num_tasks);
    make_list(&followers, dag.num_after);
    for_all(count);
    for (int i = 0; i < 2; i++)
        for (size_t t = 0; t < dag.num_tasks; t++)
            both[i]->first[t + 1] += both[i]->first[t];
    for_all(fill); /* each `first` is now that of the next task */
    for (int i = 0; i < 2; i++) {
        memmove(both[i]->first + 1, both[i]->first, (dag.num_tasks + 1) * sizeof *both[i]->first);
        both[i]->first[0] = 0;
    }
}

static int by_arrival(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double p = dag.tasks[x].arrival, q = dag.tasks[y].arrival;

    return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

/* From outside: what arrives at once, and then what arrives later. */
static void arrivals(void)
{
    uint32_t *order = sim_new(dag.num_tasks, sizeof *order);

    for (uint32_t t = 0; t < dag.num_tasks; t++)
        order[t] = t;
    qsort(order, dag.num_tasks, sizeof *order, by_arrival);
    for (size_t i = 0; i < dag.num_tasks; i++) {
        uint32_t t = order[i];
        uint64_t at = sim_facts.began + (uint64_t)dag.tasks[t].arrival;

        if (dag.tasks[t].arrival > 0)
            work_go();
        work_until(at);
        if (--states[t].waits_for == 0)
            start(t);
    }
    work_go();
    free(order);
}

static void read_file(const char *name)
{
    char error[512];
    FILE *file = fopen(name, "re");

    if (!file)
        sim_fail(SIM_EXIT_USAGE, "%s: %s", name, strerror(errno));
    if (!dag_read(&dag, file, name, error, sizeof error))
        sim_fail(SIM_EXIT_USAGE, "%s", error);
    fclose(file);
    file_name = name;
}

int sim_workload_dag(int argc, char **argv)
{
    struct dag_sums sums;
    sim_sum work = 0;

    work_most(argc, argv, 0);
    read_file(argv[0]);
    if (!dag_sum(&dag, &sums))
        sim_fail(SIM_EXIT_SYSTEM, "no memory");
    if (sums.work > WORK_MOST || sums.end > WORK_MOST)
        sim_fail(SIM_EXIT_USAGE, "%s: it takes %g ns, more than 2^53", file_name, sums.end);
    make_lists();
    states = sim_new(dag.num_tasks, sizeof *states);
    if (!work_ready())
        return 1;
    for (uint32_t t = 0; t < dag.num_tasks; t++) {
        const struct dag_task *task = &dag.tasks[t];

        states[t].waits_for = 1 + task->count + (task->parent != DAG_NONE); /* 1: the arrival */
        work += sim_length(task->cost);
        if (task->worker != DAG_NONE && task->worker >= ws_num_workers())
            sim_fail(SIM_EXIT_USAGE, "%s:%" PRIu64 ": worker %u, and there are only %zu", file_name, task->line,
                     task->worker, ws_num_workers());
    }
    left = sim_facts.tasks = dag.num_tasks;
    sim_facts.span = sums.end;
    sim_facts.chain = 2 * (uint64_t)dag.num_tasks; /* arrivals are cut to nanoseconds, too */
    work_begin(file_name);
    arrivals();
    work_wait(&left);
    work_end();
    sim_check(payer.paid == work && sim_facts.work == (uint64_t)(work >> LENGTH_BITS),
              "%" PRIu64 " ns of work were done, not %" PRIu64, sim_facts.work, (uint64_t)(work >> LENGTH_BITS));
    return 0;
}

/* A recorded graph says so in its first line. */
int sim_workload_file(int argc, char **argv)
{
    static const char magic[] = "wsfj-graph";
    char begin[sizeof magic] = "";
    FILE *file = fopen(argv[0], "re");

    if (!file)
        sim_fail(SIM_EXIT_USAGE, "%s: %s", argv[0], strerror(errno));
    if (!fgets(begin, sizeof begin, file))
        sim_fail(SIM_EXIT_USAGE, "%s:1: %s", argv[0], ferror(file) ? strerror(errno) : "the file is empty");
    fclose(file);
    return strcmp(begin, magic) == 0 ? sim_workload_graph(argc, argv) : sim_workload_dag(argc, argv);
}
