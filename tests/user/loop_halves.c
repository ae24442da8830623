/* SPDX-License-Identifier: MIT */
/*
 * Which half of a loop a worker runs first: the lower workers the lower half, the others the upper one, so that data stay in
 * their caches when a loop is called again and its task has moved to another worker. The other worker is busy meanwhile, so
 * the order is certain. Neighbours: loops.c, loops_nested.c.
 */
#include "loops.h"

#define N 1001

static long order[N], runs;
static int arrived, done;

static WS_LOOP(note, long, i)
{
    order[runs++ % N] = i;
}

static void run_on(int wanted)
{
    if (ws_worker_id() == wanted) {
        wsfj_loop_forget(&wsfj_site_note); /* a loop that is known to be short is not divided */
        ck_assert_int_eq(ws_for(note, 0, N), 0);
        __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    }
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        sched_yield();
}

static WS_TASK_VOID(other, int, wanted)
{
    __atomic_store_n(&arrived, 1, __ATOMIC_RELEASE);
    run_on(wanted);
}

static WS_TASK_VOID(both, int, wanted)
{
    ws_spawn(other, wanted);
    while (!__atomic_load_n(&arrived, __ATOMIC_ACQUIRE))
        sched_yield();
    run_on(wanted);
    ws_sync();
}

/* What ran as number k. Where deques are full after six children, the driver calls further ones at once (full_LDADD). */
static void expect(long k, int upper)
{
#ifdef FULL
    long times = 0;

    (void)upper;
    for (long i = 0; i < N; i++)
        times += order[i] == k;
    ck_assert_int_eq(times, 1);
#else
    ck_assert_int_eq(order[k], upper ? (k + N / 2) % N : k);
#endif
}

/* Catches: a line that is taken back at the wrong place; the upper half run second. With FULL: an iteration that runs twice
 * or never after a child was called. */
START_TEST(a_worker_begins_with_its_half)
{
    start_runtime(2, 64 << 10, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_run(both, _i), 0);
    ck_assert_int_eq(runs, N);
    for (long k = 0; k < N; k++)
        expect(k, _i);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("loop_halves");

    tcase_add_loop_test(tcase, a_worker_begins_with_its_half, 0, 2);
    return run_case("loop_halves", tcase);
}
