/* SPDX-License-Identifier: MIT */
/*
 * No diagnostic ends a program, and quick_exit() loses no diagnostic: traces, counters, lines on stderr. Neighbours:
 * trace.c, what is in the file; unit/output.c, each kind of file; profile.c, the profile.
 */
#include "../support/folder.h"
#include "../support/fib.h"
#include "../support/process.h"
#include "workers.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define LIMIT 1000

static char content[1 << 20];

static long read_file(const char *name)
{
    int file = open(folder_path(name), O_RDONLY);
    ssize_t n = file < 0 ? -1 : read(file, content, sizeof content - 1);

    if (file >= 0)
        close(file);
    content[n < 0 ? 0 : n] = '\0';
    return n;
}

static void limit_files(void)
{
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){LIMIT, RLIM_INFINITY});
}

static int trace_too_much(long at_exit)
{
    limit_files();
    start(2);
    check_fib(15);
    for (int i = 0; i < 1000; i++)
        ws_trace_mark("mark");
    if (at_exit)
        exit(7);
    return ws_fini() == 0 ? 7 : 1;
}

/* Catches: a trace that kills the program, or that is cut short without a line on stderr. */
START_TEST(a_trace_may_be_too_long)
{
    struct outcome o;

    folder_make();
    setenv("WSFJ_TRACE", folder_path("long.json"), 1);
    o = in_child(trace_too_much, _i);
    unsetenv("WSFJ_TRACE");
    expect_exit(&o, 7);
    ck_assert_int_eq(o.lines, 1);
    ck_assert_msg(strstr(o.text, "libwsfj: WSFJ_TRACE: ") &&
                      strstr(o.text, "long.json was cut short (the limit of a file's"),
                  "%s", o.text);
    ck_assert_int_eq(read_file("long.json"), LIMIT);
}
END_TEST

/* Turns on every diagnostic that writes more than a line: counters, the description at the start, a dump. */
static int talk(long use_file)
{
    int to = -1, ends[2];

    signal(SIGPIPE, SIG_DFL);
    limit_files();
    if (use_file) {
        to = open(folder_path("log"), O_WRONLY | O_CREAT, 0600);
    } else if (pipe(ends) == 0) {
        close(ends[0]);
        to = ends[1];
    }
    if (to < 0 || dup2(to, STDERR_FILENO) < 0)
        return 1;
    setenv("WSFJ_STATS", "1", 1);
    setenv("WSFJ_DISPLAY", "1", 1);
    setenv("WSFJ_DUMP_SIGNAL", "USR1", 1);
    setenv("WSFJ_SPIN_US", "nonsense", 1);
    start(2);
    check_fib(15);
    raise(SIGUSR1);
    return ws_fini() == 0 ? 7 : 2;
}

/* Catches: a program that dies because its stderr has no reader, or because the file behind stderr is too long. */
START_TEST(stderr_may_be_gone)
{
    struct outcome o;

    folder_make();
    o = in_child(talk, _i);
    expect_exit(&o, 7);
    ck_assert(!_i || read_file("log") == LIMIT);
}
END_TEST

static WS_TASK_VOID(leave, int, code)
{
    ws_trace_mark("the last words");
    quick_exit(code);
}

static int leave_quickly(long from_task)
{
    start(2);
    check_fib(15);
    if (from_task)
        (void)ws_run(leave, 7);
    ws_trace_mark("the last words");
    quick_exit(7);
}

static int leave_stopped(long unused)
{
    (void)unused;
    start(2);
    ws_trace_mark("the last words");
    if (ws_fini() != 0)
        return 1;
    quick_exit(7);
}

static void check_trace(const char *name)
{
    ck_assert_int_gt(read_file(name), 100);
    ck_assert_str_eq(content + strlen(content) - 4, "\n]}\n");
    ck_assert_ptr_nonnull(strstr(content, "\"name\":\"the last words\""));
}

/* Catches: an empty trace or no counters after quick_exit(), in a task and outside; counters that are printed twice. */
START_TEST(quick_exit_loses_nothing)
{
    const char *head;
    struct outcome o;

    folder_make();
    setenv("WSFJ_TRACE", folder_path("quick.json"), 1);
    setenv("WSFJ_STATS", "1", 1);
    o = in_child(_i == 2 ? leave_stopped : leave_quickly, _i);
    unsetenv("WSFJ_TRACE");
    unsetenv("WSFJ_STATS");
    expect_exit(&o, 7);
    check_trace("quick.json");
    head = strstr(o.text, "libwsfj: steals by distance");
    ck_assert_msg(head && !strstr(head + 1, "libwsfj: steals by distance"), "%s", o.text);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("outputs");

    if (folder_begin("outputs") != 0)
        return EXIT_FAILURE;
    tcase_add_loop_test(tcase, a_trace_may_be_too_long, 0, 2);
    tcase_add_loop_test(tcase, stderr_may_be_gone, 0, 2);
    tcase_add_loop_test(tcase, quick_exit_loses_nothing, 0, 3);

    int status = run_case("outputs", tcase);

    folder_end();
    return status;
}
