/* SPDX-License-Identifier: MIT */
/* With WSFJ_DEBUG, a task that returns without ws_sync() is reported: the worst cases first. */
#include "../support/heard.h"
#include "workers.h"

/* Only there the end of a stack frame is known. AddressSanitizer ends a program whose child touches such a variable. */
#if defined __x86_64__ && !SANITIZED_ADDRESS
#define TELLS_DEAD_VARIABLES 1
#else
#define TELLS_DEAD_VARIABLES 0
#endif

struct large {
    char text[100];
    int *pointer;
};

/* Where a child writes to a variable that no longer exists, it adds nothing. */
static WS_TASK_VOID(adds, char, n, int *, to)
{
    __atomic_add_fetch(to, n, __ATOMIC_RELAXED);
}
static WS_TASK(int, gives, int, n)
{
    return n;
}
static WS_TASK_VOID(takes_large, struct large, l)
{
    __atomic_add_fetch(l.pointer, 0, __ATOMIC_RELAXED);
}

static WS_TASK(int, gives_and_takes, int *, from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static int global;

enum { LINE = __LINE__ + 1 };
static WS_TASK_VOID(local_variable, int, n)
{
    int local = 0;

    ws_spawn(adds, 1, &global);
    ws_spawn(adds, (char)n, &local);
}
static WS_TASK_VOID(local_in_large, int, n)
{
    int local = n;
    struct large l = {"", &local};

    ws_spawn(takes_large, l);
}
static WS_TASK_VOID(both_at_once, int, n)
{
    int local = n, result;

    ws_spawn(gives_and_takes, &result, &local);
}
static WS_TASK_VOID(parents_variable, int *, to)
{
    ws_spawn(adds, 1, to);
}
static WS_TASK_VOID(result_only, int, n)
{
    int local = 0;

    ws_spawn(gives, &local, n);
}
/* Of several children, only the first, or only the last, has a result. */
static WS_TASK_VOID(first_result, int, n)
{
    ws_spawn(gives, &global, n);
    ws_spawn(adds, 1, &global);
}
static WS_TASK_VOID(last_result, int, n)
{
    ws_spawn(adds, 1, &global);
    ws_spawn(gives, &global, n);
}
static WS_TASK_VOID(no_result, int, n)
{
    ws_spawn(adds, (char)n, &global);
    ws_spawn(adds, 1, &global);
}
static WS_TASK_VOID(synced, int, n)
{
    int local = 0;

    ws_spawn(adds, (char)n, &local);
    ws_sync();
}
static WS_TASK_VOID(pending_parents, int, n)
{
    int local = 0;

    ws_spawn(parents_variable, &local);
    ws_call(parents_variable, &local);
    ws_sync();
    if (local != 2)
        abort();
    (void)n;
}

static void block(int n)
{
    int local = 0;
    {
        ws_frame();
        ws_spawn(adds, (char)n, &local);
    }
    if (local != n)
        abort();
}

static const char *said(void)
{
    while (hear(0))
        ;
    return heard;
}

START_TEST(the_worst_is_told)
{
    start(1);
    listen_begin();
#if TELLS_DEAD_VARIABLES
    char place[64];
    const char *dead = "returned without ws_sync(): its child adds uses a variable that no longer exists";

    ck_assert_int_eq(ws_run(local_variable, 0), 0);
    ck_assert_ptr_nonnull(strstr(said(), dead));
    ck_assert_ptr_nonnull(strstr(said(), "libwsfj: local_variable ("));
    snprintf(place, sizeof place, "leave.c:%d) returned", LINE);
    ck_assert_ptr_nonnull(strstr(said(), place));
    ck_assert_ptr_null(strstr(said(), "results"));
    hear_nothing();
    ck_assert_int_eq(ws_run(both_at_once, 1), 0);
    ck_assert_ptr_nonnull(strstr(said(), "its child gives_and_takes uses a variable"));
    ck_assert_ptr_null(strstr(said(), "results"));
#endif
    (void)said();
    hear_nothing();
    ck_assert_int_eq(ws_run(result_only, 1), 0);
    ck_assert_ptr_nonnull(strstr(said(), "result_only ("));
    ck_assert_ptr_nonnull(strstr(said(), "returned without ws_sync(): results of its children are dropped"));
    hear_nothing();
    ck_assert_int_eq(ws_run(first_result, 1), 0);
    ck_assert_ptr_nonnull(strstr(said(), "results of its children are dropped"));
    hear_nothing();
    ck_assert_int_eq(ws_run(last_result, 1), 0);
    ck_assert_ptr_nonnull(strstr(said(), "results of its children are dropped"));
    hear_nothing();
    ck_assert_int_eq(ws_run(no_result, 1), 0);
    ck_assert_str_eq(said(), "");
    listen_end();
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#if TELLS_DEAD_VARIABLES
/* The arguments are in the argument area. A process of its own: no earlier arguments lie about. */
START_TEST(large_arguments_are_seen)
{
    start(1);
    listen_begin();
    ck_assert_int_eq(ws_run(local_in_large, 1), 0);
    ck_assert_ptr_nonnull(strstr(said(), "its child takes_large uses a variable that no longer exists"));
    listen_end();
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST
#endif

START_TEST(what_is_right_is_not_told)
{
    start(1);
    listen_begin();
    ck_assert_int_eq(ws_run(synced, 1), 0);
    ck_assert_int_eq(ws_run(pending_parents, 1), 0);
    block(3);
    ck_assert_str_eq(said(), "");
    listen_end();
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("leave");

    tcase_add_test(tcase, the_worst_is_told);
#if TELLS_DEAD_VARIABLES
    tcase_add_test(tcase, large_arguments_are_seen);
#endif
    tcase_add_test(tcase, what_is_right_is_not_told);
    return run_case("leave", tcase);
}
