/* SPDX-License-Identifier: MIT */
/*
 * The signal of WSFJ_DUMP_SIGNAL: the program's own handlers, threads that cannot be asked, the watching thread,
 * fork(). Neighbour: dump.c, what is printed.
 */
#include "../support/process.h"
#include "../support/resources.h"
#include "dumps.h"

static int told_plain, told_info;
static void plain_handler(int signal)
{
    told_plain += signal;
}

static void info_handler(int signal, siginfo_t *info, void *context)
{
    told_info += info->si_signo == signal && info->si_pid == getpid() && context;
}

/* Catches: a program's handler that is lost, called without its arguments, or not put back. */
START_TEST(an_earlier_handler_is_called_too)
{
    struct sigaction plain = {.sa_handler = plain_handler}, now;
    struct sigaction info = {.sa_sigaction = info_handler, .sa_flags = SA_SIGINFO};

    ck_assert_int_eq(sigaction(SIGUSR1, _i ? &info : &plain, NULL), 0);
    begin("10", 2); /* USR1, nearly everywhere */
    ck_assert_int_eq(SIGUSR1, 10);
    ck_assert(dump_shows(SIGUSR1, "SIGUSR1"));
    while (!told_plain && !told_info)
        sched_yield();
    ck_assert_int_eq(told_info > 0, _i);
    ck_assert_int_eq(told_plain > 0 && told_plain % SIGUSR1 == 0, !_i);
    end();
    ck_assert_int_eq(sigaction(SIGUSR1, NULL, &now), 0);
    ck_assert(_i ? now.sa_sigaction == info_handler : now.sa_handler == plain_handler);
}
END_TEST

/* Catches: a handler put over ours that gets the library's own questions, or is taken away at the end. */
START_TEST(a_later_handler_keeps_the_signal)
{
    struct sigaction later = {.sa_handler = plain_handler}, now;

    told_plain = 0;
    setenv("WSFJ_WATCHDOG", "1", 1); /* the dump must come from elsewhere now */
    begin("USR1", 3);
    run_two_children();
    ck_assert_int_eq(sigaction(SIGUSR1, &later, NULL), 0);
    ck_assert(hear_until(END));
    ck_assert_ptr_nonnull(strstr(heard, "no frames: WSFJ_DUMP_SIGNAL is not set, or others handle that signal"));
    ck_assert_int_eq(told_plain, 0);
    end_two_children();
    unsetenv("WSFJ_WATCHDOG");
    ck_assert_int_eq(sigaction(SIGUSR1, NULL, &now), 0);
    ck_assert(now.sa_handler == plain_handler);
    ck_assert_int_eq(told_plain, 0);
}
END_TEST

