/* SPDX-License-Identifier: MIT */
/* Scopes used in a wrong way: what is said, and that nothing breaks. Compiled with -DWSFJ_DEBUG. Neighbour: scope_rules.c. */
#include "../support/heard.h"
#include "../support/process.h"
#include "../support/runtime.h"

#include <fnmatch.h>

static WS_TASK_VOID(cancels, ws_scope *, s, int, code)
{
    (void)ws_scope_cancel(s, code);
}

static WS_TASK(int, gives, int, n)
{
    return n;
}

static WS_TASK(int, leaves, int, n)
{
    ws_scope s;

    ws_scope_begin(&s);
    if (n > 1)
        ws_spawn(gives, &n, 5);
    else if (n > 0)
        return 1;
    (void)ws_scope_cancelled(&s);
    return n > 1 ? 2 : ws_scope_end(&s);
}

static WS_TASK(int, ends_twice)
{
    ws_scope s;

    ws_scope_begin(&s);
    ws_spawn(cancels, &s, 4);
    return ws_scope_end(&s) == 4 && ws_scope_end(&s) == 4 ? 0 : 1;
}

static WS_TASK(int, ends_the_parents, ws_scope *, s)
{
    return ws_scope_end(s);
}

static WS_TASK(int, a_child_ends_it)
{
    int a = -1, b = -1;
    ws_scope s;

    ws_scope_begin(&s);
    ws_spawn(gives, &a, 5);
    b = ws_call(ends_the_parents, &s); /* its children are not done */
    ws_spawn(cancels, &s, 4);
    if (ws_scope_end(&s) != 4 || b != 0)
        return 1;
    return a == 5 || (a == 0 && ws_num_workers() > 1) ? 0 : 1; /* 0: a thief came after the cancellation */
}

static WS_TASK(int, ends_in_another_block)
{
    int a = -1, b;
    ws_scope s;

    ws_scope_begin(&s);
    ws_spawn(gives, &a, 5);
    {
        ws_frame();
        b = ws_scope_end(&s);
    }
    return ws_scope_end(&s) == 0 && a == 5 && b == 0 ? 0 : 1;
}

#define LEFT "libwsfj: a block was left without ws_scope_end() of its scope\n"
#define NOT_BEGUN "libwsfj: ws_scope_end(): the calling task has not begun the scope 0x*, or it has ended\n"
#define ANOTHER_BLOCK "libwsfj: ws_scope_end(): the scope 0x* has begun in another block, whose children are not done\n"
#define BEGUN_TWICE "libwsfj: ws_scope_begin(): the scope 0x* has begun already and has not ended\n"
#define LEFT_CHILD "libwsfj: a block with ws_scope_begin() returned without ws_sync(): "

/* Catches: a misuse that nobody hears of, or a line without a misuse. */
START_TEST(a_misuse_is_said)
{
    int r = -1;

    start_runtime(_i ? 2 : 1, 0, WS_SPIN_DEFAULT);
    listen_begin();
    ck_assert(ws_run(leaves, &r, 0) == 0 && r == 0);
    ck_assert(!hear(0));
    ck_assert(ws_run(leaves, &r, 1) == 0 && r == 1);
    ck_assert(hear(0));
    ck_assert_str_eq(heard, LEFT);
    hear_nothing();
    ck_assert(ws_run(leaves, &r, 2) == 0 && r == 2);
    while (!strstr(heard, LEFT))
        ck_assert(hear(1000));
    ck_assert_int_eq(strncmp(heard, LEFT_CHILD, strlen(LEFT_CHILD)), 0);
    ck_assert_str_eq(strstr(heard, LEFT), LEFT);
    hear_nothing();
    ck_assert(ws_run(ends_twice, &r) == 0 && r == 0);
    ck_assert(hear(0) && fnmatch(NOT_BEGUN, heard, 0) == 0);
    hear_nothing();
    ck_assert(ws_run(a_child_ends_it, &r) == 0 && r == 0);
    ck_assert(hear(0) && fnmatch(ANOTHER_BLOCK, heard, 0) == 0);
    hear_nothing();
    ck_assert(ws_run(ends_in_another_block, &r) == 0 && r == 0);
    ck_assert(hear(0) && fnmatch(ANOTHER_BLOCK, heard, 0) == 0);
    listen_end();
    stop_runtime();
}
END_TEST

static WS_TASK_VOID(begins_twice)
{
    ws_scope s;

    ws_scope_begin(&s);
    ws_scope_begin(&s);
    (void)ws_scope_end(&s);
}

static int begins_twice_alone(long n)
{
    (void)n;
    return ws_run(begins_twice);
}

/* Catches: a chain that is a circle, which a thief follows for ever. */
START_TEST(a_scope_begun_twice_ends_the_program)
{
    struct outcome o;

    o = in_child(begins_twice_alone, 0);
    ck_assert(WIFSIGNALED(o.status) && WTERMSIG(o.status) == SIGABRT);
    ck_assert_msg(fnmatch(BEGUN_TWICE, o.text, 0) == 0, "%s", o.text);
}
END_TEST

/* Steps of the task that forks. */
static WS_TASK(int, forks)
{
    int a = -1, b = -1, code;
    ws_scope outer, inner;
    pid_t pid;

    ws_scope_begin(&outer);
    (void)ws_scope_cancel(&outer, 3);
    ws_scope_begin(&inner);
    ws_spawn(gives, &a, 5);
    pid = fork();
    if (pid != 0) {
        int status = -1;

        waitpid(pid, &status, 0);
        return ws_scope_end(&inner) == 3 && ws_scope_end(&outer) == 3 ? status : -1;
    }
    ws_spawn(gives, &b, 6);
    code = ws_scope_end(&inner);
    (void)ws_scope_end(&outer);
    _exit(code == 3 && (a == 5 || a == 0) && b == 6 ? 0 : 1);
}

/* Catches: in the child of a fork, a lock that a thief held, or a scope that is lost. Without a thief, b runs. */
START_TEST(a_fork_inside_a_scope_ends_it_in_both_processes)
{
    start_runtime(1, 0, WS_SPIN_DEFAULT);
    for (int i = 0; i < 20; i++) {
        int status = -1;

        ck_assert_int_eq(ws_run(forks, &status), 0);
        ck_assert_int_eq(status, 0);
    }
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("scope_misuse");

    tcase_add_loop_test(tcase, a_misuse_is_said, 0, 2);
    tcase_add_test(tcase, a_scope_begun_twice_ends_the_program);
    tcase_add_test(tcase, a_fork_inside_a_scope_ends_it_in_both_processes);
    return run_case("scope_misuse", tcase);
}
