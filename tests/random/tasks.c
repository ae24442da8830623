/* SPDX-License-Identifier: MIT */
#include "tasks.h"

#include "../stress/stress.h"
#include "kinds.h"
#include "ways.h"

#include <errno.h>
#include <time.h>

/* Without the caller's frame. */
__attribute__((noinline)) static void call_plainly(struct node node, struct place *place)
{
    CALL_ANY_PLAINLY(node, place)
}

bool program_waits_for_memory;

__attribute__((noinline)) static int run_once(struct node node, struct place *place)
{
    RUN_ANY(node, place)
}

int program_run(struct node node, struct place *place)
{
    int error;

    while ((error = run_once(node, place)) == ENOMEM && program_waits_for_memory)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return error;
}

/* The value of a child that is already done. */
static void keep_value(struct place *p)
{
    uint64_t value = value_of(p);

    p->kind = KINDS;
    p->result.word = value;
}

/* With two children the fib of the README, else spawns of one kind in a row, three at a time. */
static WS_TASK(uint64_t, word, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    uint64_t sum = node.hash;

    program_work(node);
    if (brood.children == 2) {
        struct place a, b;
        struct node first = next_child(&brood), second = next_child(&brood);
        uint64_t x;

        SPAWN_IT(word, &x, first, open_as(&a, WORD));
        b.result.word = ws_call(word, second, open_as(&b, WORD));
        ws_sync();
        a.result.word = x;
        sum = values_of(values_of(sum, &a, 1), &b, 1);
        SPAWN_LATE(brood, own);
        return sum;
    }
    while (brood.children) {
        switch (pick(node, brood.children, 4)) {
        case 0: STRAIGHT(uint64_t, word, WORD, word, n, p); break;
        case 1: STRAIGHT(struct pair, pair, PAIR, pair, PAIR_ARGS(n, p)); break;
        case 2: STRAIGHT(struct six, six, SIX, six, SIX_ARGS(n, p)); break;
        default: STRAIGHT(struct large, large, LARGE, large, n, p);
        }
    }
    SPAWN_LATE(brood, own);
    return sum;
}

/* Spawns of different kinds in a row; returns from the middle, after a sync. */
static WS_TASK(struct pair, pair, uint8_t, a, struct node, node, float, b, struct place *, own, int16_t, c, double, d,
               char, e, uint32_t, f)
{
    struct brood brood = brood_of(node);
    struct place p[CHILDREN];
    struct node n;
    unsigned k = 0;

    program_check(a == (uint8_t)node.hash && b == (float)node.depth && c == (int16_t)(node.hash >> 8) &&
                  d == (double)node.size && e == (char)(node.hash & 15) && f == node.size);
    program_work(node);
    if (brood.children) {
        n = next_child(&brood);
        SPAWN_IT(large, &p[0].result.large, n, open_as(&p[0], LARGE));
        k = 1;
    }
    if (brood.children) {
        n = next_child(&brood);
        SPAWN_IT(fat, &p[1].result.word, fat_of(n, open_as(&p[1], FAT)));
        k = 2;
    }
    if (brood.children == 0) {
        ws_sync();

        uint64_t sum = values_of(node.hash, p, k);

        SPAWN_LATE(brood, own);
        return pair_of(sum);
    }
    n = next_child(&brood);
    SPAWN_IT(note, n, open_as(&p[2], NOTE));
    for (k = 3; brood.children; k++) {
        n = next_child(&brood);
        SPAWN_IT(word, &p[k].result.word, n, open_as(&p[k], WORD));
    }
    ws_sync();

    uint64_t sum = values_of(node.hash, p, k);

    SPAWN_LATE(brood, own);
    return pair_of(sum);
}

static WS_TASK(struct six, six, struct node, node, struct place *, own, uint64_t, a, double, b, uint64_t, c)
{
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    unsigned k = 0;

    program_check(a == ~node.hash && b == (double)node.size && c == node.hash);
    program_work(node);
    switch (pick(node, 9, KINDS)) {
    case WORD: LOOP(WORD, word, &p->result.word, n, p);
    case PAIR: LOOP(PAIR, pair, &p->result.pair, PAIR_ARGS(n, p));
    case SIX: LOOP(SIX, six, &p->result.six, SIX_ARGS(n, p));
    case LARGE: LOOP(LARGE, large, &p->result.large, n, p);
    case FAT: LOOP(FAT, fat, &p->result.word, fat_of(n, p));
    case NOTE: LOOP(NOTE, note, n, p);
    case LOOPS: LOOP(LOOPS, program_loops, &p->result.word, n, p);
    case SCOPES: LOOP(SCOPES, program_scopes, &p->result.word, n, p);
    default: LOOP(BLOCK, block, &p->result.word, n, p);
    }
    way_pause(node, 26);
    ws_sync();

    uint64_t sum = values_of(node.hash, places, k);

    SPAWN_LATE(brood, own);
    return six_of(sum);
}

