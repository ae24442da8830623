/* SPDX-License-Identifier: MIT */
/*
 * The shape of a random program: a tree of nodes, each drawn from a hash of its path and the program's seed. A node
 * holds all that is needed to draw its children, so the tree is never stored. Neighbour: tasks.h, the nodes as tasks.
 */
#ifndef TESTS_RANDOM_TREE_H
#define TESTS_RANDOM_TREE_H

#include <stdint.h>

#define CHILDREN 32 /* the most that a node has, ... */
#define LATE 3      /* ... and the most late children, which are pending when their parent returns */

struct node {
    uint64_t hash;
    uint32_t size; /* nodes in this subtree */
    uint32_t depth;
};

/* The children not yet drawn, in order: the late ones come last. */
struct brood {
    struct node parent;
    uint32_t nodes, children, late;
    uint32_t spawns; /* of children that are not late, so far */
};

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xbf58476d1ce4e5b9);

    x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 32;
}

/* A number below `below`; `what` tells the draws of one node apart. */
static inline uint32_t pick(struct node node, unsigned what, uint32_t below)
{
    return (uint32_t)(mix(node.hash, 1000 + what) >> 32) % below;
}

/* The program of this seed, of fewer than 2^size_bits nodes. */
struct node root_of(unsigned seed, unsigned size_bits);

struct brood brood_of(struct node node);
struct node next_child(struct brood *brood);

/* A node's value with those of its late children. */
uint64_t with_late(uint64_t value, const uint64_t *late);

/* The program's value by plain recursion; adds its nodes to `nodes`. */
uint64_t serial_value(struct node node, long *nodes);

#endif
