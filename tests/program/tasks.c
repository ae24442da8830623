/* SPDX-License-Identifier: MIT */
#include "tasks.h"

#include "../stress/stress.h"
#include "kinds.h"

#include <sched.h>

long program_ran;

/* Without the frame of the caller. */
__attribute__((noinline)) static void call_plainly(struct node node, struct place *place)
{
    CALL_ANY_PLAINLY(node, place)
}

__attribute__((noinline)) int program_run(struct node node, struct place *place)
{
    RUN_ANY(node, place)
}

/* Every node's own work: mostly a few turns, seldom long enough for a thief to come by, on few processors too. */
static void work(struct node node)
{
    count(&program_ran);

    uint32_t turn = pick(node, 6, 512);

    if (turn == 0)
        nanosleep(&(struct timespec){0, (long)pick(node, 7, 100000)}, NULL);
    else if (turn < 32)
        sched_yield();
    else
        spin(pick(node, 7, turn < 40 ? 8192 : 32));
}

/* With two children the fib of the README, else straight spawns of one kind, three at a time. */
static WS_TASK(uint64_t, word, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    uint64_t sum = node.hash;

    work(node);
    if (brood.children == 2) {
        struct place a, b;
        struct node first = next_child(&brood), second = next_child(&brood);
        uint64_t x;

        ws_spawn(word, &x, first, open_as(&a, WORD));
        b.result.word = ws_call(word, second, open_as(&b, WORD));
        ws_sync();
        a.result.word = x;
        sum = values_of(values_of(sum, &a, 1), &b, 1);
        SPAWN_LATE(brood, own);
        return sum;
    }
    while (brood.children) {
        switch (pick(node, brood.children, 4)) {
        case 0:
            STRAIGHT(uint64_t, word, WORD, word, n, p);
            break;
        case 1:
            STRAIGHT(struct pair, pair, PAIR, pair, PAIR_ARGS(n, p));
            break;
        case 2:
            STRAIGHT(struct six, six, SIX, six, SIX_ARGS(n, p));
            break;
        default:
            STRAIGHT(struct large, large, LARGE, large, n, p);
        }
    }
    SPAWN_LATE(brood, own);
    return sum;
}

/* Straight spawns of different kinds; returns from the middle, with a sync before. */
static WS_TASK(struct pair, pair, uint8_t, a, struct node, node, float, b, struct place *, own, int16_t, c, double, d,
               char, e, uint32_t, f)
{
    struct brood brood = brood_of(node);
    struct place p[CHILDREN];
    struct node n;
    unsigned k = 0;

    program_check(a == (uint8_t)node.hash && b == (float)node.depth && c == (int16_t)(node.hash >> 8) &&
                  d == (double)node.size && e == (char)(node.hash & 15) && f == node.size);
    work(node);
    if (brood.children) {
        n = next_child(&brood);
        ws_spawn(large, &p[0].result.large, n, open_as(&p[0], LARGE));
        k = 1;
    }
    if (brood.children) {
        n = next_child(&brood);
        ws_spawn(fat, &p[1].result.word, fat_of(n, open_as(&p[1], FAT)));
        k = 2;
    }
    if (brood.children == 0) {
        ws_sync();

        uint64_t sum = values_of(node.hash, p, k);

        SPAWN_LATE(brood, own);
        return pair_of(sum);
    }
    n = next_child(&brood);
    ws_spawn(note, n, open_as(&p[2], NOTE));
    for (k = 3; brood.children; k++) {
        n = next_child(&brood);
        ws_spawn(word, &p[k].result.word, n, open_as(&p[k], WORD));
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
    work(node);
    switch (pick(node, 9, KINDS)) {
    case WORD:
        LOOP(WORD, word, &p->result.word, n, p);
    case PAIR:
        LOOP(PAIR, pair, &p->result.pair, PAIR_ARGS(n, p));
    case SIX:
        LOOP(SIX, six, &p->result.six, SIX_ARGS(n, p));
    case LARGE:
        LOOP(LARGE, large, &p->result.large, n, p);
    case FAT:
        LOOP(FAT, fat, &p->result.word, fat_of(n, p));
    case NOTE:
        LOOP(NOTE, note, n, p);
    default:
        LOOP(BLOCK, block, &p->result.word, n, p);
    }
    ws_sync();

    uint64_t sum = values_of(node.hash, places, k);

    SPAWN_LATE(brood, own);
    return six_of(sum);
}

/* A loop of all kinds with syncs in between; the places are used again after each. */
static WS_TASK(struct large, large, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    uint64_t sum = node.hash;
    unsigned k = 0;

    work(node);
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

/* Calls of all sorts with children pending. What a called child has left behind is there when the call returns. */
static WS_TASK(uint64_t, fat, struct fat, fat)
{
    struct node node = fat.node;
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    unsigned k = 0;

    for (int i = 0; i < 7; i++)
        program_check(fat.copies[i] == node.hash + (uint64_t)i);
    work(node);
    while (brood.children) {
        struct node n = next_child(&brood);
        struct place *p = open_for(&places[k++], n);
        bool called = true;

        switch (pick(n, 11, 5)) {
        case 0:
            CALL_ANY(n, p) break;
        case 1:
            call_plainly(n, p);
            break;
        case 2:
            program_check(program_run(n, p) == 0);
            break;
        default:
            SPAWN_ANY(n, p)
            called = false;
        }
        if (called) {
            uint64_t value = value_of(p);

            p->kind = KINDS;
            p->result.word = value;
        }
    }
    ws_sync();

    uint64_t sum = values_of(node.hash, places, k);

    SPAWN_LATE(brood, fat.own);
    return sum;
}

/* No result. Half of the children, without results too, in blocks whose end is their only sync. */
static WS_TASK_VOID(note, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    uint64_t sum = node.hash;
    unsigned k = 0;

    work(node);
    while (brood.children > 1) {
        struct node n = next_child(&brood);
        struct place *p = open_for(&places[k++], n), in_block;

        SPAWN_ANY(n, p)
        n = next_child(&brood);
        do {
            ws_frame();
            ws_spawn(note, n, open_as(&in_block, NOTE));
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

    work(node);
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

/* A child that nobody waits for but the runtime. */
static WS_TASK_VOID(late, struct node, node, uint64_t *, out)
{
    struct place place;
    struct place *p = open_for(&place, node);

    if (pick(node, 13, 2)) {
        CALL_ANY(node, p)
    } else {
        SPAWN_ANY(node, p)
    }
    ws_sync();
    *out = value_of(p);
}
