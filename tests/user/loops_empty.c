/* SPDX-License-Identifier: MIT */
/*
 * Loops over several indices of which one has no value: they end at once, however many values the others have. The same
 * file is compiled as a serial (loops_empty_serial) and a profiled program (loops_empty_profile), and searched for races by
 * tests/race/ours.sh. Neighbours: loops.c; tests/race/schedules.c.
 *
 * Catches: an outer loop that runs for nothing, here for centuries: the test then ends by its limit.
 */
#include "workers.h"

#include <limits.h>

static long ran;

static void note(void)
{
    (void)__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}

static WS_LOOP2(plane, long, i, uint64_t, j)
{
    (void)i;
    (void)j;
    note();
}
static WS_LOOP3(box, long, i, uint64_t, j, long long, k)
{
    (void)i;
    (void)j;
    (void)k;
    note();
}

/* A range of an index: all values, one, none, and fewer than none. */
struct side {
    uint64_t lo, hi;
    int values; /* 0: none; 1: one; 2: more than can ever run */
};
#define AS_SIGNED(x) ((uint64_t)(x))
static const struct side signed_sides[] = {{AS_SIGNED(LONG_MIN), AS_SIGNED(LONG_MAX), 2},
                                           {5, 6, 1},
                                           {5, 5, 0},
                                           {AS_SIGNED(LONG_MAX), AS_SIGNED(LONG_MIN), 0},
                                           {5, AS_SIGNED(-5), 0}};
static const struct side unsigned_sides[] = {{0, UINT64_MAX, 2}, {5, 6, 1}, {5, 5, 0}, {UINT64_MAX, 0, 0}, {5, 2, 0}};
#define SIDES 5

enum { RUN, FOR, CALL, SPAWN, PLAIN, HOWS };

static WS_TASK_VOID(in_task, int, how, struct side, a, struct side, b, const struct side *, c)
{
    if (how == SPAWN && c) {
        ws_spawn(box, (long)a.lo, (long)a.hi, b.lo, b.hi, (long long)c->lo, (long long)c->hi);
    } else if (how == SPAWN) {
        ws_spawn(plane, (long)a.lo, (long)a.hi, b.lo, b.hi);
    } else if (c) {
        ws_call(box, (long)a.lo, (long)a.hi, b.lo, b.hi, (long long)c->lo, (long long)c->hi);
    } else {
        ws_call(plane, (long)a.lo, (long)a.hi, b.lo, b.hi);
    }
    ws_sync();
}

/* A loop over two indices, or three. */
static int run_loop(int how, struct side a, struct side b, const struct side *c)
{
    switch (how) {
    case RUN:
        return c ? ws_run(box, (long)a.lo, (long)a.hi, b.lo, b.hi, (long long)c->lo, (long long)c->hi)
                 : ws_run(plane, (long)a.lo, (long)a.hi, b.lo, b.hi);
    case FOR:
        return c ? ws_for(box, (long)a.lo, (long)a.hi, b.lo, b.hi, (long long)c->lo, (long long)c->hi)
                 : ws_for(plane, (long)a.lo, (long)a.hi, b.lo, b.hi);
    case PLAIN:
        if (c)
            box((long)a.lo, (long)a.hi, b.lo, b.hi, (long long)c->lo, (long long)c->hi);
        else
            plane((long)a.lo, (long)a.hi, b.lo, b.hi);
        return 0;
    default: return ws_run(in_task, how, a, b, c);
    }
}

static void check_loop(int how, const struct side *a, const struct side *b, const struct side *c)
{
    int values = a->values * b->values * (c ? c->values : 1);

    if (values > 1)
        return;
    ran = 0;
    ck_assert_int_eq(run_loop(how, *a, *b, c), 0);
    ck_assert_msg(ran == values, "%ld instead of %d iterations", ran, values);
}

/* The second round runs as the loops have learned in the first one. */
START_TEST(a_loop_with_an_empty_side_ends_at_once)
{
    start(workers[_i]);
    for (int round = 0; round < 2; round++) {
        for (int how = 0; how < HOWS; how++) {
            for (int k = 0; k < SIDES * SIDES * SIDES; k++) {
                const struct side *a = &signed_sides[k % SIDES], *b = &unsigned_sides[k / SIDES % SIDES];

                check_loop(how, a, b, NULL);
                check_loop(how, a, b, &signed_sides[k / SIDES / SIDES]);
            }
        }
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("loops_empty");

#if defined WSFJ_SERIAL || defined WSFJ_PROFILE || defined WSFJ_RACE
    tcase_add_loop_test(tcase, a_loop_with_an_empty_side_ends_at_once, 0, 1);
#else
    tcase_add_loop_test(tcase, a_loop_with_an_empty_side_ends_at_once, 0, WORKERS);
#endif
    return run_case("loops_empty", tcase);
}