static void blocks_the_signal(void *unused)
{
    sigset_t set, pending;

    (void)unused;
    sigemptyset(&set);
    sigaddset(&set, SIGQUIT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)turns_in_circles(7);
    sigpending(&pending);
    result = sigismember(&pending, SIGQUIT);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Catches: a request that waits for ever because the thread blocks the signal, or stays pending and kills the program
 * later. */
START_TEST(who_blocks_the_signal_is_not_asked)
{
    result = 7;
    begin("QUIT", 1);
    ck_assert_int_eq(ws_submit(blocks_the_signal, NULL), 0);
    await_started(1);
    ck_assert(dump_shows(SIGQUIT, ", blocks_the_signal ("));
    ck_assert_ptr_nonnull(strstr(heard, "      no frames: its thread blocks the signal\n"));
    end();
    ck_assert_int_eq(result, 0);
}
END_TEST

static pthread_t caller;

static WS_TASK(int, is_callers)
{
    return pthread_equal(pthread_self(), caller) != 0;
}

/* Catches: a thread of the program that blocks the signal, and after a region of its own does so no more. */
START_TEST(a_caller_keeps_its_mask)
{
    sigset_t set;
    int own = 0;

    begin("QUIT", 1);
    caller = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGQUIT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (; !own; usleep(1000)) /* until it runs as a guest: once the worker sleeps */
        ck_assert_int_eq(ws_run(is_callers, &own), 0);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    ck_assert_int_eq(sigismember(&set, SIGQUIT), 1);
    end();
}
END_TEST

static void waits_in_the_kernel(void *unused)
{
    (void)unused;

    pid_t pid = vfork(); /* until the child ends this thread takes no signal */

    if (pid == 0) {
        has_started();
        while (!may_go_on())
            usleep(1000);
        _exit(0);
    }
    result = waitpid(pid, NULL, 0) == pid;
}

/* Catches: a dump that waits for a thread for ever, or an answer that comes too late and is taken for the next one's,
 * kills the program, or begins another dump. */
START_TEST(who_cannot_answer_is_not_waited_for)
{
    result = 0;
    begin("QUIT", 2);
    ck_assert_int_eq(ws_submit(waits_in_the_kernel, NULL), 0);
    await_started(1);
    for (int i = 0; i < 2; i++) {
        ck_assert(dump_shows(SIGQUIT, ", waits_in_the_kernel ("));
        ck_assert_ptr_nonnull(strstr(heard, "      no frames: its thread does not answer\n"));
    }
    hear_nothing();
    __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
    end();
    ck_assert_int_eq(result, 1);
    ck_assert_str_eq(heard, "");
}
END_TEST

static int count_watchers(void)
{
    char path[300], name[64];
    DIR *dir = opendir("/proc/self/task");
    int n = 0;

    for (struct dirent *entry; (entry = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");

        n += file && fgets(name, sizeof name, file) && strcmp(name, "wsfj-watch\n") == 0;
        if (file)
            fclose(file);
    }
    closedir(dir);
    return n;
}

/* Catches: a watching thread without need; a thread, an open file or a handler that stays. */
START_TEST(there_is_one_thread_more_and_it_ends)
{
    struct sigaction now;
    int files, threads;

    start(1); /* a checker may have a thread of its own from now on */
    ck_assert_int_eq(ws_fini(), 0);
    files = count_files();
    threads = count_threads_down_to(SANITIZED_THREAD ? 2 : 1);
    for (int round = 0; round < 3; round++) {
        start(2);
        ck_assert_int_eq(count_threads_down_to(threads + 2), threads + 2);
        ck_assert_int_eq(ws_fini(), 0);
        ck_assert_int_eq(count_threads_down_to(threads), threads);
        begin("QUIT", 2);
        ck_assert_int_eq(count_threads_down_to(threads + 3), threads + 3);
        ck_assert(dump_shows(SIGQUIT, "SIGQUIT"));
        ck_assert_int_eq(count_watchers(), 1);
        end();
        ck_assert_int_eq(count_threads_down_to(threads), threads);
        ck_assert_int_eq(count_files(), files);
        ck_assert_int_eq(sigaction(SIGQUIT, NULL, &now), 0);
        ck_assert(now.sa_handler == SIG_DFL);
        unsetenv("WSFJ_DUMP_SIGNAL");
    }
}
END_TEST

static int quits(long unused)
{
    (void)unused;
    raise(SIGQUIT);
    return 7;
}

static int starts_anew(long unused)
{
    (void)unused;
    start(2);
    hear_nothing();
    return dump_shows(SIGQUIT, "2 workers") && ws_fini() == 0 ? 0 : 1;
}

/* Catches: a child of fork() that survives SIGQUIT by a handler without a watching thread, or that has no watcher of
 * its own when it starts the runtime. */
START_TEST(a_child_of_fork_has_the_signal_as_it_was)
{
    struct outcome o;

    begin("QUIT", 2);
    o = in_child(quits, 0);
    expect_death(&o, SIGQUIT);

    pid_t pid = fork();

    if (pid == 0) {
        listen_begin();
        _exit(starts_anew(0));
    }
    ck_assert_int_eq(waitpid(pid, &o.status, 0), pid);
    expect_exit(&o, 0);
    ck_assert(dump_shows(SIGQUIT, "2 workers")); /* the parent still has its own */
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("dump signal");

    signal(SIGQUIT, SIG_DFL); /* a script's background jobs ignore it */
    tcase_add_loop_test(tcase, an_earlier_handler_is_called_too, 0, 2);
    tcase_add_test(tcase, a_later_handler_keeps_the_signal);
    tcase_add_test(tcase, who_blocks_the_signal_is_not_asked);
    tcase_add_test(tcase, a_caller_keeps_its_mask);
    ADD_TEST_UNLESS(SANITIZED ? "sanitizers make a vfork() a fork()" : emulated("so does qemu-user"), tcase,
                    who_cannot_answer_is_not_waited_for);
    tcase_add_test(tcase, there_is_one_thread_more_and_it_ends);
    ADD_TEST_UNLESS(SANITIZED ? "sanitizers do not survive a fork with threads" : emulated(NO_THREADS), tcase,
                    a_child_of_fork_has_the_signal_as_it_was);
    return run_case("dump signal", tcase);
}
