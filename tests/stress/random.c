/* SPDX-License-Identifier: MIT */
/*
 * Random series-parallel programs give what a plain recursive evaluation gives. A program is a tree of nodes, each
 * drawn from a hash of its path and the program's seed; the hash also says which kind of task runs a node, and each
 * kind uses its frame in another way. A run takes new seeds and prints the one that fails; WSFJ_TEST_SEED=n repeats
 * that program with the same number of workers.
 */
#include "stress.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define GROUPS COUNT(120, 40)
#define PROGRAMS 20u /* of a group, between ws_init() and ws_fini() */
#define REPLAYS 200
#define WORKERS 9
#define SIZE_BITS COUNT(15u, 12u) /* a program has fewer than 2^SIZE_BITS nodes */
#define DEEPEST 64
#define CHILDREN 32
#define LATE 3

/* The tree. */

struct node {
    uint64_t hash;
    uint32_t size; /* nodes in this subtree */
    uint32_t depth;
};

/* The children not yet drawn, in order. The late ones come last: pending when their parent returns. */
struct brood {
    struct node parent;
    uint32_t nodes, children, late;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xbf58476d1ce4e5b9);

    x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 32;
}

/* A number below `below`; `what` tells the draws of one node apart. */
static uint32_t pick(struct node node, unsigned what, uint32_t below)
{
    return (uint32_t)(mix(node.hash, 1000 + what) >> 32) % below;
}

static struct brood brood_of(struct node node)
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

static struct node next(struct brood *brood)
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

/* A node's value with those of its late children. */
static uint64_t with_late(uint64_t value, const uint64_t *late)
{
    for (int i = 0; i < LATE; i++)
        value = mix(value, late[i]);
    return value;
}

static long serial_ran;

static uint64_t serial(struct node node, uint64_t *late)
{
    struct brood brood = brood_of(node);
    uint64_t sum = node.hash;

    while (brood.children) {
        uint64_t its_late[LATE] = {0}, value = serial(next(&brood), its_late);

        sum = mix(sum, with_late(value, its_late));
    }
    for (int i = 0; brood.late; i++) {
        uint64_t its_late[LATE] = {0}, value = serial(next(&brood), its_late);

        late[i] = with_late(value, its_late);
    }
    serial_ran++;
    return sum;
}

/* The tasks: results of 8, 16, 48 and 100 bytes or none, arguments of up to 80 bytes. */

enum kind { WORD, PAIR, SIX, LARGE, FAT, NOTE, BLOCK, KINDS /* in a place: the value itself */ };

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

struct fat {
    struct node node;
    struct place *own;
    uint64_t copies[7];
};

static WS_DECLARE(uint64_t, word, struct node, node, struct place *, own);
static WS_DECLARE(struct pair, pair, uint8_t, a, struct node, node, float, b, struct place *, own, int16_t, c, double,
                  d, char, e, uint32_t, f);
static WS_DECLARE(struct six, six, struct node, node, struct place *, own, uint64_t, a, double, b, uint64_t, c);
static WS_DECLARE(struct large, large, struct node, node, struct place *, own);
static WS_DECLARE(uint64_t, fat, struct fat, fat);
static WS_DECLARE_VOID(note, struct node, node, struct place *, own);
static WS_DECLARE_VOID(late, struct node, node, uint64_t *, out);
static uint64_t block(struct node node, struct place *own);
WS_SPAWNABLE(uint64_t, block, struct node, node, struct place *, own);

#define PAIR_ARGS(n, p)                                                                                                \
    (uint8_t)(n).hash, n, (float)(n).depth, p, (int16_t)((n).hash >> 8), (double)(n).size, (char)((n).hash & 15),      \
        (n).size
#define SIX_ARGS(n, p) n, p, ~(n).hash, (double)(n).size, (n).hash

