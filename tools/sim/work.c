/* SPDX-License-Identifier: MIT */
#include <wsfj/sim.h>

#include "work.h"

#include "api.h"
#include "check.h"
#include "costs.h"
#include "cpu.h"
#include "engine.h"
#include "fail.h"
#include "options.h"
#include "watch.h"

#include "idle/queued.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GATE_NS UINT64_C(100000000)
#define LONGEST 1e15 /* nanoseconds: some days, of which thousands fit into 64 bits */

struct sim_facts sim_facts;
static uint64_t steals_before;

bool work_start(void)
{
    int error = ws_init(NULL);

    if (error)
        fprintf(stderr, "wsfj-sim: ws_init: %s\n", ws_strerror(error));
    return error == 0;
}

static struct {
    uint64_t here;
    bool is_open;
} gate;
static const struct engine_site gate_here = {"work_ready", "wait", "the begin", __FILE__, __LINE__, NULL, 0, 0};

/* A worker's first task. */
static void stand_still(void *unused)
{
    (void)unused;
    gate.here++;
    (void)sim_wake(&gate.here, 1, NULL);
    while (!gate.is_open)
        (void)sim_wait(&gate.is_open, &gate_here, UINT64_MAX);
}

bool work_ready(void)
{
    if (!work_start())
        return false;
    sim_cpu_outside();
    for (unsigned i = 0; i < ws_num_workers(); i++)
        if (sim_give(i, stand_still, NULL) != 0)
            return false;
    /* A worker that the quota keeps from running comes later, and finds the gate open. */
    while (gate.here < ws_num_workers() && sim_wait(&gate.here, &gate_here, GATE_NS))
        continue;
    wsfj_queued(NULL); /* makes the preempter's thread, which a busy worker would make soon: it takes 10 us */
    sim_watch_restart();
    return true;
}

void work_go(void)
{
    gate.is_open = true;
    (void)sim_wake(&gate.is_open, UINT32_MAX, NULL);
}

void work_until(uint64_t moment)
{
    if (moment > sim_time())
        (void)sim_wait(&moment, NULL, moment - sim_time());
}

void work_begin(const char *name)
{
    struct ws_stats stats = {.size = sizeof stats};

    (void)ws_stats_get(&stats);
    steals_before = stats.steals; /* of the tasks of work_ready() */
    sim_facts.name = name;
    sim_facts.began = sim_time();
    sim_facts.work = sim_worked;
}

void work_check(void)
{
    sim_facts.work = sim_worked - sim_facts.work;
    sim_span((uint64_t)sim_facts.span);
    sim_check_facts();
}

void work_end(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    if (!sim_facts.ended)
        sim_facts.ended = sim_time();
    (void)ws_stats_get(&stats);
    printf("%s: %" PRIu64 " task%s, work %" PRIu64 " ns, span %.0f ns, in %" PRIu64 " ns with %zu worker%s, %" PRIu64
           " steal%s\n",
           sim_facts.name, sim_facts.tasks, SIM_S(sim_facts.tasks), sim_worked - sim_facts.work, sim_facts.span,
           sim_facts.ended - sim_facts.began, ws_num_workers(), SIM_S(ws_num_workers()), stats.steals - steals_before,
           SIM_S(stats.steals - steals_before));
    work_check();
}

static const struct engine_site waits_here = {"work_wait", "wait", "the last task", __FILE__, __LINE__, NULL, 0, 0};

void work_wait(uint64_t *left)
{
    while (*left)
        (void)sim_wait(left, &waits_here, UINT64_MAX);
}

void work_done(uint64_t *left)
{
    if (--*left > 0)
        return;
    sim_facts.ended = sim_time();
    (void)sim_wake(left, 1, sim_costs_wake);
}

uint64_t work_number(int argc, char **argv, int i, uint64_t otherwise, uint64_t least, uint64_t most)
{
    char *end;
    unsigned long long n;

    if (i >= argc)
        return otherwise;
    n = strtoull(argv[i], &end, 10);
    if (*argv[i] < '0' || *argv[i] > '9' || *end || n < least || n > most)
        sim_fail(SIM_EXIT_USAGE, "%s: argument %d, %s: expected a number from %" PRIu64 " to %" PRIu64, argv[0], i,
                 argv[i], least, most);
    return n;
}

double work_decimal(int argc, char **argv, int i, double otherwise, double most)
{
    char *end;
    double value;

    if (i >= argc)
        return otherwise;
    value = strtod(argv[i], &end);
    if (*argv[i] < '0' || *argv[i] > '9' || strspn(argv[i], "0123456789.eE+-") != strlen(argv[i]) || *end ||
        !(value <= most))
        sim_fail(SIM_EXIT_USAGE, "%s: argument %d, %s: expected a decimal number from 0 to %g", argv[0], i, argv[i],
                 most);
    return value;
}

void work_most(int argc, char **argv, int most)
{
    if (argc > most + 1)
        sim_fail(SIM_EXIT_USAGE, "%s: argument %d, %s: it takes %d at most", argv[0], most + 1, argv[most + 1], most);
}

/* Of SplitMix64. */
uint64_t work_hash(uint64_t x)
{
    x += sim_options.seed * UINT64_C(0xd1342543de82ef95) + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

double work_share(uint64_t hash)
{
    return (double)(hash >> 11) / 9007199254740992.0;
}

enum work_shape work_shape(int argc, char **argv, int i, enum work_shape otherwise)
{
    static const char *const names[] = {"fixed", "uniform", "exponential"};

    if (i >= argc)
        return otherwise;
    for (int shape = 0; shape < 3; shape++)
        if (strcmp(argv[i], names[shape]) == 0)
            return (enum work_shape)shape;
    sim_fail(SIM_EXIT_USAGE, "%s: argument %d, %s: expected fixed, uniform or exponential", argv[0], i, argv[i]);
}

uint64_t work_length(enum work_shape shape, double mean, uint64_t hash)
{
    double length = mean * (double)sim_options.unit, share = work_share(hash);

    if (shape == WORK_UNIFORM)
        length *= 2 * share;
    else if (shape == WORK_EXPONENTIAL)
        length *= -log(1 - share);
    return (uint64_t)(length < LONGEST ? length + 0.5 : LONGEST);
}
