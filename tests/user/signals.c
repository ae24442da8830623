/* SPDX-License-Identifier: MIT */
/* Signals of the program: which threads take them, and which functions of the library a handler may call. See
 * doc/process.md. */
#include "../support/fib.h"
#include "workers.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BURSTS (SANITIZED ? 200 : 600)

/* The signals that a thread of the library takes: its own faults, abort(), the profiler's, and those that cannot be
 * blocked. */
static const int taken[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF, SIGKILL, SIGSTOP};

static unsigned long long bit(int signal)
{
    return 1ULL << (signal - 1);
}

static bool first_line(const char *path, const char *prefix, char *line, int size)
{
    FILE *file = fopen(path, "r");
    bool found = false;

    if (!file)
        return false;
    while (!found && fgets(line, size, file))
        found = strncmp(line, prefix, strlen(prefix)) == 0;
    fclose(file);
    return found;
}

/* Signals that the C library reserves: 32 and 33, with musl 34, too. */
static unsigned long long librarys_own(void)
{
    unsigned long long own = 0;
    sigset_t all;

    sigfillset(&all);
    for (int i = 32; i <= 64; i++)
        own |= sigismember(&all, i) == 1 ? 0 : bit(i);
    return own;
}

/* Checks each thread with a worker's name. */
static size_t check_masks(void)
{
    unsigned long long blocked, own = librarys_own(), expected = ~own;
    char path[300], line[300];
    DIR *dir = opendir("/proc/self/task");
    size_t seen = 0;

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        expected &= ~bit(taken[i]);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        if (!first_line(path, "wsfj-", line, sizeof line))
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        ck_assert(first_line(path, "SigBlk:", line, sizeof line));
        ck_assert_int_eq(sscanf(line, "SigBlk: %llx", &blocked), 1);
        ck_assert_msg((blocked & ~own) == expected, "%llx instead of %llx", blocked, expected);
        seen++;
    }
    closedir(dir);
    return seen;
}

/* Catches: a worker that takes signals meant for the program's own threads, or that blocks those of its faults and
 * profilers; a caller whose mask is changed afterwards. */
START_TEST(workers_block_all_but_their_own_faults)
{
    sigset_t before, after;

    sigemptyset(&before);
    sigaddset(&before, SIGUSR2);
    sigaddset(&before, SIGSEGV); /* workers do not block it */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    start(workers[_i]);
    for (size_t seen = 0; seen < workers[_i];) { /* a thread names itself */
        check_fib(12);
        seen = check_masks();
        ck_assert_uint_le(seen, workers[_i]);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int s = 1; s < NSIG; s++)
        ck_assert_int_eq(sigismember(&before, s), sigismember(&after, s));
    ck_assert_int_eq(ws_fini(), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int s = 1; s < NSIG; s++)
        ck_assert_int_eq(sigismember(&before, s), sigismember(&after, s));
}
END_TEST

static void let_in(int how, int signal)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(how, &set, NULL);
}

static int strayed;

static void look_at_own_mask(void)
{
    bool is_caller = syscall(SYS_gettid) == getpid();
    sigset_t now;

    pthread_sigmask(SIG_SETMASK, NULL, &now);
    (void)__atomic_fetch_add(&strayed, sigismember(&now, SIGUSR2) == is_caller, __ATOMIC_RELAXED);
}

/* Its fibers change threads: leaves wait, so that others steal, and syncs find children that are not done. */
static WS_TASK_VOID(wander, int, depth)
{
    look_at_own_mask();
    if (depth == 0) {
        nanosleep(&(struct timespec){0, 100000}, NULL);
        return;
    }
    ws_spawn(wander, depth - 1);
    ws_call(wander, depth - 1);
    look_at_own_mask();
    ws_sync();
    look_at_own_mask();
}

/* Catches: a mask that moves with a fiber to another thread: with all signals blocked in the program's own thread, no
 * thread takes Ctrl-C. */
START_TEST(a_mask_stays_with_its_thread)
{
    let_in(SIG_UNBLOCK, SIGUSR2);
    start(3);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(ws_run(wander, 6), 0);
    ck_assert_uint_gt(read_stats().suspensions, 0);
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(strayed, 0);
}
END_TEST

static long taker; /* the only thread that has the signal unblocked */
static int handled, elsewhere, wrong, stop;

