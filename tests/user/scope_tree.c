/* SPDX-License-Identifier: MIT */
/*
 * Random trees of tasks and scopes, from several threads at once: a result is right, or zero because the task was
 * dropped, and then a scope around it was cancelled and says so.
 */
#include "../support/runtime.h"

#include <pthread.h>
#include <string.h>

#define DEPTH 7
#define CHILDREN 4
#define TREES 30
#define THREADS 4

/* A result: small, or so large that it lies in the argument area. */
struct large {
    uint64_t v[16];
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

static uint64_t wrong; /* in all tasks */

static void must(bool ok)
{
    if (!ok)
        (void)__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

/* What a task with this seed returns. */
static uint64_t value(uint64_t seed)
{
    return mix(seed) | 1;
}

static WS_DECLARE(uint64_t, node, uint64_t, seed, int, depth, ws_scope *, around);

static WS_TASK(struct large, large_node, uint64_t, seed, int, depth, ws_scope *, around)
{
    struct large l;

    (void)ws_call(node, seed, depth, around);
    for (int i = 0; i < 16; i++)
        l.v[i] = value(seed);
    return l;
}

/* The children have a scope of their own, or belong to that around them, which any of them may cancel. */
static WS_TASK(uint64_t, node, uint64_t, seed, int, depth, ws_scope *, around)
{
    uint64_t small[CHILDREN];
    struct large large[CHILDREN];
    uint64_t r = mix(seed ^ UINT64_C(0x123456789));
    bool has_scope = r % 3 == 0;
    int code = 0;
    ws_scope s;

    if (r % 11 == 0)
        (void)ws_scope_cancel(around, (int)(r % 7));
    if (depth > 0) {
        memset(small, 0x55, sizeof small);
        memset(large, 0x55, sizeof large);
        if (r % 5 == 0 && ws_num_workers() > 1)
            sched_yield(); /* thieves come */
        if (has_scope) {
            ws_scope_begin(&s);
            if (r % 13 == 0)
                (void)ws_scope_cancel(&s, 100);
            for (int i = 0; i < CHILDREN; i++) {
                ws_spawn(node, &small[i], seed * 8 + (uint64_t)i, depth - 1, &s);
                ws_spawn(large_node, &large[i], seed * 8 + (uint64_t)i, depth - 2 > 0 ? depth - 2 : 0, &s);
            }
            if (r % 17 == 0)
                ws_yield();
            code = ws_scope_end(&s);
        } else {
            for (int i = 0; i < CHILDREN; i++) {
                ws_spawn(node, &small[i], seed * 8 + (uint64_t)i, depth - 1, around);
                ws_spawn(large_node, &large[i], seed * 8 + (uint64_t)i, depth - 2 > 0 ? depth - 2 : 0, around);
            }
            ws_sync();
            code = ws_scope_cancelled(around);
        }
        for (int i = 0; i < CHILDREN; i++) {
            uint64_t v = value(seed * 8 + (uint64_t)i);

            must(small[i] == v || (small[i] == 0 && code));
            for (int j = 0; j < 16; j++)
                must(large[i].v[j] == v || (large[i].v[j] == 0 && code));
        }
    }
    return value(seed);
}

static WS_TASK(uint64_t, tree, uint64_t, seed)
{
    uint64_t r;
    ws_scope s;

    ws_scope_begin(&s);
    r = ws_call(node, seed, DEPTH, &s);
    (void)ws_scope_end(&s);
    return r;
}

static void *trees(void *number)
{
    for (uint64_t i = 0; i < TREES; i++) {
        uint64_t seed = (uint64_t)(uintptr_t)number * 1000 + i, r = 0;

        must(ws_run(tree, &r, seed) == 0 && r == value(seed));
    }
    return NULL;
}

/* Catches: a task dropped without a cancelled scope around it, a result from another task, a parent that is resumed too
 * early or never, a scope that a thief reads after its end. */
START_TEST(a_result_is_right_or_its_task_was_dropped)
{
    static const struct {
        size_t workers, stacks;
    } cases[] = {{1, 0}, {2, 0}, {3, 0}, {8, 0}, {4, 5}, {3, 2}};
    pthread_t threads[THREADS];
    ws_config config;

    ws_config_default(&config);
    config.num_workers = cases[_i].workers;
    config.max_stacks = cases[_i].stacks;
    ck_assert_int_eq(ws_init(&config), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, trees, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(wrong, 0);
    printf("dropped %llu, stolen %llu\n", (unsigned long long)read_stats().cancelled, (unsigned long long)steals());
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("scope_tree");

    tcase_add_loop_test(tcase, a_result_is_right_or_its_task_was_dropped, 0, 6);
    return run_case("scope_tree", tcase);
}