#define SPAWN_ANY(n, p)                                                                                                \
    switch ((p)->kind) {                                                                                               \
    case WORD:                                                                                                         \
        ws_spawn(word, &(p)->result.word, n, p);                                                                       \
        break;                                                                                                         \
    case PAIR:                                                                                                         \
        ws_spawn(pair, &(p)->result.pair, PAIR_ARGS(n, p));                                                            \
        break;                                                                                                         \
    case SIX:                                                                                                          \
        ws_spawn(six, &(p)->result.six, SIX_ARGS(n, p));                                                               \
        break;                                                                                                         \
    case LARGE:                                                                                                        \
        ws_spawn(large, &(p)->result.large, n, p);                                                                     \
        break;                                                                                                         \
    case FAT:                                                                                                          \
        ws_spawn(fat, &(p)->result.word, fat_of(n, p));                                                                \
        break;                                                                                                         \
    case NOTE:                                                                                                         \
        ws_spawn(note, n, p);                                                                                          \
        break;                                                                                                         \
    default:                                                                                                           \
        ws_spawn(block, &(p)->result.word, n, p);                                                                      \
    }
#define CALL_ANY(n, p)                                                                                                 \
    switch ((p)->kind) {                                                                                               \
    case WORD:                                                                                                         \
        (p)->result.word = ws_call(word, n, p);                                                                        \
        break;                                                                                                         \
    case PAIR:                                                                                                         \
        (p)->result.pair = ws_call(pair, PAIR_ARGS(n, p));                                                             \
        break;                                                                                                         \
    case SIX:                                                                                                          \
        (p)->result.six = ws_call(six, SIX_ARGS(n, p));                                                                \
        break;                                                                                                         \
    case LARGE:                                                                                                        \
        (p)->result.large = ws_call(large, n, p);                                                                      \
        break;                                                                                                         \
    case FAT:                                                                                                          \
        (p)->result.word = ws_call(fat, fat_of(n, p));                                                                 \
        break;                                                                                                         \
    case NOTE:                                                                                                         \
        ws_call(note, n, p);                                                                                           \
        break;                                                                                                         \
    default:                                                                                                           \
        (p)->result.word = ws_call(block, n, p);                                                                       \
    }

/* The end of every body: returns with its late children pending. */
#define SPAWN_LATE(brood, own)                                                                                         \
    for (int i_ = 0; (brood).late; i_++)                                                                               \
    ws_spawn(late, next(&(brood)), &(own)->late[i_])

static long ran;
static long wrong; /* arguments and results that are not what was passed */

static void check(bool right)
{
    if (!right)
        count(&wrong);
}

static struct place *open_as(struct place *place, enum kind kind)
{
    memset(place, 0, sizeof *place);
    place->kind = kind;
    return place;
}

static struct place *open_for(struct place *place, struct node node)
{
    return open_as(place, (enum kind)pick(node, 5, KINDS));
}

static struct fat fat_of(struct node node, struct place *own)
{
    struct fat fat = {.node = node, .own = own};

    for (int i = 0; i < 7; i++)
        fat.copies[i] = node.hash + (uint64_t)i;
    return fat;
}

static struct pair pair_of(uint64_t value)
{
    return (struct pair){{value, ~value}};
}

static struct six six_of(uint64_t value)
{
    struct six six;

    for (uint64_t i = 0; i < 6; i++)
        six.v[i] = value + i;
    return six;
}

static struct large large_of(uint64_t value)
{
    struct large large;

    for (uint32_t i = 0; i < 25; i++)
        large.v[i] = i % 2 ? (uint32_t)(value >> 32) + i : (uint32_t)value + i;
    return large;
}

/* The child's value; it is done. */
static uint64_t value_of(const struct place *place)
{
    uint64_t value;

    switch (place->kind) {
    case PAIR:
        value = place->result.pair.v[0];
        check(place->result.pair.v[1] == ~value);
        break;
    case SIX:
        value = place->result.six.v[0];
        for (uint64_t i = 0; i < 6; i++)
            check(place->result.six.v[i] == value + i);
        break;
    case LARGE:
        value = place->result.large.v[0] | (uint64_t)(place->result.large.v[1] - 1) << 32;
        for (uint32_t i = 2; i < 25; i++)
            check(place->result.large.v[i] == (uint32_t)(value >> (i % 2 ? 32 : 0)) + i);
        break;
    case KINDS:
        return place->result.word;
    default:
        value = place->result.word;
    }
    return with_late(value, place->late);
}

static uint64_t values_of(uint64_t sum, const struct place *places, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sum = mix(sum, value_of(&places[i]));
    return sum;
}

