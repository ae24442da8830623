/* SPDX-License-Identifier: MIT */
/*
 * What the child of a fork() in a task inherits of the thread that ran the task: the signal mask and the CPUs. It shall not
 * matter which thread that was. The children also stand for what they execute. Neighbours: fork.c; bound.c, threads of the
 * program that bind themselves; build/idioms.sh, the lines of doc/process.md for system() and its relatives.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include "../support/flags.h"
#include "../support/process.h"
#include "../support/runtime.h"
#include "../support/sanitizer.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static cpu_set_t before, one, others; /* all CPUs, the first, the rest */
static unsigned all;                  /* CPUs */

struct masks {
    sigset_t signals;
    cpu_set_t cpus;
};

/* Also in tasks, on threads of the library. */
static void must(bool condition)
{
    if (!condition)
        abort();
}

static struct masks own_masks(void)
{
    struct masks m;

    memset(&m, 0, sizeof m);
    must(pthread_sigmask(SIG_SETMASK, NULL, &m.signals) == 0 && sched_getaffinity(0, sizeof m.cpus, &m.cpus) == 0);
    return m;
}

static void set_masks(const sigset_t *signals, const cpu_set_t *cpus)
{
    must(pthread_sigmask(SIG_SETMASK, signals, NULL) == 0 && sched_setaffinity(0, sizeof *cpus, cpus) == 0);
}

/* The time limit of tests unblocks its signal in each child (support/limit.c). These two undo that, before the library's handler
 * looks at the mask. */
static sigset_t at_fork;

static void before_fork(void)
{
    must(pthread_sigmask(SIG_SETMASK, NULL, &at_fork) == 0);
}

static bool parent_ends;

static void in_child_of_fork(void)
{
    pid_t parent = getppid();

    if (parent_ends)
        must(kill(parent, SIGKILL) == 0);
    while (parent_ends && getppid() == parent)
        sched_yield();
    must(pthread_sigmask(SIG_SETMASK, &at_fork, NULL) == 0);
}

static struct masks of_child;

/* Forks, and returns what the child has. The calling thread keeps its own. */
static void fork_and_look(void *unused)
{
    struct masks here = own_masks(), after;
    int pipes[2], status;
    pid_t child;

    (void)unused;
    must(pipe(pipes) == 0);
    child = fork();
    must(child >= 0);
    if (child == 0) {
        of_child = own_masks();
        _exit(write(pipes[1], &of_child, sizeof of_child) == sizeof of_child ? 0 : 1);
    }
    must(read(pipes[0], &of_child, sizeof of_child) == sizeof of_child);
    must(waitpid(child, &status, 0) == child && status == 0);
    close(pipes[0]);
    close(pipes[1]);
    after = own_masks();
    must(memcmp(&here, &after, sizeof here) == 0);
}

static void expect(const sigset_t *signals, const cpu_set_t *cpus)
{
    ck_assert(memcmp(&of_child.signals, signals, sizeof *signals) == 0);
    ck_assert(CPU_EQUAL(&of_child.cpus, cpus));
    memset(&of_child, 0, sizeof of_child);
}

/* A mask as no other thread has it. */
static sigset_t some_signals(void)
{
    sigset_t set;

    memset(&set, 0, sizeof set);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGSEGV);
    return set;
}

/* Starts one or more workers; the calling thread has some_signals(). */
static void start(size_t workers)
{
    sigset_t set = some_signals();

    set_masks(&set, &before);
    start_runtime(workers, 0, WS_SPIN_DEFAULT);
}

