/* SPDX-License-Identifier: MIT */
/* Arguments and results of all shapes arrive whole, whether a child runs at its sync, was stolen and is done, or is
 * waited for. Tasks count what is wrong; the main thread asserts. */
#include "lure.h"
#include "workers.h"

#include <stdbool.h>
#include <stdlib.h>
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

/* For a structure of N bytes: one child that returns it, one that takes it, one that does both, four times each. */
#define BLOCK(name, N, alignment)                                                                                      \
    struct name {                                                                                                      \
        _Alignas(alignment) unsigned char b[N];                                                                        \
    };                                                                                                                 \
    static WS_TASK(struct name, make_##name, unsigned, seed)                                                           \
    {                                                                                                                  \
        struct name s;                                                                                                 \
        lure_in();                                                                                                     \
        fill(s.b, N, seed);                                                                                            \
        lure_out();                                                                                                    \
        return s;                                                                                                      \
    }                                                                                                                  \
    static WS_TASK(long, take_##name, struct name, s, unsigned, seed)                                                  \
    {                                                                                                                  \
        lure_in();                                                                                                     \
        long wrong = differs(s.b, N, seed) + ((uintptr_t)&s % (alignment) != 0);                                       \
        lure_out();                                                                                                    \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static WS_TASK(struct name, pass_##name, char, before, struct name, s, unsigned, seed)                             \
    {                                                                                                                  \
        lure_in();                                                                                                     \
        if (before != 'b' || differs(s.b, N, seed))                                                                    \
            memset(s.b, 0, N);                                                                                         \
        else                                                                                                           \
            fill(s.b, N, seed + 1);                                                                                    \
        lure_out();                                                                                                    \
        return s;                                                                                                      \
    }                                                                                                                  \
    static WS_TASK(long, root_##name, unsigned, seed)                                                                  \
    {                                                                                                                  \
        struct name made[4], given, passed[4];                                                                         \
        long wrong = 0, taken[4];                                                                                      \
        for (unsigned i = 0; i < 4; i++)                                                                               \
            ws_spawn(make_##name, &made[i], seed + i);                                                                 \
        lure_wait(2);                                                                                                  \
        ws_sync();                                                                                                     \
        for (unsigned i = 0; i < 4; i++)                                                                               \
            wrong += differs(made[i].b, N, seed + i);                                                                  \
        lure_begin(lure.mode);                                                                                         \
        for (unsigned i = 0; i < 4; i++) {                                                                             \
            fill(given.b, N, seed + 10 + i);                                                                           \
            ws_spawn(take_##name, &taken[i], given, seed + 10 + i);                                                    \
            memset(&given, 0, sizeof given); /* passed by value */                                                     \
        }                                                                                                              \
        lure_wait(2);                                                                                                  \
        ws_sync();                                                                                                     \
        lure_begin(lure.mode);                                                                                         \
        fill(given.b, N, seed);                                                                                        \
        ws_spawn(pass_##name, &passed[0], 'b', given, seed);                                                           \
        ws_spawn(pass_##name, &passed[1], 'b', given, seed);                                                           \
        lure_wait(1);                                                                                                  \
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
        lure_begin(LURE_NONE);                                                                                         \
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

static long (*const blocks[])(unsigned) = {run_block1,   run_block2,   run_block3,    run_block4,    run_block8,  run_block16,
                                           run_block47,  run_block48,  run_block49,   run_block200,  run_block1000,
                                           run_block5000, run_wide32,  run_wide64,    run_wide64long, run_wide128};
#define BLOCKS ((int)(sizeof blocks / sizeof *blocks))

/* Catches: a structure cut at the end of a line, put where the thief does not look, misaligned, or overwritten by the
 * next child's before it was fetched. */
START_TEST(structures_arrive_whole)
{
    long wrong = 0;

    start(workers[_i % WORKERS]);
    for (unsigned mode = 0; mode < LURE_MODES; mode++) {
        for (unsigned i = 0; i < REPEATS; i++) {
            lure_begin((enum lure)mode);
            wrong += blocks[_i / WORKERS](i);
        }
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert(steals() > 0 || ws_num_workers() == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* A large task with large children. The value is the number of its descendants and itself whose arguments were right, in
 * a block that is wrong everywhere if one was not. */
struct counted {
    long right;
    struct block1000 block;
};

static WS_TASK(struct counted, tree, struct block1000, s, unsigned, seed, int, depth)
{
    struct counted c[2], r = {1, s};
    struct block1000 given;

    lure_in();
    for (unsigned i = 0; i < 2 && depth > 0; i++) {
        fill(given.b, sizeof given, seed + 3 * i + 1);
        ws_spawn(tree, &c[i], given, seed + 3 * i + 1, depth - 1);
    }
    if (depth == TREE_DEPTH)
        lure_wait(2);
    ws_sync();
    for (unsigned i = 0; i < 2 && depth > 0; i++)
        r.right += differs(c[i].block.b, sizeof given, seed + 3 * i + 1) ? -1000000 : c[i].right;
    if (differs(s.b, sizeof s, seed))
        r.right = -1000000;
    lure_out();
    return r;
}

/* Catches: a thief, or a root, that takes the block of its task for one of its own stack, so that the blocks of that
 * task's children lie over those of its siblings. */
START_TEST(large_tasks_have_large_children)
{
    struct block1000 given;
    struct counted r;

    start(workers[_i]);
    for (unsigned mode = 0; mode < LURE_MODES; mode++) {
        for (unsigned i = 0; i < REPEATS; i++) {
            lure_begin((enum lure)mode);
            fill(given.b, sizeof given, i);
            ck_assert_int_eq(ws_run(tree, &r, given, i, TREE_DEPTH), 0);
            ck_assert_int_eq(r.right, (2l << TREE_DEPTH) - 1);
        }
    }
    ck_assert(steals() > 0 || ws_num_workers() == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

enum colour { RED = -1, BLUE = 1 << 30 };
typedef int (*callback)(int);
typedef const char *const *texts;

static int twice(int n)
{
    return 2 * n;
}

/* For each scalar type a task that gives back what it takes, between neighbours that must not be touched. */
#define SCALARS(X)                                                                                                     \
    X(char, c, 'x') X(signed char, sc, -128) X(unsigned char, uc, 255) X(short, s, -32768)                             \
    X(unsigned short, us, 65535) X(int, i, -2147483647) X(unsigned, u, 4294967295u) X(long, l, -9223372036854775807l)  \
    X(unsigned long long, ull, 18446744073709551615ull) X(float, f, -1.5f) X(double, d, 1e300)                         \
    X(long double, ld, 1.0L / 3) X(_Bool, b, 1) X(enum colour, e, BLUE) X(callback, cb, twice)                         \
    X(void *, p, (void *)&lure) X(texts, t, (texts)(uintptr_t)&lure) X(unsigned __int128, x, (unsigned __int128)1 << 100)

#define SCALAR_TASK(T, name, value)                                                                                    \
    static WS_TASK(T, echo_##name, char, before, T, v, char, after)                                                    \
    {                                                                                                                  \
        lure_in();                                                                                                     \
        T result = before == 'b' && after == 'a' ? v : (T)0;                                                           \
        lure_out();                                                                                                    \
        return result;                                                                                                 \
    }                                                                                                                  \
    static WS_TASK(long, root_##name)                                                                                  \
    {                                                                                                                  \
        struct {                                                                                                       \
            T before; T got; T after;                                                                                  \
        } r = {(T)0, (T)0, (T)0};                                                                                      \
        T second = (T)0;                                                                                               \
        ws_spawn(echo_##name, &r.got, 'b', (value), 'a');                                                              \
        ws_spawn(echo_##name, &second, 'b', (value), 'a');                                                             \
        lure_wait(1);                                                                                                  \
        ws_sync();                                                                                                     \
        return (r.got != (T)(value)) + (second != (T)(value)) + (r.before != (T)0) + (r.after != (T)0);                \
    }
SCALARS(SCALAR_TASK)

/* Catches: a value converted on its way (to an integer, to a double), or stored wider than its variable. */
START_TEST(scalars_arrive_whole)
{
    long wrong = 0, one;

    start(workers[_i]);
    for (unsigned mode = 0; mode < LURE_MODES; mode++) {
        for (int i = 0; i < REPEATS; i++) {
#define SCALAR_RUN(T, name, value)                                                                                     \
    lure_begin((enum lure)mode);                                                                                       \
    one = 1;                                                                                                           \
    wrong += ws_run(root_##name, &one) + one;
            SCALARS(SCALAR_RUN)
        }
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert(steals() > 0 || ws_num_workers() == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static unsigned void_calls;

static WS_TASK(double, args0)
{
    lure_in();
    lure_out();
    return 0.5;
}
static WS_TASK(double, args1, double, a)
{
    lure_in();
    lure_out();
    return a;
}
static WS_TASK(double, args2, char, a, double, b)
{
    lure_in();
    lure_out();
    return a + 10 * b;
}
static WS_TASK(double, args3, char, a, double, b, short, c)
{
    lure_in();
    lure_out();
    return a + 10 * b + 100 * c;
}
static WS_TASK(double, args4, char, a, double, b, short, c, float, d)
{
    lure_in();
    lure_out();
    return a + 10 * b + 100 * c + 1000 * (double)d;
}
static WS_TASK(double, args5, char, a, double, b, short, c, float, d, long, e)
{
    lure_in();
    lure_out();
    return a + 10 * b + 100 * c + 1000 * (double)d + 1e4 * (double)e;
}
static WS_TASK(double, args6, char, a, double, b, short, c, float, d, long, e, const char *, g)
{
    lure_in();
    lure_out();
    return a + 10 * b + 100 * c + 1000 * (double)d + 1e4 * (double)e + 1e5 * (*g - '0');
}
static WS_TASK(double, args7, char, a, double, b, short, c, float, d, long, e, const char *, g, bool, h)
{
    lure_in();
    lure_out();
    return a + 10 * b + 100 * c + 1000 * (double)d + 1e4 * (double)e + 1e5 * (*g - '0') + 1e6 * h;
}
static WS_TASK(double, args8, char, a, double, b, short, c, float, d, long, e, const char *, g, bool, h, long double, i)
{
    lure_in();
    lure_out();
    return a + 10 * b + 100 * c + 1000 * (double)d + 1e4 * (double)e + 1e5 * (*g - '0') + 1e6 * h + 1e7 * (double)i;
}
static WS_TASK_VOID(void0)
{
    lure_in();
    (void)__atomic_fetch_add(&void_calls, 1, __ATOMIC_RELAXED);
    lure_out();
}
static WS_TASK_VOID(void8, double *, at, char, b, short, c, float, d, long, e, const char *, g, bool, h, long double, i)
{
    lure_in();
    *at = b + 10 * c + 100 * (double)d + 1000 * (double)e + 1e4 * (*g - '0') + 1e5 * h + 1e6 * (double)i;
    (void)__atomic_fetch_add(&void_calls, 1, __ATOMIC_RELAXED);
    lure_out();
}

static WS_TASK(long, all_arities)
{
    static const double expected[9] = {0.5, 1, 21, 321, 4321, 54321, 654321, 1654321, 81654321};
    double r[9] = {0}, v = 0;
    long wrong = 0;

    ws_spawn(args0, &r[0]);
    ws_spawn(args1, &r[1], 1.0);
    ws_spawn(args2, &r[2], 1, 2.0);
    ws_spawn(args3, &r[3], 1, 2.0, 3);
    ws_spawn(args4, &r[4], 1, 2.0, 3, 4.0f);
    ws_spawn(args5, &r[5], 1, 2.0, 3, 4.0f, 5);
    ws_spawn(args6, &r[6], 1, 2.0, 3, 4.0f, 5, "6");
    ws_spawn(args7, &r[7], 1, 2.0, 3, 4.0f, 5, "6", true);
    ws_spawn(args8, &r[8], 1, 2.0, 3, 4.0f, 5, "6", true, 8.0L);
    ws_spawn(void0);
    ws_spawn(void8, &v, 1, 2, 3.0f, 4, "5", true, 7.0L);
    lure_wait(3);
    ws_sync();
    for (int i = 0; i < 9; i++)
        wrong += r[i] != expected[i];
    return wrong + (v != 7154321);
}

/* Catches: arguments shifted by one another's padding, lost, or exchanged; the same for roots and plain calls. */
START_TEST(none_to_eight_arguments_arrive_in_order)
{
    long wrong = 0, one;
    double r = 0, v = 0;
    unsigned runs = 0;

    start(workers[_i]);
    for (unsigned mode = 0; mode < LURE_MODES; mode++) {
        for (int i = 0; i < 2 * REPEATS; i++, runs++) {
            lure_begin((enum lure)mode);
            one = 1;
            wrong += ws_run(all_arities, &one) + one;
        }
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_uint_eq(void_calls, 2 * runs);
    ck_assert(steals() > 0 || ws_num_workers() == 1);

    lure_begin(LURE_NONE);
    ck_assert_int_eq(ws_run(args0, &r), 0);
    ck_assert(r == 0.5);
    ck_assert_int_eq(ws_run(args8, &r, 1, 2.0, 3, 4.0f, 5, "6", true, 8.0L), 0);
    ck_assert(r == 81654321);
    ck_assert_int_eq(ws_run(void0), 0);
    ck_assert_int_eq(ws_run(void8, &v, 1, 2, 3.0f, 4, "5", true, 7.0L), 0);
    ck_assert(v == 7154321);
    ck_assert(args8(1, 2.0, 3, 4.0f, 5, "6", true, 8.0L) == 81654321); /* a plain call, outside */
    void0();
    ck_assert_uint_eq(void_calls, 2 * runs + 3);
    ck_assert_int_eq(ws_run(args1, NULL, 1.0), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("values");

    tcase_add_loop_test(tcase, structures_arrive_whole, 0, BLOCKS * WORKERS);
    tcase_add_loop_test(tcase, large_tasks_have_large_children, 0, WORKERS);
    tcase_add_loop_test(tcase, scalars_arrive_whole, 0, WORKERS);
    tcase_add_loop_test(tcase, none_to_eight_arguments_arrive_in_order, 0, WORKERS);
    return run_case("values", tcase);
}
