/* SPDX-License-Identifier: MIT */
#include "tree.h"

#define DEEPEST 64

struct node root_of(unsigned seed, unsigned size_bits)
{
    struct node root = {.hash = mix(seed, 1)};

    root.size = 1 + pick(root, 14, 1u << pick(root, 15, size_bits + 1));
    return root;
}

struct brood brood_of(struct node node)
{
    static const uint8_t most[] = {1, 2, 2, 2, 3, 4, 6, CHILDREN};
    struct brood brood = {.parent = node, .nodes = node.size - 1};

    brood.late = pick(node, 0, 6) ? 0 : 1 + pick(node, 1, LATE);
    brood.children = most[pick(node, 2, sizeof most)];
    if (brood.children > 2)
        brood.children = 1 + pick(node, 3, brood.children);
    if (brood.late > brood.nodes)
        brood.late = brood.nodes;
    if (brood.children > brood.nodes - brood.late)
        brood.children = brood.nodes - brood.late;
    return brood;
}

struct node next_child(struct brood *brood)
{
    uint32_t siblings = brood->children + brood->late, spare = brood->nodes - siblings;
    struct node child = {.hash = mix(brood->parent.hash, siblings), .size = 1, .depth = brood->parent.depth + 1};
    uint32_t share = siblings == 1 ? spare : pick(child, 4, 2 * spare / siblings + 1);

    if (child.depth < DEEPEST)
        child.size += share < spare ? share : spare;
    brood->nodes -= child.size;
    if (brood->children)
        brood->children--;
    else
        brood->late--;
    return child;
}

uint64_t with_late(uint64_t value, const uint64_t *late)
{
    for (int i = 0; i < LATE; i++)
        value = mix(value, late[i]);
    return value;
}

uint64_t serial_value(struct node node, long *nodes)
{
    struct brood brood = brood_of(node);
    uint64_t value = node.hash, late[LATE] = {0};

    while (brood.children)
        value = mix(value, serial_value(next_child(&brood), nodes));
    for (int i = 0; brood.late; i++)
        late[i] = serial_value(next_child(&brood), nodes);
    ++*nodes;
    return with_late(value, late);
}
