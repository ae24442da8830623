/* SPDX-License-Identifier: MIT */
/*
 * treesum: adds up the nodes of a binary tree, with one task for each node. Like fib it measures spawn cost, but on
 * subtrees of any size and with waits for memory. After psum-tree of Mohr, Kranz and Halstead 1991, "Lazy Task
 * Creation: A Technique for Increasing the Granularity of Parallel Programs".
 */
#include "common.h"
#include "harness/kernel.h"

#define WINDOW_LOG 16 /* successive nodes of a walk are anywhere in a window of 2^16 nodes: 1.5 MiB */

struct node {
    struct node *left, *right; /* both or none */
    long value;
};

static WS_TASK(long, sum, const struct node *, n)
{
    if (!n->left)
        return n->value;
    long left, right;

    ws_spawn(sum, &left, n->left);
    right = ws_call(sum, n->right);
    ws_sync();
    return left + right + n->value;
}

struct treesum_data {
    size_t places, used, window;
    struct node *nodes; /* the root first */
    long result;
};

/* The index of the next node: depth-first, but scattered over the window by an odd multiplier. */
static struct node *take_place(struct treesum_data *d)
{
    size_t i = d->used++, within = d->window - 1;

    return d->nodes + ((i & ~within) | (i * 40503 & within));
}

/* A tree of an odd number of nodes; every odd number up to `count` - 2 is equally likely for its left side. */
static struct node *grow(struct treesum_data *d, size_t count, uint64_t *seed)
{
    struct node *n = take_place(d);

    n->value = (long)(kernel_random(seed) >> 40);
    if (count > 1) {
        size_t left = 2 * (size_t)(kernel_random(seed) % (count / 2)) + 1;

        n->left = grow(d, left, seed);
        n->right = grow(d, count - 1 - left, seed);
    }
    return n;
}

static void *prepare(long size)
{
    struct treesum_data *d = (struct treesum_data *)calloc(1, sizeof *d);
    uint64_t seed = 1;

    if (!d)
        return NULL;
    d->places = (size_t)1 << (size > 1 ? size : 1);
    d->window = (size_t)1 << (size > WINDOW_LOG ? WINDOW_LOG : size > 1 ? size : 1);
    d->nodes = (struct node *)calloc(d->places, sizeof *d->nodes);
    if (!d->nodes) {
        free(d);
        return NULL;
    }
    grow(d, d->places - 1, &seed);
    return d;
}

static int run(void *data)
{
    struct treesum_data *d = (struct treesum_data *)data;

    d->result = -1;
    return ws_run(sum, &d->result, d->nodes);
}

/* Against a sum in the order of the array. The only entry without a node is zero. */
static int check(void *data)
{
    struct treesum_data *d = (struct treesum_data *)data;
    long total = 0;

    for (size_t i = 0; i < d->places; i++)
        total += d->nodes[i].value;
    return d->result == total;
}

static double result(void *data)
{
    return (double)((struct treesum_data *)data)->result;
}

static void release(void *data)
{
    struct treesum_data *d = (struct treesum_data *)data;

    free(d->nodes);
    free(d);
}

KERNEL(treesum) = {
    "treesum", "sum over a random binary tree of 2^n - 1 nodes; size: n", 24, 12, 28, prepare, NULL, run, check, result,
    release};
