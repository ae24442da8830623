/* SPDX-License-Identifier: MIT */
/*
 * Plays a recorded graph (doc/graph.md): what the program did, with sim_work() in the place of its strands. Nodes stay
 * shared; a task keeps only where it is in its node and the parts inside. Each length is paid exactly, so T1 is the
 * graph's. A run of iterations is divided as the runtime divides the loop.
 */
#include <wsfj/sim.h>

#include "work_graph.h"

#include "calls.h"
#include "check.h"
#include "fail.h"
#include "work.h"
#include "workloads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FEW 8 /* parts in parts, for which the stack has room */

static struct plan plan;
static struct sim_payer work, sleep_;
static uint64_t *begun; /* each node */
static uint64_t left, num_done;

/* The next item of a node, of which `done` repetitions are over. */
struct cursor {
    uint32_t node;
    size_t item;
    uint64_t done;
};

static WS_DECLARE_VOID(play, uint32_t, node, uint64_t *, ended);
static void play_loop(uint32_t node);

static void pay(sim_sum length)
{
    sim_work(sim_pay(&work, length));
}

static void detached(void *node)
{
    ws_frame();
    ws_call(play, (uint32_t)(uintptr_t)node, NULL);
    num_done++;
    work_done(&left);
}

static void submit(uint32_t node, uint32_t number)
{
    ws_group *group = plan_group(&plan, number);
    void *argument = (void *)(uintptr_t)node;
    int error;

    left++;
    error = group ? ws_group_submit(group, detached, argument) : ws_submit(detached, argument);
    if (error)
        sim_fail(1, "%s: a task cannot be submitted: %s", sim_facts.name, ws_strerror(error));
}

static void wait_for(uint32_t number)
{
    if (ws_group_wait(plan_group(&plan, number)) == EBUSY)
        sim_fail(SIM_EXIT_USAGE, "%s: two tasks wait for group %u at the same time", sim_facts.name, number);
}

static void sleep_for(sim_sum length)
{
    uint64_t ns = sim_pay(&sleep_, length);

    sim_facts.blocked += ns;
    WS_BLOCKING
    {
        sim_sleep(ns);
    }
}

/* Does an item that needs no frame. */
static void play_item(const struct graph_item *item)
{
    switch (item->kind) {
    case GRAPH_WORK: pay(plan.lengths[item->cost]); break;
    case GRAPH_BLOCK: sleep_for(plan.lengths[item->cost]); break;
    case GRAPH_LOOP: play_loop(item->node); break;
    case GRAPH_SUBMIT: submit(item->node, item->group); break;
    case GRAPH_POST: submit(plan.posts[item->node].task->node, plan.posts[item->node].task->group); break;
    case GRAPH_WAIT: wait_for(item->group); break;
    case GRAPH_YIELD: ws_yield(); break;
    default: break;
    }
}

/* The next thing to do; NULL: the node is done. Parts are entered and left here. */
static const struct graph_item *next(struct cursor *stack, unsigned *depth)
{
    for (;;) {
        struct cursor *c = &stack[*depth];
        const struct graph_node *n = &plan.graph.nodes[c->node];
        const struct graph_item *item = &plan.graph.items[n->first + c->item];

        if (c->item == n->count) {
            if (*depth == 0)
                return NULL;
            --*depth;
        } else if (c->done == item->times) {
            c->item++;
            c->done = 0;
        } else {
            c->done++;
            if (item->kind != GRAPH_PART)
                return item;
            stack[++*depth] = (struct cursor){item->node, 0, 0};
            begun[item->node]++;
        }
    }
}

/* A task, or a call in one: a scope. `ended`: how many children of the scope that spawned it have ended. */
static WS_TASK_VOID(play, uint32_t, node, uint64_t *, ended)
{
    struct cursor few[FEW], *stack = plan.parts[node] < FEW ? few : sim_new(plan.parts[node] + 1, sizeof *stack);
    const struct graph_item *item;
    uint64_t spawned = 0, children = 0;
    unsigned depth = 0;

    begun[node]++;
    stack[0] = (struct cursor){node, 0, 0};
    while ((item = next(stack, &depth))) {
        if (item->kind == GRAPH_SPAWN) {
            spawned++;
            ws_spawn(play, item->node, &children);
        } else if (item->kind == GRAPH_CALL) {
            ws_call(play, item->node, NULL);
        } else {
            play_item(item);
        }
    }
    if (stack != few)
        free(stack);
    ws_sync();
    sim_check(children == spawned, "node %u ends with %" PRIu64 " of %" PRIu64 " children", node, children, spawned);
    num_done += spawned;
    if (ended)
        ++*ended;
}

static uint64_t iterations_of(const struct graph_item *item)
{
    return item->kind == GRAPH_RUN ? item->iterations : item->kind == GRAPH_PART ? plan.iterations[item->node] : 1;
}

static void play_iterations(uint32_t node, uint64_t lo, uint64_t hi);

/* Iterations of one repetition of an item. */
static void play_piece(const struct graph_item *item, uint64_t lo, uint64_t hi)
{
    if (item->kind == GRAPH_RUN)
        pay(sim_length_part(plan.lengths[item->cost], lo, hi, item->iterations));
    else if (item->kind == GRAPH_PART)
        play_iterations(item->node, lo, hi);
    else if (item->kind == GRAPH_CALL)
        play(item->node, NULL);
    else
        play_item(item);
}