static void on_signal(int number)
{
    (void)number;
    (void)__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
    if (syscall(SYS_gettid) != taker)
        (void)__atomic_fetch_add(&elsewhere, 1, __ATOMIC_RELAXED);
    else
        nanosleep(&(struct timespec){0, 300000},
                  NULL); /* meanwhile the kernel searches for another thread that takes the signal */
}

static void handle(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

static void *starts_and_runs(void *unused)
{
    (void)unused;
    __atomic_store_n(&taker, syscall(SYS_gettid), __ATOMIC_RELEASE);
    let_in(SIG_UNBLOCK, SIGUSR1); /* the library's threads are children of this thread */
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        ws_config config;
        long r = 0;

        ws_config_default(&config);
        config.num_workers = 4;
        wrong += ws_init(&config) != 0;
        for (int i = 0; i < 20; i++)
            wrong += ws_run(fib, &r, 12L) != 0 || r != 144;
        wrong += ws_fini() != 0;
    }
    return NULL;
}

/* Catches: a thread of the library that takes a signal sent to the process, also the thread that reads the machine at
 * the start. The first signal of a burst keeps the program's own thread busy, the second goes to any thread that takes
 * it. */
START_TEST(a_signal_to_the_process_never_meets_a_thread_of_the_library)
{
    pthread_t thread;

    handle(on_signal);
    let_in(SIG_BLOCK, SIGUSR1); /* not this thread */
    ck_assert_int_eq(pthread_create(&thread, NULL, starts_and_runs, NULL), 0);
    while (!__atomic_load_n(&taker, __ATOMIC_ACQUIRE))
        sched_yield();
    for (int i = 0; i < BURSTS; i++) {
        kill(getpid(), SIGUSR1);
        nanosleep(&(struct timespec){0, 50000}, NULL);
        kill(getpid(), SIGUSR1);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    ck_assert_int_gt(handled, 0);
    ck_assert_int_eq(elsewhere, 0);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

static long ids_seen[3]; /* outside tasks, inside, impossible */

/* All functions that doc/process.md calls async-signal-safe. */
static void calls_the_library(int number)
{
    int id = ws_worker_id();
    size_t n = ws_num_workers();
    ws_config config;
    ws_group group;
    const char *text;

    (void)number;
    ws_config_default(&config);
    ws_group_init(&group);
    (void)ws_version(&text);
    (void)ws_strerror(EINVAL);
    (void)__atomic_fetch_add(&ids_seen[id == -1 ? 0 : id >= 0 && id < 3 ? 1 : 2], 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&ids_seen[2], n != 0 && n != 3, __ATOMIC_RELAXED);
}

static void *interrupted(void *unused)
{
    (void)unused;
    __atomic_store_n(&taker, syscall(SYS_gettid), __ATOMIC_RELEASE);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        ws_config config;
        long r = 0;

        ws_config_default(&config);
        config.num_workers = 3;
        wrong += ws_init(&config) != 0;
        for (int i = 0; i < 20; i++)
            wrong += ws_run(fib, &r, 18L) != 0 || r != 2584;
        wrong += ws_fini() != 0;
    }
    return NULL;
}

/* Catches: a wait that a signal ends too early; a start that fails with EINTR; a query that fails in a handler that has
 * interrupted the scheduler or a task. */
START_TEST(a_handler_may_interrupt_a_caller_anywhere_and_ask)
{
    pthread_t thread;

    handle(calls_the_library);
    ck_assert_int_eq(pthread_create(&thread, NULL, interrupted, NULL), 0);
    while (!__atomic_load_n(&taker, __ATOMIC_ACQUIRE))
        sched_yield();
    for (int i = 0; i < BURSTS * 10; i++) {
        ck_assert_int_eq(pthread_kill(thread, SIGUSR1), 0);
        if (i % 10 == 0)
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(ids_seen[0] + ids_seen[1], 0);
    ck_assert_int_eq(ids_seen[2], 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("signals");

    if (can_test("workers_block_all_but_their_own_faults", emulated("qemu-user keeps two signals more for itself")))
        tcase_add_loop_test(tcase, workers_block_all_but_their_own_faults, 0, WORKERS);
    tcase_add_test(tcase, a_mask_stays_with_its_thread);
    tcase_add_test(tcase, a_signal_to_the_process_never_meets_a_thread_of_the_library);
    tcase_add_test(tcase, a_handler_may_interrupt_a_caller_anywhere_and_ask);
    return run_case("signals", tcase);
}