/* A loop over all kinds with syncs in between; each sync frees the places for the next children. */
static WS_TASK(struct large, large, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    uint64_t sum = node.hash;
    unsigned k = 0;

    program_work(node);
    while (brood.children) {
        struct node n = next_child(&brood);
        struct place *p = open_for(&places[k++], n);

        SPAWN_ANY(n, p)
        if (pick(n, 10, 3) == 0) {
            ws_sync();
            sum = values_of(sum, places, k);
            k = 0;
        }
    }
    ws_sync();
    sum = values_of(sum, places, k);
    SPAWN_LATE(brood, own);
    return large_of(sum);
}

/* Calls of all sorts with children pending, and submits. Whatever a called child leaves pending is done when the call
 * returns. */
static WS_TASK(uint64_t, fat, struct fat, given)
{
    struct node node = given.node;
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    struct errand errands[CHILDREN];
    ws_group group = WS_GROUP_INIT;
    unsigned k = 0;

    for (int i = 0; i < 7; i++)
        program_check(given.copies[i] == node.hash + (uint64_t)i);
    program_work(node);
    while (brood.children) {
        struct node n = next_child(&brood);
        struct place *p = open_for(&places[k], n);

        switch (way_of(n)) {
        case SPAWNED: SPAWN_ANY(n, p) break;
        case SUBMITTED: way_submit(&group, &errands[k], n, p); break;
        case CALLED: CALL_ANY(n, p) keep_value(p); break;
        case CALLED_PLAINLY:
            call_plainly(n, p);
            keep_value(p);
            break;
        default: way_run(n, p); keep_value(p);
        }
        k++;
    }
    if (pick(node, 19, 2))
        ws_sync();
    program_check(ws_group_wait(&group) == 0);
    ws_sync();

    uint64_t sum = values_of(node.hash, places, k);

    SPAWN_LATE(brood, given.own);
    return sum;
}

/* No result. Half of the children, without results too, are in blocks that end with their only sync. */
static WS_TASK_VOID(note, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    uint64_t sum = node.hash;
    unsigned k = 0;

    program_work(node);
    while (brood.children > 1) {
        struct node n = next_child(&brood);
        struct place *p = open_for(&places[k++], n), in_block;

        SPAWN_ANY(n, p)
        n = next_child(&brood);
        do {
            ws_frame();
            SPAWN_IT(note, n, open_as(&in_block, NOTE));
            if (pick(n, 12, 2))
                break;
            spin(10);
        } while (0);
        places[k++] = in_block;
    }
    if (brood.children) {
        struct node n = next_child(&brood);
        struct place *p = open_for(&places[k++], n);

        CALL_ANY(n, p)
    }
    ws_sync();
    sum = values_of(sum, places, k);
    own->result.word = sum;
    SPAWN_LATE(brood, own);
}

/* An ordinary function with a frame of its own. */
static uint64_t block(struct node node, struct place *own)
{
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    unsigned k = 0;

    program_work(node);
    ws_frame();
    while (brood.children) {
        struct node n = next_child(&brood);
        struct place *p = open_for(&places[k++], n);

        SPAWN_ANY(n, p)
    }
    ws_sync();

    uint64_t sum = values_of(node.hash, places, k);

    SPAWN_LATE(brood, own);
    return sum;
}

/* A child that only the runtime waits for. */
static WS_TASK_VOID(late, struct node, node, uint64_t *, out)
{
    struct brood brood = {.spawns = 0};
    struct place place;
    struct place *p = open_for(&place, node);

    if (pick(node, 13, 2)) {
        CALL_ANY(node, p)
    } else {
        SPAWN_ANY(node, p)
    }
    ws_sync();
    *out = value_of(p);
    program_spawned(&brood);
}
