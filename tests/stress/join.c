/* SPDX-License-Identifier: MIT */
/*
 * The suspended join (JOIN-1 to JOIN-3): stolen children finish at about the moment when their parent reaches its sync.
 * The parent goes on exactly once, after all of them, with all results.
 */
#include "stress.h"

#include <string.h>

#define PARENTS COUNT(40000L, 5000L)
#define FAMILIES COUNT(5000L, 1000L)
#define DEPTH COUNT(200, 50)
/* Longest wait for a thief. On a busy machine the thief may have no processor, and then the parent goes on alone. */
#define SHORT_NS 1000000
/* The time limit of the whole test; after it the parents no longer wait. */
#define BUDGET_NS UINT64_C(400000000)

static long parents;           /* parents that have run */
static unsigned char *resumed; /* how often each parent has returned from its sync */

static WS_TASK(long, near_child, long, i, int *, started, unsigned, turns)
{
    raise_flag(started);
    spin(turns);
    return 5 * i + 2;
}

/* The child is stolen before its parent goes on: both are then about equally far from the join. */
static WS_TASK(long, near_parent, long, i, unsigned, mine, unsigned, childs)
{
    int started = 0;
    long result = -1;

    ws_spawn(near_child, &result, i, &started, childs);
    (void)wait_flag(&started, SHORT_NS);
    spin(mine);
    ws_sync();
    (void)__atomic_fetch_add(&resumed[i], 1, __ATOMIC_RELAXED);
    return result != 5 * i + 2;
}

struct small {
    long v[5];
};
struct large {
    long v[25];
};

/* Shared by the children of one parent: they wait for `go` and finish together. */
struct family {
    int go;
    unsigned turns[6];
};

static void wait_go(struct family *family, int child)
{
    (void)wait_flag(&family->go, SHORT_NS);
    spin(family->turns[child]);
}

static WS_TASK(char, a_char, struct family *, family, long, i)
{
    wait_go(family, 0);
    return (char)(i % 100);
}

static WS_TASK(double, a_double, struct family *, family, long, i)
{
    wait_go(family, 1);
    return (double)i / 2;
}

static WS_TASK(struct small, a_small, struct family *, family, long, i)
{
    struct small s;

    wait_go(family, 2);
    for (int j = 0; j < 5; j++)
        s.v[j] = i + j;
    return s;
}

static WS_TASK(struct large, a_large, struct family *, family, struct small, from)
{
    struct large l;

    wait_go(family, 3);
    for (int j = 0; j < 25; j++)
        l.v[j] = from.v[j % 5] * 25 + j;
    return l;
}

static WS_TASK_VOID(a_void, struct family *, family, long, i, long *, to)
{
    wait_go(family, 4);
    *to = 7 * i;
}

static WS_TASK(long, family_parent, long, i, uint64_t, random)
{
    struct family family = {0, {0}};
    struct small s = {{0}}, from = {{i, i + 1, i + 2, i + 3, i + 4}};
    struct large l = {{0}}, again = {{0}};
    char c = (char)-1;
    double d = -1;
    long v = -1, wrong;

    for (int j = 0; j < 6; j++)
        family.turns[j] = draw(&random, 100);
    ws_spawn(a_char, &c, &family, i);
    ws_spawn(a_large, &l, &family, from);
    ws_spawn(a_double, &d, &family, i);
    ws_spawn(a_small, &s, &family, i);
    ws_spawn(a_void, &family, i, &v);
    ws_spawn(a_large, &again, &family, from);
    spin(draw(&random, 20000));
    raise_flag(&family.go);
    spin(family.turns[5]);
    ws_sync();
    (void)__atomic_fetch_add(&resumed[i], 1, __ATOMIC_RELAXED);
    wrong = (c != (char)(i % 100)) + (d != (double)i / 2) + (v != 7 * i) + (memcmp(&l, &again, sizeof l) != 0);
    for (int j = 0; j < 5; j++)
        wrong += s.v[j] != i + j;
    for (int j = 0; j < 25; j++)
        wrong += l.v[j] != (i + j % 5) * 25 + j;
    return wrong;
}

static WS_TASK(long, near_parents, long, n)
{
    uint64_t end = now() + BUDGET_NS;
    uint64_t random = 88172645463325252u;
    long wrong = 0;

    for (long i = 0; i < n && now() < end; i++, parents++)
        wrong += ws_call(near_parent, i, draw(&random, 200), draw(&random, 200));
    return wrong;
}

static WS_TASK(long, family_parents, long, n)
{
    uint64_t end = now() + BUDGET_NS;
    long wrong = 0;

    for (long i = 0; i < n && now() < end; i++, parents++)
        wrong += ws_call(family_parent, i, (uint64_t)i * 2654435761u + 1);
    return wrong;
}

static const size_t workers[] = {2, 3, 8};

static void check_resumed(void)
{
    long not_once = 0;

    for (long i = 0; i < parents; i++)
        not_once += resumed[i] != 1;
    ck_assert_int_eq(not_once, 0);
    free(resumed);
}

/* Catches: the parent's own unit given up before the switch away from its stack (two threads on one stack); children
 * whose count is written too late (resumed too early, or never). */
START_TEST(a_parent_and_its_child_may_come_to_the_join_together)
{
    long wrong = -1;

    resumed = calloc((size_t)PARENTS, 1);
    start_nth(workers, _i, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_run(near_parents, &wrong, PARENTS), 0);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
    check_resumed();
}
END_TEST

/* Catches: a result copied with the size or from the address of another child; a parent resumed by the first of several
 * children. */
START_TEST(children_of_all_kinds_may_finish_at_once)
{
    long wrong = -1;

    resumed = calloc((size_t)FAMILIES, 1);
    start_nth(workers, _i, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_run(family_parents, &wrong, FAMILIES), 0);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
    check_resumed();
}
END_TEST

static int started[DEPTH + 1], at_sync[DEPTH + 2];
static long late; /* waits that timed out */

/* Each level's child waits until its parent has reached the sync; the parent goes there when the child is stolen. */
static WS_TASK(long, chain, long, n)
{
    long below = 0;

    raise_flag(&started[n]);
    if (!wait_flag(&at_sync[n + 1], LONG_NS))
        count(&late);
    if (n == 0)
        return 1;
    ws_spawn(chain, &below, n - 1);
    if (!wait_flag(&started[n - 1], LONG_NS))
        count(&late);
    raise_flag(&at_sync[n]);
    ws_sync();
    return below + 1;
}

/* Catches: a suspension that occupies its worker (two workers would stop at the second level); a result lost on the way
 * up. With two workers the next level's thief is the worker whose stack was suspended: each level suspends, except
 * perhaps the last, whose child is a leaf. */
START_TEST(a_recursion_may_suspend_at_every_level)
{
    long result = -1;

    start_nth(workers, _i, WS_SPIN_DEFAULT);
    raise_flag(&at_sync[DEPTH + 1]);
    ck_assert_int_eq(ws_run(chain, &result, (long)DEPTH), 0);
    ck_assert_int_eq(result, DEPTH + 1);
    ck_assert_int_eq(late, 0);
    ck_assert_uint_ge(suspensions(), _i < 2 ? DEPTH - 1 : 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("join");

    tcase_add_loop_test(tcase, a_parent_and_its_child_may_come_to_the_join_together, 0, 6);
    tcase_add_loop_test(tcase, children_of_all_kinds_may_finish_at_once, 0, 6);
    tcase_add_loop_test(tcase, a_recursion_may_suspend_at_every_level, 0, 6);
    return run_case("join", tcase);
}
