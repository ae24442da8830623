/* SPDX-License-Identifier: MIT */
/*
 * Reductions: each iteration once, combined in index order, along a tree that depends on their number alone. Neighbours:
 * reductions_values.c, the same reductions as the elision; loops.c.
 */
#include "reductions.h"
#include "loops.h"

#include <limits.h>

static loops_hits hits;

#define RUNS 3
#define VALUES 20000

static double x[VALUES], y[VALUES];

static void draw_values(void)
{
    for (int i = 0; i < VALUES; i++) {
        x[i] = 1.0 / (i % 977 + 1) - 0.01 * (i % 13);
        y[i] = (i % 31 - 15) * 0.37 + i * 1e-3;
    }
}

static bool equal(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

/* Without comparing the padding. */
static const char *difference(const struct reductions *a, const struct reductions *b)
{
    return !equal(&a->dot, &b->dot, sizeof a->dot)               ? "dot"
           : !equal(&a->dot_again, &b->dot_again, sizeof a->dot) ? "dot, again"
           : !equal(&a->skewed, &b->skewed, sizeof a->skewed)    ? "skewed"
           : !equal(&a->wide, &b->wide, sizeof a->wide)          ? "wide"
           : !equal(&a->huge, &b->huge, sizeof a->huge)          ? "huge"
           : !equal(&a->product, &b->product, sizeof a->product) ? "product"
                                                                 : NULL;
}

/* Catches: a tree that depends on who runs what; one that differs in the elision. */
START_TEST(results_have_the_same_bits_in_each_schedule_and_in_the_elision)
{
    struct reductions serial, parallel;

    draw_values();
    start(1 + 2 * (size_t)_i); /* 1, 3, 5, 7 */
    for (long n = 0; n <= VALUES; n = n < 40 ? n + 1 : n * 2 - n / 9) {
        ck_assert_int_eq(reductions_values_serial(&serial, n, x, y, 0), 0);
        for (int how = 0; how < 4; how++) {
            const char *what;

            ck_assert_int_eq(reductions_values(&parallel, n, x, y, how), 0);
            what = difference(&parallel, &serial);
            ck_assert_msg(!what, "%s of %ld differs, disturbed %d", what, n, how);
        }
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Intervals: combine() sees whether its arguments are neighbours, and hashes the shape of the tree. */
struct interval {
    int from, to;
    uint64_t hash;
};
static long apart; /* combinations of what are no neighbours */

static struct interval unite(struct interval a, struct interval b)
{
    if (a.to != b.from)
        (void)__atomic_fetch_add(&apart, 1, __ATOMIC_RELAXED);
    return (struct interval){a.from, b.to, (a.hash * UINT64_C(1000003) ^ b.hash * 31) + (uint64_t)(a.to - a.from)};
}
static struct interval unite_any(struct interval a, struct interval b)
{
    if (a.to < 0)
        return b;
    if (b.to < 0)
        return a;
    return unite(a, b);
}
static const struct interval nothing = {-1, -1, 42};

static struct interval one(int i)
{
    return (struct interval){i, i + 1, (uint64_t)i * 2654435761u + 7};
}

/* Seldom: on a busy machine a yield or a nap takes milliseconds. */
static void disturb(int i, int how)
{
    if (how == 1 && i % 128 == 0)
        ws_yield();
    if (how == 2 && i % 512 == 0)
        nanosleep(&(struct timespec){0, 20000}, NULL);
}

static WS_REDUCE(struct interval, nothing, unite, ordered, int, i, int, how)
{
    disturb(i, how);
    loops_hit(&hits[i]);
    return one(i);
}
static WS_REDUCE_ANY(struct interval, nothing, unite_any, unordered, int, i, int, how)
{
    disturb(i, how);
    loops_hit(&hits[i]);
    return one(i);
}

/* The tree as reduce_fold.h describes it, written anew: the left half of n leaves has the largest power of two below n. */
static struct interval tree(int from, int n)
{
    int left = 1;

    if (n == 1)
        return one(from);
    while (left * 2 < n)
        left *= 2;
    return unite(tree(from, left), tree(from + left, n - left));
}

/* Catches: another tree than the documented one; an order that is not that of the indices; a slot that is overwritten;
 * for WS_REDUCE_ANY, parts in a wrong order, or one that is lost or counted after it was taken back. */
START_TEST(values_are_combined_in_order_along_the_documented_tree)
{
    struct interval r, expected;

    start(workers[_i]);
    for (int n = 0; n < 3000; n = n < 140 ? n + 1 : n + n / 3) {
        for (int how = 0; how < 3; how++) {
            r = nothing;
            ck_assert_int_eq(how ? ws_run(ordered, &r, 0, n, how) : ws_for(ordered, &r, 0, n, how), 0);
            loops_expect(hits, (size_t)n);
            expected = n ? tree(0, n) : nothing;
            ck_assert_int_eq(r.from, expected.from);
            ck_assert_int_eq(r.to, expected.to);
            ck_assert(r.hash == expected.hash);
            ck_assert_int_eq(ws_run(unordered, &r, 0, n, how), 0);
            loops_expect(hits, (size_t)n);
            ck_assert_int_eq(r.from, n ? 0 : -1);
            ck_assert_int_eq(r.to, n ? n : -1);
            ck_assert_int_eq(apart, 0);
        }
    }
    ck_assert_int_eq(ws_run(ordered, &r, 0, 100001, 0), 0);
    loops_expect(hits, 100001);
    expected = tree(0, 100001);
    ck_assert(r.hash == expected.hash);
    ck_assert_int_eq(apart, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int combined;
static int count_max(int a, int b)
{
    (void)__atomic_fetch_add(&combined, 1, __ATOMIC_RELAXED);
    return a < b ? b : a;
}

#define HITTING(name, R, id, op, value)                                                                                \
    static WS_REDUCE(R, id, op, name, int, i)                                                                          \
    {                                                                                                                  \
        loops_hit(&hits[i]);                                                                                           \
        return value;                                                                                                  \
    }                                                                                                                  \
    static WS_REDUCE_ANY(R, id, op, any_##name, int, i)                                                                \
    {                                                                                                                  \
        loops_hit(&hits[i]);                                                                                           \
        return value;                                                                                                  \
    }
HITTING(add, long, 0, WS_ADD, i)
HITTING(mul, uint32_t, 1, WS_MUL, (uint32_t)i * 2 + 1)
HITTING(min, short, 32767, WS_MIN, (short)(i ^ 0x155))
HITTING(max, int, INT_MIN, WS_MAX, i ^ 0x155)
HITTING(all, _Bool, 1, WS_AND, i != 500)
HITTING(some, int, 0, WS_OR, i == 700)
HITTING(bits_and, unsigned char, 255, WS_BIT_AND, (unsigned char)(i | 0x12))
HITTING(bits_or, uint64_t, 0, WS_BIT_OR, UINT64_C(1) << i % 64)
HITTING(bits_xor, uint64_t, 0, WS_BIT_XOR, (uint64_t)i * 0x9e3779b97f4a7c15)
HITTING(function, int, -1, count_max, i)

#define EXPECT(name, R, expected)                                                                                      \
    do {                                                                                                               \
        R wanted = (R)(expected), got;                                                                                 \
        memset(&got, 0, sizeof got);                                                                                   \
        ck_assert_int_eq(ws_run(name, &got, 0, n), 0);                                                                 \
        loops_expect(hits, (size_t)n);                                                                                 \
        ck_assert_msg(got == wanted, #name " of %d", n);                                                               \
        memset(&got, 0, sizeof got);                                                                                   \
        ck_assert_int_eq(ws_for(any_##name, &got, 0, n), 0);                                                           \
        loops_expect(hits, (size_t)n);                                                                                 \
        ck_assert_msg(got == wanted, "any_" #name " of %d", n);                                                        \
    } while (0)

/* Catches: a combining macro that evaluates a body twice or picks the wrong side; an identity that counts. */
START_TEST(each_ready_made_combination_is_right)
{
    static const int numbers[] = {0, 1, 2, 7, 8, 9, 63, 500, 501, 1000, 4097, 50000};

    start(workers[_i]);
    for (int run = 0; run < RUNS; run++) {
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            const int n = numbers[k];
            uint32_t product = 1;
            short least = 32767;
            int most = INT_MIN;
            unsigned char both = 255;
            uint64_t set = 0, parity = 0;

            for (int i = 0; i < n; i++) {
                product *= (uint32_t)i * 2 + 1;
                least = (short)(i ^ 0x155) < least ? (short)(i ^ 0x155) : least;
                most = (i ^ 0x155) > most ? i ^ 0x155 : most;
                both &= (unsigned char)(i | 0x12);
                set |= UINT64_C(1) << i % 64;
                parity ^= (uint64_t)i * 0x9e3779b97f4a7c15;
            }
            EXPECT(add, long, (long)n *(n - 1) / 2);
            EXPECT(mul, uint32_t, product);
            EXPECT(min, short, least);
            EXPECT(max, int, most);
            EXPECT(all, _Bool, n <= 500);
            EXPECT(some, int, n > 700);
            EXPECT(bits_and, unsigned char, both);
            EXPECT(bits_or, uint64_t, set);
            EXPECT(bits_xor, uint64_t, parity);
            EXPECT(function, int, n - 1);
            combined = 0;
            ck_assert_int_eq(ws_run(function, &most, 0, n), 0);
            ck_assert_int_eq(combined, n > 0 ? n - 1 : 0);
            memset(hits, 0, sizeof hits);
        }
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Values of which two are too many for the stack, aligned to more than malloc() does. */
struct tall {
    struct interval seen;
    char more[2080];
} __attribute__((__aligned__(64)));

/* This program is linked with --wrap. Blocks for such values are kept in a list, or refused. The size tells them from
 * others, which a static library allocates. */
#define BLOCKS 4096
static void *blocks[BLOCKS];
static long most_blocks;
static int refused;

void *__real_malloc(size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void __wrap_free(void *block);

/* Replaces `from` by `to` in the list. */
static void replace(void *from, void *to)
{
    for (int i = 0; i < BLOCKS; i++) {
        void *was = from;

        if (__atomic_compare_exchange_n(&blocks[i], &was, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
    }
}

static int count_blocks(void)
{
    int n = 0;

    for (int i = 0; i < BLOCKS; i++)
        n += blocks[i] != NULL;
    return n;
}

void *__wrap_malloc(size_t size)
{
    bool counted = size > sizeof(struct tall) && size % sizeof(struct tall) == 0;
    void *block = counted && refused ? NULL : __real_malloc(size);

    if (counted && block) {
        replace(NULL, block);
        (void)__atomic_fetch_add(&most_blocks, 1, __ATOMIC_RELAXED);
    }
    return block;
}
void __wrap_free(void *block)
{
    if (block)
        replace(block, NULL);
    __real_free(block);
}

static long crooked; /* values at addresses that their type forbids */

static struct tall unite_tall(struct tall a, struct tall b)
{
    if ((((uintptr_t)&a | (uintptr_t)&b) & 63) != 0)
        (void)__atomic_fetch_add(&crooked, 1, __ATOMIC_RELAXED);
    a.seen = unite(a.seen, b.seen);
    a.more[999] = (char)(a.more[999] + b.more[999]);
    return a;
}
static const struct tall no_tall = {.seen = {-1, -1, 42}};
static WS_REDUCE(struct tall, no_tall, unite_tall, tall, int, i, int, how)
{
    struct tall r;

    disturb(i, how);
    loops_hit(&hits[i]);
    if (((uintptr_t)&r & 63) != 0)
        (void)__atomic_fetch_add(&crooked, 1, __ATOMIC_RELAXED);
    r.seen = one(i);
    memset(r.more, 1, sizeof r.more);
    return r;
}
static struct tall unite_any_tall(struct tall a, struct tall b)
{
    a.seen = unite_any(a.seen, b.seen);
    return a;
}
static WS_REDUCE_ANY(struct tall, no_tall, unite_any_tall, any_tall, int, i, int, how)
{
    disturb(i, how);
    loops_hit(&hits[i]);
    return (struct tall){.seen = one(i)};
}

/* A reduction that is cut short: in a cancelled scope, at iteration `at`. */
static WS_REDUCE(struct tall, no_tall, unite_tall, cut_short, int, i, int, how, ws_scope *, s, int, at)
{
    disturb(i, how);
    if (i == at)
        (void)ws_scope_cancel(s, 1);
    return (struct tall){.seen = one(i)};
}
static WS_TASK(int, cut, int, how, int, at)
{
    struct tall r;
    ws_scope s;

    ws_scope_begin(&s);
    r = ws_call(cut_short, 0, 30000, how, &s, at);
    return ws_scope_end(&s) == 1 && r.seen.from == -1;
}

/* Catches: a tree that is wrong when there is no memory for its slots; slots that are not freed, or misaligned. */
START_TEST(large_values_need_no_memory)
{
    static struct tall r;

    start(workers[_i]);
    for (refused = 0; refused < 2; refused++) {
        most_blocks = 0;
        for (int n = 1; n < 3000; n = n + n / 3 + 1) {
            for (int how = 0; how < 3; how++) {
                ck_assert_int_eq(ws_run(tall, &r, 0, n, how), 0);
                loops_expect(hits, (size_t)n);
                ck_assert(r.seen.hash == tree(0, n).hash);
                ck_assert_int_eq(r.more[999], (char)n);
                ck_assert_int_eq(count_blocks(), 0);
                ck_assert_int_eq(ws_run(any_tall, &r, 0, n, how), 0);
                loops_expect(hits, (size_t)n);
                ck_assert_int_eq(r.seen.to, n);
            }
        }
        ck_assert(refused ? most_blocks == 0 : most_blocks > 0);
    }
    refused = 0;
    for (int run = 0; run < 60; run++) {
        int right = 0;

        ck_assert_int_eq(ws_run(cut, &right, run % 3, run * run), 0);
        ck_assert_int_eq(right, 1);
        ck_assert_int_eq(count_blocks(), 0);
    }
    ck_assert_int_eq(apart + crooked, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK(int, in_all_ways, int, n)
{
    struct interval a, b, c = nothing, d = nothing;

    ws_spawn(ordered, &a, 0, n, 1);
    ws_spawn(unordered, &c, 0, n, 0);
    b = ws_call(ordered, 0, n, 0);
    ws_sync();
    if (ws_for(ordered, &d, 0, n, 2) || ws_for(ordered, NULL, 0, n, 0))
        return -1;
    return a.hash == b.hash && b.hash == d.hash && c.to == n;
}

/* Catches: a reduction that is spawned, called or run within a task, and gives another value there. */
START_TEST(reductions_are_tasks)
{
    start(workers[_i]);
    for (int run = 0; run < 10 * RUNS; run++) {
        int right = 0;

        ck_assert_int_eq(ws_run(in_all_ways, &right, 1000 + run), 0);
        ck_assert_int_eq(right, 1);
        memset(hits, 0, sizeof hits);
    }
    ck_assert_int_eq(apart, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("reductions");

    tcase_add_loop_test(tcase, results_have_the_same_bits_in_each_schedule_and_in_the_elision, 0, 4);
    tcase_add_loop_test(tcase, values_are_combined_in_order_along_the_documented_tree, 0, WORKERS);
    tcase_add_loop_test(tcase, each_ready_made_combination_is_right, 0, WORKERS);
    tcase_add_loop_test(tcase, large_values_need_no_memory, 0, WORKERS);
    tcase_add_loop_test(tcase, reductions_are_tasks, 0, WORKERS);
    return run_case("reductions", tcase);
}