static void submit_and_wait(void (*task)(void *))
{
    ws_group group = WS_GROUP_INIT;

    ck_assert_int_eq(ws_group_submit(&group, task, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
}

static void pinned(void *unused)
{
    ws_pinned();
    fork_and_look(unused);
}

static void blocked(void *unused)
{
    ws_blocking_begin();
    fork_and_look(unused);
    ws_blocking_end();
}

static int spare_runs;

static void on_spare(void *unused)
{
    fork_and_look(unused);
    raise_flag(&spare_runs);
}

/* The only worker's thread blocks here, so that a spare runs the other task. */
static void lends(void *unused)
{
    (void)unused;
    spare_runs = 0;
    must(ws_submit(on_spare, NULL) == 0);
    ws_blocking_begin();
    wait_for(&spare_runs);
    ws_blocking_end();
}

static void (*const ways[])(void *) = {fork_and_look, pinned, blocked, lends};
#define WAYS ((int)(sizeof ways / sizeof *ways))

/* Catches: a child that nobody can end by SIGTERM, and that has one CPU, because a worker has run the task; a child whose mask is
 * empty though that of the program is not. With a dump signal, which the workers do not block. */
START_TEST(a_child_of_a_worker_has_the_masks_of_the_start)
{
    sigset_t set = some_signals();

    if (_i >= WAYS)
        setenv("WSFJ_DUMP_SIGNAL", "USR1", 1);
    for (int many = 0; many < 2; many++) {
        start(many && ways[_i % WAYS] != lends ? all : 1);
        for (int i = 0; i < 5; i++) {
            submit_and_wait(ways[_i % WAYS]);
            expect(&set, &before);
        }
        stop_runtime();
    }
}
END_TEST

static sigset_t mask_of_worker;

static void tell_mask(void *unused)
{
    (void)unused;
    mask_of_worker = own_masks().signals;
}

WS_TASK(long, root)
{
    (void)wsfj_f;
    fork_and_look(NULL);
    return syscall(SYS_gettid);
}

/* Catches: a program's thread whose mask is changed in its child: also if it happens to be that of the workers. */
START_TEST(a_child_of_a_guest_has_the_guests_masks)
{
    sigset_t set = some_signals();
    long tid = 0;

    start(1);
    submit_and_wait(tell_mask);
    set_masks(_i ? &mask_of_worker : &set, &one);
    while (tid != syscall(SYS_gettid)) /* else the worker has run the root */
        ck_assert_int_eq(ws_run(root, &tid), 0);
    expect(_i ? &mask_of_worker : &set, &one);
    stop_runtime();
    fork_and_look(NULL);
    expect(_i ? &mask_of_worker : &set, &one);
}
END_TEST

static sigset_t of_task;

static void changes_its_masks(void *unused)
{
    struct masks here = own_masks();
    bool is_first = CPU_EQUAL(&here.cpus, &one);

    of_task = here.signals;
    sigdelset(&of_task, SIGTERM);
    set_masks(&of_task, &here.cpus);
    fork_and_look(unused);
    must(CPU_EQUAL(&of_child.cpus, &before)); /* only the signals were changed */
    must(memcmp(&of_child.signals, &of_task, sizeof of_task) == 0);
    set_masks(&here.signals, is_first ? &others : &one);
    fork_and_look(unused);
    must(CPU_EQUAL(&of_child.cpus, is_first ? &others : &one)); /* only the CPUs */
    set_masks(&here.signals, &here.cpus);
}

/* Catches: masks that a task has set for the child, and that the child does not have. */
START_TEST(what_a_task_has_changed_stays)
{
    sigset_t set = some_signals();

    start(all);
    for (int i = 0; i < 10; i++) {
        submit_and_wait(changes_its_masks);
        ck_assert(memcmp(&of_child.signals, &set, sizeof set) == 0);
    }
    stop_runtime();
}
END_TEST

/* Sets the masks of all threads, as taskset -a does. NULL: sets none. Returns how many had one CPU. */
static unsigned set_all(const cpu_set_t *mask)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned bound = 0;

    ck_assert_ptr_nonnull(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));) {
        pid_t tid = atoi(entry->d_name);
        cpu_set_t had;

        if (!tid)
            continue;
        ck_assert_int_eq(sched_getaffinity(tid, sizeof had, &had), 0);
        bound += CPU_COUNT(&had) == 1;
        if (mask)
            ck_assert_int_eq(sched_setaffinity(tid, sizeof *mask, mask), 0);
    }
    closedir(tasks);
    return bound;
}

/* Starts a worker on each CPU, and waits until they have bound themselves. */
static void start_bound(void)
{
    start(all);
    while (set_all(NULL) < all)
        sched_yield();
}

/* Catches: a child on CPUs that were taken away from all threads of its parent; and one that has only the CPU to which the first
 * thread has bound itself. */
START_TEST(a_child_of_a_worker_has_the_cpus_of_now)
{
    sigset_t set = some_signals();

    start_bound();
    for (int i = 0; i < 20; i++) {
        set_all(&one);
        submit_and_wait(fork_and_look);
        expect(&set, &one);
    }
    stop_runtime();
    start_bound();
    set_masks(&set, &one);
    for (int i = 0; i < 20; i++) {
        submit_and_wait(fork_and_look);
        expect(&set, &before);
    }
    stop_runtime();
}
END_TEST

/* The calling thread gets so many files of its own, which make its end late. */
static void linger(rlim_t n)
{
    struct rlimit files;

    must(unshare(CLONE_FILES) == 0 && getrlimit(RLIMIT_NOFILE, &files) == 0);
    files.rlim_cur = files.rlim_max < n ? files.rlim_max : n;
    must(setrlimit(RLIMIT_NOFILE, &files) == 0);
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
    }
}

static int lingering;

/* This thread ends last: its mask can be read when getppid() is another process already. */
static void lingers(void *unused)
{
    (void)unused;
    linger(5000);
    raise_flag(&lingering);
    pause();
}

static int to_test;

static void forks_and_dies(void *unused)
{
    (void)unused;
    linger(500);
    parent_ends = true;
    if (fork() == 0) {
        struct masks m = own_masks();

        _exit(write(to_test, &m, sizeof m) == sizeof m ? 0 : 1);
    }
    pause();
}

