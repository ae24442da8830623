/* SPDX-License-Identifier: MIT */
#include "tree.h"
#include <stdlib.h>

/* A node of the weight n, with n - 1 below it: the mean of their weights is n / 2. */
WS_TASK(struct tree *, tree_new, long, n)
{
    struct tree *tree = n > 0 ? calloc(1, sizeof *tree) : NULL;
    long left = (n - 1) / 3; /* two thirds are on the right: nothing needs to be balanced */

    if (!tree)
        return NULL;
    tree->weight = n;
    ws_spawn(tree_new, &tree->left, left);
    tree->right = ws_call(tree_new, n - 1 - left);
    ws_sync();
    if ((left > 0 && !tree->left) || (n - 1 - left > 0 && !tree->right)) {
        tree_free(tree);
        return NULL;
    }
    return tree;
}

WS_TASK(long, tree_weight, const struct tree *, tree)
{
    long left, right;

    if (!tree)
        return 0;
    ws_spawn(tree_weight, &left, tree->left);
    right = ws_call(tree_weight, tree->right);
    ws_sync();
    return tree->weight + left + right;
}

void tree_free(struct tree *tree)
{
    if (tree) {
        tree_free(tree->left);
        tree_free(tree->right);
        free(tree);
    }
}

int tree_height(const struct tree *tree)
{
    int left = tree ? tree_height(tree->left) : -1, right = tree ? tree_height(tree->right) : -1;

    return 1 + (left > right ? left : right);
}
