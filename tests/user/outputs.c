/* SPDX-License-Identifier: MIT */
/*
 * No diagnostic ends a program, quick_exit() loses no diagnostic, and a stop ends all of them: traces, counters, lines on
 * stderr. Neighbours: trace.c, what is in the file; unit/output.c, each kind of file; profile.c, the profile.
 */
#include "../support/folder.h"
#include "../support/fib.h"
#include "../support/process.h"
#include "../support/viewed.h"
#include "workers.h"

#include <fcntl.h>
#include <pthread.h>
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
    trace_fits(folder_path(name));
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

static pthread_barrier_t turn;
static int polls;

static int counts_polls(void *unused)
{
    (void)unused;
    (void)__atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
    return 0;
}

static const char *const features[][2] = {{"WSFJ_STATS", "1"},
                                          {"WSFJ_DISPLAY", "1"},
                                          {"WSFJ_SCHEDTRACE", "1"},
                                          {"WSFJ_WATCHDOG", "1000"},
                                          {"WSFJ_DUMP_SIGNAL", "USR2"}};
#define FEATURES (sizeof features / sizeof *features)

static void use(void)
{
    long r = 0;

    if (ws_run(fib, &r, 12L) != 0 || r != 144)
        abort();
    ws_trace_mark("a mark");
}

/* A thread that all three times belong to. */
static void *knows_the_first(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_barrier_wait(&turn);
        if (i == 1)
            ws_trace_mark("of no runtime");
        else
            use();
        pthread_barrier_wait(&turn);
    }
    return unused;
}

static void take_turn(void)
{
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
}

/* The signals that have a handler, a bit for each. */
static uint64_t handled(void)
{
    struct sigaction now;
    uint64_t all = 0;

    for (int i = 1; i < SIGRTMIN; i++)
        if (sigaction(i, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
            all |= UINT64_C(1) << i;
    return all;
}

/* How much was printed, or left in a file. */
static long anything_since(long before)
{
    return lseek(STDERR_FILENO, 0, SEEK_END) - before + (access(folder_path("trace.json"), F_OK) == 0) + polls;
}

static int has_features_once(long unused)
{
    FILE *file = tmpfile();
    ws_config config;
    pthread_t thread;
    uint64_t others = handled(), running;
    long printed;

    (void)unused;
    check_fib(10);
    running = handled();
    if (ws_fini() != 0 || !file || dup2(fileno(file), STDERR_FILENO) < 0 || pthread_barrier_init(&turn, NULL, 2) != 0 ||
        pthread_create(&thread, NULL, knows_the_first, NULL) != 0)
        return 1;
    for (size_t i = 0; i < FEATURES; i++)
        setenv(features[i][0], features[i][1], 1);
    setenv("WSFJ_TRACE", folder_path("trace.json"), 1);
    ws_config_default(&config);
    config.num_workers = 2;
    config.poll = counts_polls;
    if (ws_init(&config) != 0)
        return 2;
    use();
    take_turn();
    while (!__atomic_load_n(&polls, __ATOMIC_RELAXED))
        usleep(1000);
    if (ws_fini() != 0 || !anything_since(0) || remove(folder_path("trace.json")) != 0)
        return 3;

    for (size_t i = 0; i < FEATURES; i++)
        unsetenv(features[i][0]);
    unsetenv("WSFJ_TRACE");
    polls = 0;
    printed = lseek(STDERR_FILENO, 0, SEEK_END);
    ws_trace_mark("after the stop");
    take_turn();
    if (anything_since(printed) || handled() != others)
        return 4;
    start(2);
    use();
    take_turn();
    usleep(10000);
    if (anything_since(printed) || handled() != running)
        return 5;
    return ws_fini() != 0 || pthread_join(thread, NULL) != 0 || anything_since(printed) ? 6 : 0;
}

/* Catches: what a start has switched on and the next one has not, and that still prints, writes, polls or handles a signal:
 * for the first thread, for one that took part, and for the new workers. */
START_TEST(what_one_start_has_the_next_has_not)
{
    struct outcome o;

    folder_make();
    o = in_child(has_features_once, 0);
    expect_exit(&o, 0);
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
    tcase_add_test(tcase, what_one_start_has_the_next_has_not);

    int status = run_case("outputs", tcase);

    folder_end();
    return status;
}
