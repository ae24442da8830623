/* SPDX-License-Identifier: MIT */
/* hang WHERE - a test that never ends, for tests/build/limit.sh: WHERE is runtime, child (a process that the test has
 * forked) or plain (without the runtime). */
#include "../support/process.h"
#include "../support/runtime.h"

#include <string.h>

static int is_stolen;

static WS_TASK(long, never_ends, long, n)
{
    __atomic_store_n(&is_stolen, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
    return n;
}

/* Waits at the sync: the child is stolen by then. */
static WS_TASK(long, waits_for_it, long, n)
{
    long x = 0;

    ws_spawn(never_ends, &x, n);
    while (!__atomic_load_n(&is_stolen, __ATOMIC_ACQUIRE))
        sched_yield();
    ws_sync();
    return x;
}

static int hang(long n)
{
    long result = 0;

    start_runtime(2, 0, WS_SPIN_DEFAULT);
    return ws_run(waits_for_it, &result, n);
}

START_TEST(in_the_runtime)
{
    ck_assert_int_eq(hang(1), 0);
}
END_TEST

START_TEST(in_a_child)
{
    struct outcome o = in_child(hang, 1);

    ck_assert_msg(!died_of(&o, SIGALRM), "the child was late");
}
END_TEST

START_TEST(without_a_runtime)
{
    ck_assert_int_eq(pause(), 0);
}
END_TEST

int main(int argc, char **argv)
{
    const char *where = argc == 2 ? argv[1] : "";
    TCase *tcase = new_case("hang");

    if (strcmp(where, "runtime") == 0)
        tcase_add_test(tcase, in_the_runtime);
    else if (strcmp(where, "child") == 0)
        tcase_add_test(tcase, in_a_child);
    else if (strcmp(where, "plain") == 0)
        tcase_add_test(tcase, without_a_runtime);
    else
        return 2;
    return run_case("hang", tcase);
}
