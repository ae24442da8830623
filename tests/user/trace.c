/* SPDX-License-Identifier: MIT */
/* WSFJ_TRACE as users meet it: what is in the file, however the process ends. */
#include "../support/folder.h"
#include "../support/fib.h"
#include "../support/process.h"
#include "../support/sanitizer.h"
#include "../support/viewed.h"
#include "workers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

static char content[1 << 20];

static void make_folder(void)
{
    folder_make();
    unsetenv("WSFJ_TRACE_EVENTS");
}

static void trace_to(const char *name)
{
    setenv("WSFJ_TRACE", folder_path(name), 1);
}

/* Reads a file into `content`; its length, or -1 if there is none. */
static long read_file(const char *name)
{
    int file = open(folder_path(name), O_RDONLY);
    ssize_t n = file < 0 ? -1 : read(file, content, sizeof content - 1);

    if (file >= 0)
        close(file);
    content[n < 0 ? 0 : n] = '\0';
    return n;
}

static size_t count(const char *what)
{
    size_t n = 0;

    for (const char *at = content; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* A whole file: JSON that has been begun and ended, whose events fit together. */
static void check_whole(const char *name)
{
    ck_assert_int_gt(read_file(name), 100);
    ck_assert_int_eq(strncmp(content, "{\"displayTimeUnit\"", 18), 0);
    ck_assert_str_eq(content + strlen(content) - 4, "\n]}\n");
    ck_assert_uint_ge(count("\"thread_name\""), 2);
    trace_fits(folder_path(name));
}

static void item(void *arg)
{
    (void)arg;
}

/* 1000 detached tasks, a group, a blocking section, a yield, marks. */
static WS_TASK_VOID(much, int, unused)
{
    ws_group group = WS_GROUP_INIT;

    (void)unused;
    ws_trace_mark("we \"begin\"\n");
    ws_trace_mark(NULL);
    for (int i = 0; i < 1000; i++)
        (void)ws_group_submit(&group, item, NULL);
    (void)ws_group_wait(&group);
    ws_yield();
    ws_blocking_begin();
    ws_blocking_end();
}

static int run_much(long worker_count)
{
    struct ws_stats all = {.size = sizeof all}, one = {.size = sizeof one};
    uint64_t tasks = 0;

    start((size_t)worker_count);
    if (ws_run(much, 0))
        return 1;
    check_fib(20);
    ws_trace_mark("outside caf\303\251 \355\240\200");
    ws_trace_mark(NULL);
    if (ws_stats_get(&all))
        return 2;
    for (size_t i = 0; i < (size_t)worker_count; i++) {
        if (ws_stats_worker(i, &one) || one.stacks != 0)
            return 3;
        tasks += one.tasks;
    }
    if (tasks != all.tasks || tasks < 1002 || all.regions != 2 || all.yields < 1)
        return 4;
    one.size = sizeof one;
    if (ws_stats_worker((size_t)worker_count, &one) != ERANGE || one.tasks != 0)
        return 5;
    fprintf(stderr, "%llu %llu %llu", (unsigned long long)all.tasks, (unsigned long long)all.steals,
            (unsigned long long)all.waits);
    return ws_fini();
}

/* Catches: events that are missing or come twice; counters of workers that do not add up to the sum. */
START_TEST(all_of_it_is_there)
{
    unsigned long long tasks, steals, waits;
    struct outcome o;

    make_folder();
    trace_to("all.json");
    o = in_child(run_much, _i);
    expect_exit(&o, 0);
    ck_assert_int_eq(sscanf(o.text, "%llu %llu %llu", &tasks, &steals, &waits), 3);
    check_whole("all.json");
    ck_assert_uint_eq(count("\"end\":\"done\""), tasks);
    ck_assert_uint_eq(count("\"ph\":\"i\",\"name\":\"steal\""), steals);
    ck_assert_uint_eq(count("\"end\":\"waits\""), waits);
    ck_assert_uint_ge(count("\"end\":\"yields\""), 1);
    ck_assert_uint_eq(count("\"ph\":\"b\",\"name\":\"region\""), 2);
    ck_assert_uint_eq(count("\"ph\":\"e\",\"name\":\"region\""), 2);
    ck_assert_uint_eq(count("\"name\":\"we \\\"begin\\\"\\u000a\""), 1);
    ck_assert_uint_eq(count("\"name\":\"outside caf\303\251 \\u00ed\\u00a0\\u0080\""), 1); /* half of a pair is none */
    ck_assert_uint_eq(count("\"ph\":\"i\",\"name\":\"mark\""), 2);
    if (_i == 1) /* a second worker may take so many tasks that the queue never is full */
        ck_assert_uint_ge(count("\"name\":\"overflow\""), 1);
    ck_assert_uint_ge(count("\"name\":\"much\""), 2); /* it has waited */
    ck_assert_uint_ge(count("\"where\":\"trace.c:"), 2);
    ck_assert_uint_eq(count(_i == 1 ? "\"dropped\":[0,0]" : "\"dropped\":[0,0,0]"), 1);
}
END_TEST

/* Catches: a bound that is none, or is kept without a word. */
START_TEST(memory_is_bounded)
{
    struct outcome o;

    make_folder();
    trace_to("few.json");
    setenv("WSFJ_TRACE_EVENTS", "1024", 1);
    o = in_child(run_much, 1);
    expect_exit(&o, 0);
    ck_assert_ptr_nonnull(strstr(o.text, "events were dropped, the last 1024 are there (WSFJ_TRACE_EVENTS)"));
    check_whole("few.json");
    ck_assert_uint_eq(count("\"dropped\":[0,0]"), 0);
    ck_assert_uint_le(count("\"end\":\"done\""), 1024);
    ck_assert_uint_ge(count("\"end\":\"done\""), 300);
}
END_TEST

/* How a process may end in the middle of a task. */
enum way { FAULT, ABORT, SENT, EXIT, OWN_HANDLER };

static void own_handler(int signal)
{
    (void)signal;
    _exit(7);
}

static WS_TASK_VOID(come_to_an_end, enum way, way)
{
    ws_trace_mark("the last words");
    switch (way) {
    case FAULT: touch_nothing(); break;
    case ABORT: abort();
    case SENT:
    case OWN_HANDLER: kill(getpid(), SIGTERM); break;
    case EXIT: exit(3);
    }
    for (;;)
        pause();
}

static int end_in_task(long way)
{
    signal(SIGTERM, way == OWN_HANDLER ? own_handler : SIG_DFL); /* Check has one */
    start(2);
    return ws_run(come_to_an_end, (enum way)way);
}

/* Catches: a trace that is lost when the process dies or exits in a task; a signal that does not kill any more; a
 * handler of the program that is pushed aside. */
START_TEST(it_is_there_after_a_crash)
{
    static const struct {
        int signal, code;
        bool written;
    } expected[] = {[FAULT] = {SIGSEGV, 0, true},
                    [ABORT] = {SIGABRT, 0, true},
                    [SENT] = {SIGTERM, 0, true},
                    [EXIT] = {0, 3, true},
                    [OWN_HANDLER] = {0, 7, false}};
    struct outcome o;

    make_folder();
    trace_to("crash.json");
    o = in_child(end_in_task, _i);
    if (expected[_i].signal)
        expect_death(&o, expected[_i].signal);
    else
        expect_exit(&o, expected[_i].code);
    if (!expected[_i].written) {
        ck_assert_int_eq(read_file("crash.json"), 0);
        return;
    }
    check_whole("crash.json");
    ck_assert_uint_eq(count("\"name\":\"the last words\""), 1);
    ck_assert_uint_ge(count("\"name\":\"come_to_an_end\""), 1);
    ck_assert_uint_ge(count("\"end\":\"end of trace\""), 1);
}
END_TEST

/* With so many marks it takes a while to write the file. */
static void fault(void *arrived)
{
    for (int i = 0; i < 2000; i++)
        ws_trace_mark("before");
    (void)__atomic_add_fetch((int *)arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n((int *)arrived, __ATOMIC_ACQUIRE) < 2)
        ;
    touch_nothing();
}

static int fault_twice(long unused)
{
    static int arrived;

    (void)unused;
    start(2);
    (void)ws_submit(fault, &arrived);
    (void)ws_submit(fault, &arrived);
    return pause();
}

/* Catches: a file cut where the first of several threads was when the next one died of the same mistake. */
START_TEST(two_threads_crash_at_once)
{
    struct outcome o;

    make_folder();
    trace_to("twice.json");
    o = in_child(fault_twice, 0);
    expect_death(&o, SIGSEGV);
    check_whole("twice.json");
    ck_assert_uint_ge(count("\"name\":\"before\""), 4000);
}
END_TEST

/* What handlers need above the kernel's frame, and the size that programs give to their signal stacks: with AVX-512
 * that is enough. */
#define HANDLERS 4608
#define USUAL 8192

static char *signal_stack; /* lies in painted memory */

static void on_small_stack(int signal)
{
    (void)signal;
    for (size_t below = 0; below < 1 << 14; below++)
        if (signal_stack[-1 - (long)below] != 'p')
            _exit(2);
    _exit(7);
}

static int fault_on_a_small_stack(long unused)
{
    size_t least = getauxval(AT_MINSIGSTKSZ) + HANDLERS, size = least > USUAL ? least : USUAL;
    struct sigaction action = {.sa_handler = on_small_stack, .sa_flags = SA_ONSTACK};
    char *memory = malloc(size + (1 << 14));

    (void)unused;
    if (!memory)
        return 3;
    memset(memory, 'p', size + (1 << 14));
    signal_stack = memory + (1 << 14);
    sigaltstack(&(stack_t){.ss_sp = signal_stack, .ss_size = size}, NULL);
    sigaction(SIGSEGV, &action, NULL);
    start(1);
    ws_trace_mark("before");
    touch_nothing();
    return 4;
}

/* Catches: handlers that write over what lies below the program's own signal stack. */
START_TEST(a_small_signal_stack_is_enough)
{
    struct outcome o;

    make_folder();
    trace_to("small.json");
    o = in_child(fault_on_a_small_stack, 0);
    expect_exit(&o, 7);
    ck_assert_int_gt(read_file("small.json"), 100);
}
END_TEST

static int ask_for_a_dump(long unused)
{
    (void)unused;
    signal(SIGQUIT, SIG_DFL);
    start(2);
    raise(SIGQUIT);
    return ws_fini();
}

/* Catches: a dump that ends the process, as its signal would without one, because there is a trace. */
START_TEST(a_dump_is_not_the_end)
{
    struct outcome o;

    make_folder();
    trace_to("dump.json");
    setenv("WSFJ_DUMP_SIGNAL", "QUIT", 1);
    o = in_child(ask_for_a_dump, 0);
    unsetenv("WSFJ_DUMP_SIGNAL");
    expect_exit(&o, 0);
    check_whole("dump.json");
}
END_TEST

static int fork_and_run(long is_shared)
{
    int status;
    pid_t pid;

    start(2);
    check_fib(15);
    pid = fork();
    if (pid == 0) {
        check_fib(10);                                                 /* starts a runtime of its own */
        _exit(ws_fini() || (is_shared && read_file("one.json") != 0)); /* the parent has not written yet */
    }
    waitpid(pid, &status, 0);
    return status ? 1 : ws_fini();
}

/* Catches: a child that writes over its parent's trace, or does not get its own where the name allows it. */
START_TEST(a_forked_child_leaves_it_alone)
{
    struct outcome o;
    char list[512];
    FILE *ls;

    make_folder();
    trace_to("one.json");
    o = in_child(fork_and_run, 1);
    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, 0);
    check_whole("one.json");
    trace_to("%p.json");
    o = in_child(fork_and_run, 0);
    expect_exit(&o, 0);
    snprintf(list, sizeof list, "ls %s | wc -l", folder);
    ls = popen(list, "r");
    ck_assert_ptr_nonnull(fgets(list, sizeof list, ls));
    pclose(ls);
    ck_assert_int_eq(atoi(list), 3);
}
END_TEST

static int put_back(long signal)
{
    struct sigaction now;

    start(1);
    sigaction((int)signal, NULL, &now);
    (void)ws_fini();
    sigaction((int)signal, &now, NULL);
    start(1);
    return raise((int)signal);
}

/* Catches: our handler, which a program that had saved it has put back, taken for what comes after it. */
START_TEST(it_is_not_its_own_neighbour)
{
    static const struct {
        int signal;
        bool is_traced;
    } cases[] = {{SIGBUS, true}, {SIGSEGV, true}, {SIGSEGV, false}}; /* the last one: lib/signals/stack_overflow.c */

    make_folder();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome o;

        trace_to("own.json");
        if (!cases[i].is_traced)
            unsetenv("WSFJ_TRACE");
        o = in_child(put_back, cases[i].signal);
        expect_death(&o, cases[i].signal);
    }
}
END_TEST