/* Every node's own work: mostly a few turns, seldom long enough for a thief to come by, on few processors too. */
static void work(struct node node)
{
    count(&ran);

    uint32_t turn = pick(node, 6, 512);

    if (turn == 0)
        nanosleep(&(struct timespec){0, (long)pick(node, 7, 100000)}, NULL);
    else if (turn < 32)
        sched_yield();
    else
        spin(pick(node, 7, turn < 40 ? 8192 : 32));
}

/* Without the frame of the caller. */
__attribute__((noinline)) static void call_plainly(struct node node, struct place *place)
{
    switch (place->kind) {
    case WORD:
        place->result.word = word(node, place);
        break;
    case PAIR:
        place->result.pair = pair(PAIR_ARGS(node, place));
        break;
    case SIX:
        place->result.six = six(SIX_ARGS(node, place));
        break;
    case LARGE:
        place->result.large = large(node, place);
        break;
    case FAT:
        place->result.word = fat(fat_of(node, place));
        break;
    case NOTE:
        note(node, place);
        break;
    default:
        place->result.word = block(node, place);
    }
}

__attribute__((noinline)) static int run(struct node node, struct place *place)
{
    switch (place->kind) {
    case WORD:
        return ws_run(word, &place->result.word, node, place);
    case PAIR:
        return ws_run(pair, &place->result.pair, PAIR_ARGS(node, place));
    case SIX:
        return ws_run(six, &place->result.six, SIX_ARGS(node, place));
    case LARGE:
        return ws_run(large, &place->result.large, node, place);
    case FAT:
        return ws_run(fat, &place->result.word, fat_of(node, place));
    case NOTE:
        return ws_run(note, node, place);
    default:
        return ws_run(block, &place->result.word, node, place);
    }
}

/* One to three children of one kind, spawned one after the other; results in variables of their own. */
#define STRAIGHT(R, f, KIND, member, ...)                                                                              \
    do {                                                                                                               \
        struct place a, b, c;                                                                                          \
        struct node n = next(&brood);                                                                                  \
        R x, y, z;                                                                                                     \
        struct place *p = open_as(&a, KIND);                                                                           \
        ws_spawn(f, &x, __VA_ARGS__);                                                                                  \
        if (brood.children == 0) {                                                                                     \
            ws_sync();                                                                                                 \
            a.result.member = x;                                                                                       \
            sum = values_of(sum, &a, 1);                                                                               \
            break;                                                                                                     \
        }                                                                                                              \
        n = next(&brood), p = open_as(&b, KIND);                                                                       \
        ws_spawn(f, &y, __VA_ARGS__);                                                                                  \
        if (brood.children == 0) {                                                                                     \
            ws_sync();                                                                                                 \
            a.result.member = x, b.result.member = y;                                                                  \
            sum = values_of(values_of(sum, &a, 1), &b, 1);                                                             \
            break;                                                                                                     \
        }                                                                                                              \
        n = next(&brood), p = open_as(&c, KIND);                                                                       \
        ws_spawn(f, &z, __VA_ARGS__);                                                                                  \
        ws_sync();                                                                                                     \
        a.result.member = x, b.result.member = y, c.result.member = z;                                                 \
        sum = values_of(values_of(values_of(sum, &a, 1), &b, 1), &c, 1);                                               \
    } while (0)

