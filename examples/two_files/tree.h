/* SPDX-License-Identifier: MIT */
/* tree.h - a binary tree. WS_DECLARE declares a task that another file defines; a header is the place for it. */
#ifndef TREE_H
#define TREE_H

#include <wsfj.h>

struct tree {
    struct tree *left, *right;
    long weight;
};

/* A tree of n nodes of the weights 1 to n; NULL without memory, or if n is 0. */
WS_DECLARE(struct tree *, tree_new, long, n);
WS_DECLARE(long, tree_weight, const struct tree *, tree);

/* Plain functions, older than the library. */
void tree_free(struct tree *tree);
int tree_height(const struct tree *tree);

#endif