static int close_all(long unused)
{
    char text[8] = "";
    int file;

    (void)unused;
    start(1);
    check_fib(10);
    for (int i = STDERR_FILENO + 1; i < 100; i++)
        close(i);
    do
        file = open(folder_path("program.txt"), O_RDWR | O_CREAT, 0600);
    while (file >= 0 && file < 20);
    for (int i = STDERR_FILENO + 1; i <= file; i++)
        if (pwrite(i, "theirs", 6, 0) != 6)
            return 1;
    if (ws_fini() || pread(file, text, 7, 0) != 6)
        return 2;
    return strcmp(text, "theirs") || fcntl(STDERR_FILENO + 1, F_GETFD) < 0 ? 3 : 0;
}

/* Catches: a program that closes all files, as daemons do, and finds a trace in the one that it opened then, or that
 * one closed. */
START_TEST(what_the_program_opened_is_not_written)
{
    struct outcome o;

    make_folder();
    trace_to("closed.json");
    o = in_child(close_all, 0);
    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, 1);
    ck_assert_ptr_nonnull(strstr(o.text, "closed.json was cut short (the program has closed it)"));
}
END_TEST

static int nonsense(long unused)
{
    (void)unused;
    start(1);
    check_fib(10);
    return ws_fini();
}

/* Catches: a name that cannot be meant, taken or refused without a word. */
START_TEST(nonsense_costs_a_line)
{
    struct outcome o;

    make_folder();
    trace_to("trace.txt");
    o = in_child(nonsense, 0);
    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, 1);
    ck_assert_ptr_nonnull(strstr(o.text, "expected a file name that ends in .json"));
    ck_assert_int_eq(read_file("trace.txt"), -1);
    trace_to("none/trace.json");
    o = in_child(nonsense, 0);
    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, 1);
    ck_assert_ptr_nonnull(strstr(o.text, "No such file"));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("trace");
    int status;

    if (folder_begin("trace") != 0)
        return EXIT_FAILURE;
    tcase_add_loop_test(tcase, all_of_it_is_there, 1, 3);
    tcase_add_test(tcase, memory_is_bounded);
    if (can_test("it_is_there_after_a_crash", SANITIZED ? "its own handlers speak first" : NULL))
        tcase_add_loop_test(tcase, it_is_there_after_a_crash, FAULT, OWN_HANDLER + 1);
    if (can_test("two_threads_crash_at_once", SANITIZED ? "its own handlers speak first" : NULL)) {
        tcase_add_test(tcase, two_threads_crash_at_once);
        tcase_add_test(tcase, it_is_not_its_own_neighbour);
        if (can_test("a_small_signal_stack_is_enough", emulated("it does not tell how large its frames are")))
            tcase_add_test(tcase, a_small_signal_stack_is_enough);
    }
    tcase_add_test(tcase, a_dump_is_not_the_end);
    ADD_TEST_UNLESS(SANITIZED_THREAD ? "it knows no threads after fork()" : emulated(NO_THREADS), tcase,
                    a_forked_child_leaves_it_alone);
    tcase_add_test(tcase, what_the_program_opened_is_not_written);
    tcase_add_test(tcase, nonsense_costs_a_line);
    status = run_case("trace", tcase);
    folder_end();
    return status;
}
