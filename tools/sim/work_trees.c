/* SPDX-License-Identifier: MIT */
/* Fork/join programs whose tree of tasks is known beforehand: mergesort with a serial merge, n queens, UTS and random
 * trees. Each task returns its longest chain, so that the run can be held against its span. */
#include <wsfj/sim.h>

#include "check.h"
#include "options.h"
#include "work.h"
#include "workloads.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define QUEENS_MOST 16
#define CHILDREN_MOST 64

static double leaf; /* nanoseconds */
static uint64_t grain;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Returns what it has paid. */
static double pay(double ns)
{
    uint64_t whole = (uint64_t)(ns + 0.5);

    sim_work(whole);
    return (double)whole;
}

static int start(const char *name)
{
    if (!work_start())
        return 1;
    sim_facts.tasks = 1;
    work_begin(name);
    return 0;
}

static int finish(int error)
{
    work_end();
    return error;
}

/* Sorts n elements: leaf ns for a comparison. Below the grain it is serial. */
static WS_TASK(double, mergesort, uint64_t, n)
{
    double left, right;

    if (n <= grain)
        return pay(n > 1 ? leaf * (double)n * log2((double)n) : 0);
    sim_facts.tasks++;
    ws_spawn(mergesort, &left, n / 2);
    right = ws_call(mergesort, n - n / 2);
    ws_sync();
    return larger(left, right) + pay(leaf * (double)n);
}

int sim_workload_mergesort(int argc, char **argv)
{
    uint64_t n = work_number(argc, argv, 1, 1000000, 1, UINT64_C(100000000000));
    int error;

    work_most(argc, argv, 3);
    grain = work_number(argc, argv, 2, 1000, 1, UINT64_C(100000000000));
    leaf = work_decimal(argc, argv, 3, 2, 1e6);
    if (start("mergesort"))
        return 1;
    for (uint64_t i = n; i > grain; i = i - i / 2)
        sim_facts.depth++;
    error = ws_run(mergesort, &sim_facts.span, n);
    return finish(error);
}

struct board {
    unsigned row;
    uint32_t columns, left, right; /* attacked */
};

static unsigned size;
static uint64_t solutions;

static WS_TASK(double, queens, struct board, b)
{
    double paths[QUEENS_MOST] = {0}, longest = 0, own;
    unsigned n = 0;

    own = pay(leaf);
    if (b.row == size) {
        solutions++;
        return own;
    }
    for (uint32_t free = ~(b.columns | b.left | b.right) & ((1U << size) - 1); free; free &= free - 1) {
        uint32_t column = free & -free;
        struct board next = {b.row + 1, b.columns | column, (b.left | column) << 1, (b.right | column) >> 1};

        sim_facts.tasks++;
        ws_spawn(queens, &paths[n++], next);
    }
    ws_sync();
    for (unsigned i = 0; i < n; i++)
        longest = larger(longest, paths[i]);
    return own + longest;
}

int sim_workload_nqueens(int argc, char **argv)
{
    int error;

    work_most(argc, argv, 2);
    size = (unsigned)work_number(argc, argv, 1, 8, 1, QUEENS_MOST);
    leaf = work_decimal(argc, argv, 2, 1000, 1e12);
    if (start("nqueens"))
        return 1;
    sim_facts.depth = size;
    error = ws_run(queens, &sim_facts.span, (struct board){0, 0, 0, 0});
    printf("nqueens(%u) = %" PRIu64 "\n", size, solutions);
    return finish(error);
}

/* A tree in which the hash of a node alone says how many children it has. */
static unsigned (*children)(uint64_t hash, unsigned depth);
static double chance, width;
static unsigned depth_most;

static WS_TASK(double, tree, uint64_t, hash, unsigned, depth)
{
    unsigned n = depth < depth_most ? children(hash, depth) : 0;
    double paths[CHILDREN_MOST] = {0}, own = pay(leaf), longest = 0;

    sim_facts.tasks++;
    if (sim_facts.depth < depth)
        sim_facts.depth = depth;
    for (unsigned i = 0; i < n; i++)
        ws_spawn(tree, &paths[i], work_hash(hash + i), depth + 1);
    ws_sync();
    for (unsigned i = 0; i < n; i++)
        longest = larger(longest, paths[i]);
    return own + longest;
}

/* Unbalanced tree search (Olivier et al., LCPC 2006): geometric, the width falls with the depth; binomial, the same
 * below the root's children. The hash is not theirs. */
static unsigned geometric(uint64_t hash, unsigned depth)
{
    double p = 1 / (1 + width * (1 - (double)depth / depth_most)), n = floor(log(1 - work_share(hash)) / log(1 - p));

    return n < CHILDREN_MOST ? (unsigned)n : CHILDREN_MOST;
}

static unsigned binomial(uint64_t hash, unsigned depth)
{
    return depth == 0 ? CHILDREN_MOST : work_share(hash) < chance ? 4 : 0;
}

static int run_tree(const char *name)
{
    int error;

    if (start(name))
        return 1;
    sim_facts.tasks = 0;
    error = ws_run(tree, &sim_facts.span, work_hash(0), 0);
    sim_facts.depth += 1;
    return finish(error);
}

int sim_workload_uts(int argc, char **argv)
{
    work_most(argc, argv, 3);
    depth_most = (unsigned)work_number(argc, argv, 1, 10, 1, 1000);
    width = work_decimal(argc, argv, 2, 4, 32);
    leaf = work_decimal(argc, argv, 3, 1000, 1e12);
    children = geometric;
    return run_tree("uts");
}

int sim_workload_uts_binomial(int argc, char **argv)
{
    work_most(argc, argv, 2);
    depth_most = 100000;
    chance = work_decimal(argc, argv, 1, 0.249, 0.2499); /* of 4 children: on average a node has fewer than one child */
    leaf = work_decimal(argc, argv, 2, 10000, 1e12);
    children = binomial;
    return run_tree("uts-binomial");
}

/* A random program: work, then a few children and calls beside each other, again and again, of a random size. */
static WS_TASK(double, program, uint64_t, hash, uint64_t, tasks, unsigned, depth)
{
    double path = pay(leaf * 2 * work_share(hash)), longest = path;
    double ends[4];

    sim_facts.tasks++;
    if (sim_facts.depth < depth)
        sim_facts.depth = depth;
    for (uint64_t rest = tasks - 1, round = 1; rest > 0; round++) {
        unsigned n = 0;
        double starts[4];

        for (unsigned i = 0; i < 4 && rest > 0; i++) {
            uint64_t h = work_hash(hash + 16 * round + i), share = 1 + h % rest;

            if (h >> 32 & 1)
                share = 1 + share / 8;
            rest -= share;
            starts[n] = path;
            ws_spawn(program, &ends[n++], h, share, depth + 1);
            path += pay(leaf * 2 * work_share(work_hash(h)));
        }
        ws_sync();
        longest = path;
        for (unsigned i = 0; i < n; i++)
            longest = larger(longest, starts[i] + ends[i]);
        path = longest;
    }
    return longest;
}

int sim_workload_random(int argc, char **argv)
{
    uint64_t tasks = work_number(argc, argv, 1, 1000, 1, 100000000);
    int error;

    work_most(argc, argv, 2);
    leaf = work_decimal(argc, argv, 2, 1000, 1e12);
    if (start("random"))
        return 1;
    sim_facts.tasks = 0;
    error = ws_run(program, &sim_facts.span, work_hash(1), tasks, 1);
    return finish(error);
}
