/* SPDX-License-Identifier: MIT */
/* Tasks in several translation units, declared in a header. */
#include "files.h"

#include "workers.h"
#include <sched.h>

WS_TASK(long, even, long, n)
{
    long r = 0;

    if (n == 0)
        return 1;
    ws_spawn(odd, &r, n - 1);
    ws_spawn(tick);
    ws_sync();
    return r;
}

/* files_other.c has another task of this name. */
static WS_TASK(long, same_name, long, n)
{
    return n;
}

static WS_TASK(long, everything)
{
    long e = 0, o = 0, s = 0, sum = 0, wrong = 0, called;
    struct wide w[8];

    ws_spawn(even, &e, 100);
    ws_spawn(odd, &o, 100);
    for (long i = 0; i < 8; i++)
        ws_spawn(widen, &w[i], i);
    for (long i = 0; i < 50; i++)
        ws_spawn(add_to, &sum, i);
    ws_spawn(same_name, &s, 7);
    called = ws_call(odd, 7) + even(8);
    wrong += same_name_there() != 1001;
    others_wait();
    ws_sync();
    for (long i = 0; i < 8; i++)
        for (long j = 0; j < 16; j++)
            wrong += w[i].v[j] != i * j;
    return wrong + (e != 1) + (o != 0) + (sum != 1225) + (s != 7) + (called != 2);
}

/* Catches: a declared task that does not link, is compiled differently in the two files, or is confused with the static
 * task of the same name. */
START_TEST(tasks_of_other_files_are_spawned_called_and_run)
{
    long wrong = -1, r = -1;

    start(workers[_i]);
    for (unsigned i = 0; i < 50; i++) {
        ticks = 0;
        others_begin(i);
        ck_assert_int_eq(ws_run(everything, &wrong), 0);
        ck_assert_int_eq(wrong, 0);
        ck_assert_int_eq(ticks, 100 + 100 + 7 + 8 + 1);
    }
    ck_assert_int_eq(ws_run(odd, &r, 11), 0);
    ck_assert_int_eq(r, 1);
    ck_assert_int_eq(ws_run(tick), 0);
    ck_assert_int_eq(odd(9), 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("files");

    tcase_add_loop_test(tcase, tasks_of_other_files_are_spawned_called_and_run, 0, WORKERS);
    return run_case("files", tcase);
}