/* Catches: a child that takes the CPUs of a process which is not its parent, but has taken its parent's place. */
START_TEST(a_child_whose_parent_has_ended_stays_where_it_is)
{
    int pipes[2], status;
    pid_t child;

    must(pipe(pipes) == 0);
    to_test = pipes[1];
    child = fork();
    if (child == 0) {
        start_bound();
        must(ws_submit(lingers, NULL) == 0);
        wait_for(&lingering);
        submit_and_wait(forks_and_dies);
    }
    must(read(pipes[0], &of_child, sizeof of_child) == sizeof of_child);
    must(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    ck_assert_int_eq(CPU_COUNT(&of_child.cpus), 1);
}
END_TEST

static int polled;

static int forks(void *unused)
{
    if (polled == 0) {
        fork_and_look(unused);
        raise_flag(&polled);
    }
    return 0;
}

/* Catches: the same in a function of the program that a worker calls outside tasks. */
START_TEST(a_child_of_a_polling_worker_has_them_too)
{
    sigset_t set = some_signals();
    ws_config config;

    set_masks(&set, &before);
    ws_config_default(&config);
    config.num_workers = all;
    config.poll = forks;
    ck_assert_int_eq(ws_init(&config), 0);
    wait_for(&polled);
    expect(&set, &before);
    stop_runtime();
}
END_TEST

/* Status of a child that uses the library and forks itself. */
static int status_of_child;

static void forks_twice(void *unused)
{
    pid_t child = fork();

    must(child >= 0);
    if (child == 0) {
        sigset_t set = some_signals();
        ws_group group = WS_GROUP_INIT;

        must(ws_group_submit(&group, fork_and_look, NULL) == 0 && ws_group_wait(&group) == 0);
        must(memcmp(&of_child.signals, &set, sizeof set) == 0 && CPU_EQUAL(&of_child.cpus, &before));
        must(ws_fini() == 0);
        fork_and_look(unused); /* by a thread that was the parent's worker */
        must(memcmp(&of_child.signals, &set, sizeof set) == 0 && CPU_EQUAL(&of_child.cpus, &before));
        _exit(0);
    }
    must(waitpid(child, &status_of_child, 0) == child);
}

/* Catches: a child that starts a runtime of its own with a worker's masks, or with the memory of its parent's workers. */
START_TEST(grandchildren_have_them_too)
{
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    start(2);
    status_of_child = -1;
    submit_and_wait(forks_twice);
    ck_assert_int_eq(status_of_child, 0);
    stop_runtime();
}
END_TEST

static void executes(void *unused)
{
    int pipes[2];
    pid_t child;

    (void)unused;
    must(pipe2(pipes, O_CLOEXEC) == 0);
    child = fork();
    must(child >= 0);
    if (child == 0) {
        execlp("sleep", "sleep", "20", (char *)NULL);
        _exit(1);
    }
    close(pipes[1]);
    must(read(pipes[0], pipes, 1) == 0); /* it runs: Check's handler of SIGTERM is gone */
    close(pipes[0]);
    must(kill(child, SIGTERM) == 0 && waitpid(child, &status_of_child, 0) == child);
}

/* Catches: what was found in practice: a program that a task has started and that SIGTERM does not end. */
START_TEST(a_program_that_a_task_has_executed_can_be_ended)
{
    start(1);
    submit_and_wait(executes);
    ck_assert(WIFSIGNALED(status_of_child) && WTERMSIG(status_of_child) == SIGTERM);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (SANITIZED)
        return EXIT_SKIPPED; /* other threads hold locks of the sanitizers' allocators, in the child for ever */
    unsetenv("WSFJ_DUMP_SIGNAL");
    unsetenv("WSFJ_PLACES");
    setenv("WSFJ_BIND", "close", 1); /* strict, however busy the machine is */
    if (sched_getaffinity(0, sizeof before, &before) == 0)
        all = (unsigned)CPU_COUNT(&before);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    CPU_XOR(&others, &before, &one);
    if (all < 2) {
        puts("child_masks: there is one CPU: to be bound changes nothing");
        return EXIT_SKIPPED;
    }
    tcase = new_case("child_masks");
    must(pthread_atfork(before_fork, NULL, in_child_of_fork) == 0);
    tcase_add_loop_test(tcase, a_child_of_a_worker_has_the_masks_of_the_start, 0, 2 * WAYS);
    tcase_add_loop_test(tcase, a_child_of_a_guest_has_the_guests_masks, 0, 2);
    tcase_add_test(tcase, what_a_task_has_changed_stays);
    tcase_add_test(tcase, a_child_of_a_worker_has_the_cpus_of_now);
    if (can_test("a_child_whose_parent_has_ended_stays_where_it_is", emulated(NO_THREADS)))
        tcase_add_loop_test(tcase, a_child_whose_parent_has_ended_stays_where_it_is, 0, 8);
    tcase_add_test(tcase, a_child_of_a_polling_worker_has_them_too);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, grandchildren_have_them_too);
    tcase_add_test(tcase, a_program_that_a_task_has_executed_can_be_ended);
    return run_case("child_masks", tcase);
}
