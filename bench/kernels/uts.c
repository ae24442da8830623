/* SPDX-License-Identifier: MIT */
/*
 * uts: counts the nodes of a tree whose shape only a hash tells. Extreme imbalance: only stealing balances it. Trees
 * and results of Olivier, Huan, Liu, Prins, Dinan, Sadayappan and Tseng 2006, "UTS: An Unbalanced Tree Search
 * Benchmark". A node is described by a SHA-1 value; a child's value follows from the parent's and the child's number.
 */
#include "common.h"
#include "harness/kernel.h"
#include "uts.h"

static WS_TASK(long, geometric, const struct tree *, t, struct node, n)
{
    int children = geometric_children(t, &n);
    long counts[MAX_GEOMETRIC_CHILDREN];

    for (int i = 0; i < children; i++)
        ws_spawn(geometric, &counts[i], t, child_of(&n, i));
    ws_sync();
    return 1 + kernel_sum(counts, children);
}

/* Thousands of these are on the stack at once, so the frame is small. */
static WS_TASK(long, binomial, const struct tree *, t, struct node, n)
{
    int children = random_of(&n) < t->q ? t->children : 0;
    long counts[MAX_BINOMIAL_CHILDREN];

    for (int i = 0; i < children; i++)
        ws_spawn(binomial, &counts[i], t, child_of(&n, i));
    ws_sync();
    return 1 + kernel_sum(counts, children);
}

static WS_TASK(long, binomial_root, const struct tree *, t)
{
    struct node root = root_of(t);
    long counts[MAX_ROOT_CHILDREN];

    for (int i = 0; i < t->root_children; i++)
        ws_spawn(binomial, &counts[i], t, child_of(&root, i));
    ws_sync();
    return 1 + kernel_sum(counts, t->root_children);
}

struct uts_data {
    const struct tree *tree;
    long result;
};

static void *prepare(long size)
{
    struct uts_data *d = (struct uts_data *)calloc(1, sizeof *d);

    if (d)
        d->tree = &trees[size];
    return d;
}

static int run(void *data)
{
    struct uts_data *d = (struct uts_data *)data;

    d->result = -1;
    if (d->tree->is_binomial)
        return ws_run(binomial_root, &d->result, d->tree);
    return ws_run(geometric, &d->result, d->tree, root_of(d->tree));
}

static int check(void *data)
{
    struct uts_data *d = (struct uts_data *)data;

    return d->result == d->tree->nodes;
}

static double result(void *data)
{
    return (double)((struct uts_data *)data)->result;
}

KERNEL(uts) = {"uts", "unbalanced tree search; size: 1 tree T1, 2 T1L, 3 T3, 4 T3L, 0 a small one",
               1,     0,
               4,     prepare,
               NULL,  run,
               check, result,
               free};
