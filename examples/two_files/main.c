/* SPDX-License-Identifier: MIT */
/*
 * two_files [NODES] - describes a tree. It shows tasks of another file (tree.h), ws_frame, which lets an old function
 * spawn, and WS_SPAWNABLE, which makes an old function spawnable.
 */
#include "tree.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 10000000 };

struct summary {
    long weight;
    int height;
};

WS_SPAWNABLE(int, tree_height, const struct tree *, tree);

/* An ordinary function, called as ever. Called outside of any task, it works, too, and is serial. */
static void summarise(const struct tree *tree, struct summary *s)
{
    ws_frame();

    ws_spawn(tree_height, &s->height, tree);
    s->weight = ws_call(tree_weight, tree);
    ws_sync();
}

static WS_TASK(int, describe, long, nodes, struct summary *, s)
{
    struct tree *tree = ws_call(tree_new, nodes);

    if (!tree)
        return ENOMEM;
    summarise(tree, s);
    tree_free(tree);
    return 0;
}

int main(int argc, char **argv)
{
    char *end = "";
    long nodes = argc == 2 ? strtol(argv[1], &end, 10) : 100000;
    struct summary s;
    int error, no_tree;

    if (argc > 2)
        return fputs("usage: two_files [NODES]\n", stderr), 2;
    if ((argc == 2 && end == argv[1]) || *end || nodes < 1 || nodes > MAX_NODES)
        return fprintf(stderr, "two_files: '%s' is not a number from 1 to %d\n", argv[1], MAX_NODES), 2;
    error = ws_run(describe, &no_tree, nodes, &s);
    if (error)
        return fprintf(stderr, "two_files: %s\n", ws_strerror(error)), 1;
    if (no_tree)
        return fprintf(stderr, "two_files: %ld nodes: %s\n", nodes, strerror(no_tree)), 1;
    if (printf("%ld nodes: weight %ld, height %d\n", nodes, s.weight, s.height) < 0 || fclose(stdout))
        return fprintf(stderr, "two_files: standard output: %s\n", strerror(errno)), 1;
    return 0;
}
