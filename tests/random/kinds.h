/* SPDX-License-Identifier: MIT */
/* The kinds of tasks of a random program, and the forms in which they are spawned, called and run. For tasks.c. */
#ifndef TESTS_RANDOM_KINDS_H
#define TESTS_RANDOM_KINDS_H

#include "loops.h"
#include "place.h"
#include "scopes.h"

#include <wsfj.h>

static WS_DECLARE(uint64_t, word, struct node, node, struct place *, own);
static WS_DECLARE(struct pair, pair, uint8_t, a, struct node, node, float, b, struct place *, own, int16_t, c, double,
                  d, char, e, uint32_t, f);
static WS_DECLARE(struct six, six, struct node, node, struct place *, own, uint64_t, a, double, b, uint64_t, c);
static WS_DECLARE(struct large, large, struct node, node, struct place *, own);
static WS_DECLARE(uint64_t, fat, struct fat, given);
static WS_DECLARE_VOID(note, struct node, node, struct place *, own);
static WS_DECLARE_VOID(late, struct node, node, uint64_t *, out);
static uint64_t block(struct node node, struct place *own);
WS_SPAWNABLE(uint64_t, block, struct node, node, struct place *, own);

#define PAIR_ARGS(n, p)                                                                                                \
    (uint8_t)(n).hash, n, (float)(n).depth, p, (int16_t)((n).hash >> 8), (double)(n).size, (char)((n).hash & 15),      \
        (n).size
#define SIX_ARGS(n, p) n, p, ~(n).hash, (double)(n).size, (n).hash

/* For the kind of place p: WITH(its task, the place of the result, arguments...), or WITHOUT(its task,
 * arguments...). */
#define OF_ITS_KIND(WITH, WITHOUT, n, p)                                                                               \
    switch ((p)->kind) {                                                                                               \
    case WORD: WITH(word, (p)->result.word, n, p); break;                                                              \
    case PAIR: WITH(pair, (p)->result.pair, PAIR_ARGS(n, p)); break;                                                   \
    case SIX: WITH(six, (p)->result.six, SIX_ARGS(n, p)); break;                                                       \
    case LARGE: WITH(large, (p)->result.large, n, p); break;                                                           \
    case FAT: WITH(fat, (p)->result.word, fat_of(n, p)); break;                                                        \
    case NOTE: WITHOUT(note, n, p); break;                                                                             \
    case LOOPS: WITH(program_loops, (p)->result.word, n, p); break;                                                    \
    case SCOPES: WITH(program_scopes, (p)->result.word, n, p); break;                                                  \
    default: WITH(block, (p)->result.word, n, p);                                                                      \
    }

/* The operations on a child of any kind. */
#define SPAWN_ANY(n, p) OF_ITS_KIND(SPAWN, SPAWN_NOTE, n, p)
#define SPAWN(f, place, ...) SPAWN_IT(f, &(place), __VA_ARGS__)
#define SPAWN_NOTE(f, ...) SPAWN_IT(f, __VA_ARGS__)
/* Counted in the frame: a shared counter would slow the code around each spawn. */
#define SPAWN_IT(...)                                                                                                  \
    do {                                                                                                               \
        brood.spawns++;                                                                                                \
        ws_spawn(__VA_ARGS__);                                                                                         \
    } while (0)
#define CALL_ANY(n, p) OF_ITS_KIND(CALL, CALL_NOTE, n, p)
#define CALL(f, place, ...) (place) = ws_call(f, __VA_ARGS__)
#define CALL_NOTE(f, ...) ws_call(f, __VA_ARGS__)
#define CALL_ANY_PLAINLY(n, p) OF_ITS_KIND(CALL_PLAINLY, CALL_NOTE_PLAINLY, n, p)
#define CALL_PLAINLY(f, place, ...) (place) = f(__VA_ARGS__)
#define CALL_NOTE_PLAINLY(f, ...) f(__VA_ARGS__)
#define RUN_ANY(n, p) OF_ITS_KIND(RUN, RUN_NOTE, n, p)
#define RUN(f, place, ...) return ws_run(f, &(place), __VA_ARGS__)
#define RUN_NOTE(f, ...) return ws_run(f, __VA_ARGS__)

/* One to three children of one kind, spawned one after the other; each result has a variable of its own. */
#define STRAIGHT(R, f, KIND, member, ...)                                                                              \
    do {                                                                                                               \
        struct place a, b, c;                                                                                          \
        struct node n = next_child(&brood);                                                                            \
        R x, y, z;                                                                                                     \
        struct place *p = open_as(&a, KIND);                                                                           \
        SPAWN_IT(f, &x, __VA_ARGS__);                                                                                  \
        if (brood.children == 0) {                                                                                     \
            ws_sync();                                                                                                 \
            a.result.member = x;                                                                                       \
            sum = values_of(sum, &a, 1);                                                                               \
            break;                                                                                                     \
        }                                                                                                              \
        n = next_child(&brood), p = open_as(&b, KIND);                                                                 \
        SPAWN_IT(f, &y, __VA_ARGS__);                                                                                  \
        if (brood.children == 0) {                                                                                     \
            ws_sync();                                                                                                 \
            a.result.member = x, b.result.member = y;                                                                  \
            sum = values_of(values_of(sum, &a, 1), &b, 1);                                                             \
            break;                                                                                                     \
        }                                                                                                              \
        n = next_child(&brood), p = open_as(&c, KIND);                                                                 \
        SPAWN_IT(f, &z, __VA_ARGS__);                                                                                  \
        ws_sync();                                                                                                     \
        a.result.member = x, b.result.member = y, c.result.member = z;                                                 \
        sum = values_of(values_of(values_of(sum, &a, 1), &b, 1), &c, 1);                                               \
    } while (0)

/* All children, of one kind, in a loop inside a switch. */
#define LOOP(KIND, ...)                                                                                                \
    while (brood.children) {                                                                                           \
        struct node n = next_child(&brood);                                                                            \
        struct place *p = open_as(&places[k++], KIND);                                                                 \
        SPAWN_IT(__VA_ARGS__);                                                                                         \
    }                                                                                                                  \
    break

/* The end of every body: returns with its late children pending. */
#define SPAWN_LATE(brood, own)                                                                                         \
    program_spawned(&(brood));                                                                                         \
    for (int i_ = 0; (brood).late; i_++)                                                                               \
    ws_spawn(late, next_child(&(brood)), &(own)->late[i_])

#endif