/* The item that has the iteration: the last of those that begin there or before. */
static size_t item_at(const struct graph_node *n, uint64_t iteration)
{
    size_t low = 0, high = n->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (plan.before[n->first + middle] <= iteration)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Iterations of a node in a loop. */
static void play_iterations(uint32_t node, uint64_t lo, uint64_t hi)
{
    const struct graph_node *n = &plan.graph.nodes[node];

    for (size_t i = item_at(n, lo); i < n->count && plan.before[n->first + i] < hi; i++) {
        const struct graph_item *item = &plan.graph.items[n->first + i];
        uint64_t each = iterations_of(item), begin = plan.before[n->first + i];
        uint64_t from = lo > begin ? lo - begin : 0,
                 to = hi - begin < each * item->times ? hi - begin : each * item->times;

        while (from < to) {
            uint64_t first = from / each * each, end = to < first + each ? to : first + each;

            play_piece(item, from - first, end - first);
            from = end;
        }
    }
}

/* A loop of the program remembers how long its iterations take. The file does not say
 * which loops of the graph were the same one, so a few of them share what they remember. */
#define LOOPS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define LOOP(k)                                                                                                        \
    static WS_RANGE(loop_##k, uint64_t, lo, hi, uint32_t, node)                                                        \
    {                                                                                                                  \
        play_iterations(node, lo, hi);                                                                                 \
    }
LOOPS(LOOP)
#define NAME(k) loop_##k,
static void (*const loops[])(uint64_t lo, uint64_t hi, uint32_t node) = {LOOPS(NAME)};

static void play_loop(uint32_t node)
{
    loops[node % (sizeof loops / sizeof *loops)](0, plan.iterations[node], node);
}

/* The regions of one thread in one epoch. */
struct thread {
    pthread_t id;
    uint32_t number;
    size_t from, to;
};

static void *run_regions(void *argument)
{
    const struct thread *t = argument;

    for (size_t i = t->from; i < t->to; i++) {
        int error;

        if (plan.graph.regions[i].thread != t->number)
            continue;
        error = ws_run(play, plan.graph.regions[i].node, NULL);
        if (error)
            sim_fail(1, "%s: ws_run: %s", sim_facts.name, ws_strerror(error));
        num_done++;
    }
    return NULL;
}

/* The first thread of the epoch is the calling one. */
static void run_epoch(size_t from, size_t to)
{
    static struct engine_site joins = {"run_epoch", "join", "a thread of the program", __FILE__, __LINE__, NULL, 0, 0};
    struct thread *threads = sim_new(to - from, sizeof *threads);
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        size_t j = 0;

        while (j < n && threads[j].number != plan.graph.regions[i].thread)
            j++;
        if (j == n)
            threads[n++] = (struct thread){.number = plan.graph.regions[i].thread, .from = i, .to = to};
    }
    for (size_t j = 1; j < n; j++)
        (void)engine_create(&threads[j].id, NULL, run_regions, &threads[j]);
    run_regions(&threads[0]);
    for (size_t j = 1; j < n; j++)
        (void)engine_join(&joins, threads[j].id);
    free(threads);
}

/* Begins or ends the phase in which the epoch's regions began. */
static void go_into_phase(const struct graph_region *region, bool *is_open)
{
    bool begins = region && region->in_phase;
    int error = begins == *is_open ? 0 : begins ? ws_phase_begin() : ws_phase_end();

    if (error)
        sim_fail(1, "%s: a phase: %s", sim_facts.name, ws_strerror(error));
    *is_open = begins;
}

static void check(void)
{
    for (size_t n = 0; n < plan.graph.num_nodes; n++)
        sim_check(begun[n] == plan.wanted[n], "node %zu was played %" PRIu64 " times, not %" PRIu64, n, begun[n],
                  plan.wanted[n]);
    sim_check(work.paid == plan.work && sim_facts.work == (uint64_t)(plan.work >> LENGTH_BITS),
              "%" PRIu64 " ns of work were played, not %" PRIu64, sim_facts.work, (uint64_t)(plan.work >> LENGTH_BITS));
    sim_check(sleep_.paid == plan.blocked, "%" PRIu64 " ns were slept, not %" PRIu64, sim_facts.blocked,
              (uint64_t)(plan.blocked >> LENGTH_BITS));
    sim_check(num_done == plan.sums.tasks, "%" PRIu64 " tasks have ended, not %" PRIu64, num_done, plan.sums.tasks);
}

int sim_workload_graph(int argc, char **argv)
{
    size_t num_regions;
    bool in_phase = false;

    work_most(argc, argv, 0);
    plan_read(&plan, argv[0]);
    begun = sim_new(plan.graph.num_nodes + 1, sizeof *begun);
    num_regions = plan.graph.num_regions;
    if (!work_start())
        return 1;
    sim_facts.span = plan.span;
    sim_facts.chain = plan.chain;
    sim_facts.tasks = plan.sums.tasks;
    sim_facts.depth = plan.depth;
    work_begin(argv[0]);
    left = 1;
    for (size_t i = 0, j = 0; i < num_regions; i = j) {
        while (j < num_regions && plan.graph.regions[j].epoch == plan.graph.regions[i].epoch)
            j++;
        go_into_phase(&plan.graph.regions[i], &in_phase);
        run_epoch(i, j);
    }
    go_into_phase(NULL, &in_phase);
    work_done(&left);
    work_wait(&left);
    work_end();
    check();
    return 0;
}
