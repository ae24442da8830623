/* SPDX-License-Identifier: MIT */
/*
 * Where a task of a random program stores its value: results of 8, 16, 48 and 100 bytes, or none. All but the smallest
 * hold the value more than once. Neighbour: tasks.h.
 */
#ifndef TESTS_RANDOM_PLACE_H
#define TESTS_RANDOM_PLACE_H

#include "log.h"
#include "tree.h"

enum kind { WORD, PAIR, SIX, LARGE, FAT, NOTE, BLOCK, LOOPS, SCOPES, KINDS /* in a place: the value itself */ };

struct pair {
    uint64_t v[2];
};

struct six {
    uint64_t v[6];
};

struct large {
    uint32_t v[25];
};

/* What a parent keeps for a child. */
struct place {
    enum kind kind;
    union {
        uint64_t word; /* of NOTE too, by pointer */
        struct pair pair;
        struct six six;
        struct large large;
    } result;
    uint64_t late[LATE]; /* written by the child's late children */
};

/* The arguments of a task of kind FAT: 80 bytes. */
struct fat {
    struct node node;
    struct place *own;
    uint64_t copies[7];
};

/* An empty place for a child of this kind, or of the kind given by the node's hash. */
struct place *open_as(struct place *place, enum kind kind);
struct place *open_for(struct place *place, struct node node);

struct pair pair_of(uint64_t value);
struct six six_of(uint64_t value);
struct large large_of(uint64_t value);
struct fat fat_of(struct node node, struct place *own);

/* The value of a child that is done; checks all copies. values_of() adds the values of n children to `sum`. */
uint64_t value_of(const struct place *place);
uint64_t values_of(uint64_t sum, const struct place *places, unsigned n);

#endif
