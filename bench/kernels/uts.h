/* SPDX-License-Identifier: MIT */
/* The trees of UTS, an unbalanced tree search, and their known numbers of nodes (Olivier, Huan, Liu, Prins, Dinan, Sadayappan and
 * Tseng 2006, "UTS: An Unbalanced Tree Search Benchmark"). A node is described by a SHA-1 value; a child's value follows from the
 * parent's and the child's number. */
#ifndef BENCH_KERNELS_UTS_H
#define BENCH_KERNELS_UTS_H

#include <math.h>
#include <stdint.h>

#define MAX_ROOT_CHILDREN 2000
#define MAX_BINOMIAL_CHILDREN 8
#define MAX_GEOMETRIC_CHILDREN 100 /* the paper's limit */

struct tree {
    int is_binomial;
    int root_children; /* geometric: the mean of every node's children */
    int max_depth;     /* geometric: nodes there have no children */
    int children;      /* binomial: of a node below the root that has children */
    double q;          /* binomial: the probability of children */
    uint32_t seed;
    long nodes; /* the published count */
};

static const struct tree trees[] = {
    {0, 4, 5, 0, 0, 19, 3987}, /* not published: counted by a separate program */
    {0, 4, 10, 0, 0, 19, 4130071},
    {0, 4, 13, 0, 0, 29, 102181082},
    {1, 2000, 0, 8, 0.124875, 42, 4112897},
    {1, 2000, 0, 5, 0.200014, 7, 111345631},
};

struct node {
    uint32_t hash[5];
    int depth;
};

static inline uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

/* One of the 80 rounds. The block holds the last sixteen words in turn. */
#define ROUND(i, f, k)                                                                                                 \
    {                                                                                                                  \
        uint32_t t = rotate(a, 5) + (f) + e + k + w[(i)&15];                                                           \
        w[(i)&15] = rotate(w[((i) + 13) & 15] ^ w[((i) + 8) & 15] ^ w[((i) + 2) & 15] ^ w[(i)&15], 1);                 \
        e = d, d = c, c = rotate(b, 30), b = a, a = t;                                                                 \
    }
#define ROUNDS_4(i, f, k) ROUND(i, f, k) ROUND((i) + 1, f, k) ROUND((i) + 2, f, k) ROUND((i) + 3, f, k)
#define ROUNDS_20(i, f, k)                                                                                             \
    ROUNDS_4(i, f, k) ROUNDS_4((i) + 4, f, k) ROUNDS_4((i) + 8, f, k) ROUNDS_4((i) + 12, f, k) ROUNDS_4((i) + 16, f, k)

/* The SHA-1 value (FIPS 180) of a message of one block, given with its padding. Overwrites the block. */
static void sha1(uint32_t w[16], uint32_t hash[5])
{
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;

    ROUNDS_20(0, d ^ (b & (c ^ d)), 0x5a827999)
    ROUNDS_20(20, b ^ c ^ d, 0x6ed9eba1)
    ROUNDS_20(40, (b & c) | (d & (b | c)), 0x8f1bbcdc)
    ROUNDS_20(60, b ^ c ^ d, 0xca62c1d6)
    hash[0] = 0x67452301 + a;
    hash[1] = 0xefcdab89 + b;
    hash[2] = 0x98badcfe + c;
    hash[3] = 0x10325476 + d;
    hash[4] = 0xc3d2e1f0 + e;
}

static struct node root_of(const struct tree *t)
{
    uint32_t block[16] = {0, 0, 0, 0, t->seed, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 160};
    struct node root;

    sha1(block, root.hash);
    root.depth = 0;
    return root;
}

/* Not inlined: keeps the block out of the frames of deep trees. */
static __attribute__((noinline)) struct node child_of(const struct node *n, int number)
{
    const uint32_t *h = n->hash;
    uint32_t block[16] = {h[0], h[1], h[2], h[3], h[4], (uint32_t)number, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 192};
    struct node child;

    sha1(block, child.hash);
    child.depth = n->depth + 1;
    return child;
}

/* The node's random number, from 0 to less than 1. */
static double random_of(const struct node *n)
{
    return (n->hash[4] & 0x7fffffff) / 2147483648.0;
}

static int geometric_children(const struct tree *t, const struct node *n)
{
    if (n->depth >= t->max_depth)
        return 0;
    double p = 1.0 / (1.0 + t->root_children), children = floor(log(1 - random_of(n)) / log(1 - p));

    return children < MAX_GEOMETRIC_CHILDREN ? (int)children : MAX_GEOMETRIC_CHILDREN;
}

#endif
