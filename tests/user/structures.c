/* SPDX-License-Identifier: MIT */
/* Structures of all sizes arrive whole as arguments and results, whether a child runs at its sync, was stolen and is
 * done, or is waited for. Tasks count errors; the main thread asserts. Neighbour: values.c. */
#include "steals.h"
#include "workers.h"

#include <string.h>

#define REPEATS 3
#define TREE_DEPTH 8

static void fill(void *memory, size_t n, unsigned seed)
{
    unsigned char *b = memory;

    for (size_t i = 0; i < n; i++)
        b[i] = (unsigned char)(seed * 31 + i * 7 + i / 256 + 1);
}

static long differs(const void *memory, size_t n, unsigned seed)
{
    const unsigned char *b = memory;

    for (size_t i = 0; i < n; i++)
        if (b[i] != (unsigned char)(seed * 31 + i * 7 + i / 256 + 1))
            return 1;
    return 0;
}

/* For a structure of N bytes: a child that returns it, a child that takes it, a child that does both, four times
 * each. */
#define BLOCK(name, N, alignment)                                                                                      \
    struct name {                                                                                                      \
        _Alignas(alignment) unsigned char b[N];                                                                        \
    };                                                                                                                 \
    static WS_TASK(struct name, make_##name, unsigned, seed)                                                           \
    {                                                                                                                  \
        struct name s;                                                                                                 \
        steals_in();                                                                                                   \
        fill(s.b, N, seed);                                                                                            \
        steals_out();                                                                                                  \
        return s;                                                                                                      \
    }                                                                                                                  \
    static WS_TASK(long, take_##name, struct name, s, unsigned, seed)                                                  \
    {                                                                                                                  \
        steals_in();                                                                                                   \
        long wrong = differs(s.b, N, seed) + ((uintptr_t)&s % (alignment) != 0);                                       \
        steals_out();                                                                                                  \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static WS_TASK(struct name, pass_##name, char, before, struct name, s, unsigned, seed)                             \
    {                                                                                                                  \
        steals_in();                                                                                                   \
        if (before != 'b' || differs(s.b, N, seed))                                                                    \
            memset(s.b, 0, N);                                                                                         \
        else                                                                                                           \
            fill(s.b, N, seed + 1);                                                                                    \
        steals_out();                                                                                                  \
        return s;                                                                                                      \
    }                                                                                                                  \
    static WS_TASK(long, root_##name, unsigned, seed)                                                                  \
    {                                                                                                                  \
        struct name made[4], given, passed[4];                                                                         \
        long wrong = 0, taken[4];                                                                                      \
        for (unsigned i = 0; i < 4; i++)                                                                               \
            ws_spawn(make_##name, &made[i], seed + i);                                                                 \
        steals_wait(2);                                                                                                \
        ws_sync();                                                                                                     \
        for (unsigned i = 0; i < 4; i++)                                                                               \
            wrong += differs(made[i].b, N, seed + i);                                                                  \
        steals_begin(steals_state.mode);                                                                               \
        for (unsigned i = 0; i < 4; i++) {                                                                             \
            fill(given.b, N, seed + 10 + i);                                                                           \
            ws_spawn(take_##name, &taken[i], given, seed + 10 + i);                                                    \
            memset(&given, 0, sizeof given); /* passed by value */                                                     \
        }                                                                                                              \
        steals_wait(2);                                                                                                \
        ws_sync();                                                                                                     \
        steals_begin(steals_state.mode);                                                                               \
        fill(given.b, N, seed);                                                                                        \
        ws_spawn(pass_##name, &passed[0], 'b', given, seed);                                                           \
        ws_spawn(pass_##name, &passed[1], 'b', given, seed);                                                           \
        steals_wait(1);                                                                                                \
        passed[2] = ws_call(pass_##name, 'b', given, seed);                                                            \
        ws_sync();                                                                                                     \
        passed[3] = pass_##name('b', given, seed);                                                                     \
        for (unsigned i = 0; i < 4; i++)                                                                               \
            wrong += taken[i] + differs(passed[i].b, N, seed + 1);                                                     \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static long run_##name(unsigned seed)                                                                              \
    {                                                                                                                  \
        struct name direct, given;                                                                                     \
        long wrong = -1, error;                                                                                        \
        error = ws_run(root_##name, &wrong, seed);                                                                     \
        steals_begin(STEALS_NONE);                                                                                     \
        fill(given.b, N, seed);                                                                                        \
        error += ws_run(pass_##name, &direct, 'b', given, seed); /* as a root, too */                                  \
        return error + wrong + differs(direct.b, N, seed + 1);                                                         \
    }

BLOCK(block1, 1, 1)
BLOCK(block2, 2, 1)
BLOCK(block3, 3, 1)
BLOCK(block4, 4, 4)
BLOCK(block8, 8, 8)
BLOCK(block16, 16, 16)
BLOCK(block47, 47, 1)
BLOCK(block48, 48, 8)
BLOCK(block49, 49, 1)
BLOCK(block200, 200, 8)
BLOCK(block1000, 1000, 8)
BLOCK(block5000, 5000, 16)
BLOCK(wide32, 32, 32)
BLOCK(wide64, 64, 64)
BLOCK(wide64long, 192, 64)
BLOCK(wide128, 128, 128)

static long (*const blocks[])(unsigned) = {
    run_block1,  run_block2,   run_block3,    run_block4,    run_block8, run_block16, run_block47,    run_block48,
    run_block49, run_block200, run_block1000, run_block5000, run_wide32, run_wide64,  run_wide64long, run_wide128};
#define BLOCKS ((int)(sizeof blocks / sizeof *blocks))

/* Catches: a structure truncated at the end of a descriptor, put where the thief does not read it, misaligned, or
 * overwritten by the next child's before it was fetched. */
START_TEST(structures_arrive_whole)
{
    long wrong = 0;

    start(workers[_i % WORKERS]);
    for (unsigned mode = 0; mode < STEALS_MODES; mode++) {
        for (unsigned i = 0; i < REPEATS; i++) {
            steals_begin((enum steals_mode)mode);
            wrong += blocks[_i / WORKERS](i);
        }
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert(steals() > 0 || ws_num_workers() == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* A large task with large children. The value counts the task and its descendants whose arguments were right; if one
 * was wrong, the whole block is wrong. */
struct counted {
    long right;
    struct block1000 block;
};

static WS_TASK(struct counted, tree, struct block1000, s, unsigned, seed, int, depth)
{
    struct counted c[2], r = {1, s};
    struct block1000 given;

    steals_in();
    for (unsigned i = 0; i < 2 && depth > 0; i++) {
        fill(given.b, sizeof given, seed + 3 * i + 1);
        ws_spawn(tree, &c[i], given, seed + 3 * i + 1, depth - 1);
    }
    if (depth == TREE_DEPTH)
        steals_wait(2);
    ws_sync();
    for (unsigned i = 0; i < 2 && depth > 0; i++)
        r.right += differs(c[i].block.b, sizeof given, seed + 3 * i + 1) ? -1000000 : c[i].right;
    if (differs(s.b, sizeof s, seed))
        r.right = -1000000;
    steals_out();
    return r;
}

/* Catches: a thief, or a root, that takes the block of its task for one on its own stack, so that the blocks of that
 * task's children overlap those of its siblings. */
START_TEST(large_tasks_have_large_children)
{
    struct block1000 given;
    struct counted r;

    start(workers[_i]);
    for (unsigned mode = 0; mode < STEALS_MODES; mode++) {
        for (unsigned i = 0; i < REPEATS; i++) {
            steals_begin((enum steals_mode)mode);
            fill(given.b, sizeof given, i);
            ck_assert_int_eq(ws_run(tree, &r, given, i, TREE_DEPTH), 0);
            ck_assert_int_eq(r.right, (2l << TREE_DEPTH) - 1);
        }
    }
    ck_assert(steals() > 0 || ws_num_workers() == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("structures");

    tcase_add_loop_test(tcase, structures_arrive_whole, 0, BLOCKS * WORKERS);
    tcase_add_loop_test(tcase, large_tasks_have_large_children, 0, WORKERS);
    return run_case("structures", tcase);
}