/* With two children the fib of the README, else straight spawns of one kind, three at a time. */
static WS_TASK(uint64_t, word, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    uint64_t sum = node.hash;

    work(node);
    if (brood.children == 2) {
        struct place a, b;
        struct node first = next(&brood), second = next(&brood);
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

    check(a == (uint8_t)node.hash && b == (float)node.depth && c == (int16_t)(node.hash >> 8) &&
          d == (double)node.size && e == (char)(node.hash & 15) && f == node.size);
    work(node);
    if (brood.children) {
        n = next(&brood);
        ws_spawn(large, &p[0].result.large, n, open_as(&p[0], LARGE));
        k = 1;
    }
    if (brood.children) {
        n = next(&brood);
        ws_spawn(fat, &p[1].result.word, fat_of(n, open_as(&p[1], FAT)));
        k = 2;
    }
    if (brood.children == 0) {
        ws_sync();

        uint64_t sum = values_of(node.hash, p, k);

        SPAWN_LATE(brood, own);
        return pair_of(sum);
    }
    n = next(&brood);
    ws_spawn(note, n, open_as(&p[2], NOTE));
    for (k = 3; brood.children; k++) {
        n = next(&brood);
        ws_spawn(word, &p[k].result.word, n, open_as(&p[k], WORD));
    }
    ws_sync();

    uint64_t sum = values_of(node.hash, p, k);

    SPAWN_LATE(brood, own);
    return pair_of(sum);
}

/* A loop of one kind. */
#define LOOP(KIND, ...)                                                                                                \
    while (brood.children) {                                                                                           \
        struct node n = next(&brood);                                                                                  \
        struct place *p = open_as(&places[k++], KIND);                                                                 \
        ws_spawn(__VA_ARGS__);                                                                                         \
    }                                                                                                                  \
    break
static WS_TASK(struct six, six, struct node, node, struct place *, own, uint64_t, a, double, b, uint64_t, c)
{
    struct brood brood = brood_of(node);
    struct place places[CHILDREN];
    unsigned k = 0;

    check(a == ~node.hash && b == (double)node.size && c == node.hash);
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
        struct node n = next(&brood);
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
        check(fat.copies[i] == node.hash + (uint64_t)i);
    work(node);
    while (brood.children) {
        struct node n = next(&brood);
        struct place *p = open_for(&places[k++], n);
        bool called = true;

        switch (pick(n, 11, 5)) {
        case 0:
            CALL_ANY(n, p) break;
        case 1:
            call_plainly(n, p);
            break;
        case 2:
            check(run(n, p) == 0);
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
        struct node n = next(&brood);
        struct place *p = open_for(&places[k++], n), in_block;

        SPAWN_ANY(n, p)
        n = next(&brood);
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
        struct node n = next(&brood);
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
        struct node n = next(&brood);
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

/* The programs. */

static unsigned *current; /* the program's seed, where the parent of the test's process sees it */

static void compare(unsigned seed)
{
    struct node root = {.hash = mix(seed, 1)};
    struct place place;
    uint64_t late_values[LATE] = {0}, expected;

    root.size = 1 + pick(root, 14, 1u << pick(root, 15, SIZE_BITS + 1));
    serial_ran = ran = wrong = 0;
    expected = serial(root, late_values);
    expected = with_late(expected, late_values);

    *current = seed;
    ck_assert_int_eq(run(root, open_for(&place, root)), 0);

    uint64_t value = value_of(&place);

    ck_assert_msg(value == expected && ran == serial_ran && wrong == 0,
                  "seed %u, %zu workers: value %#llx instead of %#llx, %ld nodes instead of %ld, %ld copies wrong",
                  seed, ws_num_workers(), (unsigned long long)value, (unsigned long long)expected, ran, serial_ran,
                  wrong);
}

/* How a program runs follows from its seed too. */
static void start_for(unsigned seed)
{
    struct node group = {.hash = mix(seed / PROGRAMS, 2)};
    ws_config config;

    setenv("WSFJ_MEMBARRIER", pick(group, 16, 2) ? "1" : "0", 1);
    ws_config_default(&config);
    config.num_workers = 1 + pick(group, 17, WORKERS);
    ck_assert_int_eq(ws_init(&config), 0);
}

/* Catches: whatever makes a task's result wrong, late or lost, or the task itself, in a pattern of spawns, calls and
 * syncs that no other test has. */
START_TEST(random_programs_compute_what_their_serial_evaluation_does)
{
    const char *replay = getenv("WSFJ_TEST_SEED");
    unsigned first = (unsigned)(now() & 0x7fffffff);
    unsigned seed = replay ? (unsigned)strtoul(replay, NULL, 0) : first - first % PROGRAMS;

    for (int i = 0; i < (replay ? 1 : GROUPS); i++) {
        start_for(seed);
        for (int j = 0; j < (replay ? REPLAYS : (int)PROGRAMS); j++) {
            compare(seed);
            seed += !replay;
        }
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("random");
    int failed;

    current = mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (current == MAP_FAILED)
        return 1;
    tcase_add_test(tcase, random_programs_compute_what_their_serial_evaluation_does);
    failed = run_case("random", tcase);
    if (failed)
        printf("random: WSFJ_TEST_SEED=%u repeats the program that failed\n", *current); /* after a crash too */
    return failed;
}
