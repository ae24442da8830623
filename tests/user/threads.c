/* SPDX-License-Identifier: MIT */
/* Threads of the program that start, use the library and end: by return, pthread_exit() or cancellation. Neighbour:
 * roots.c, what ws_run() does for them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getname_np() */
#endif
#include "../support/fib.h"
#include "../support/resources.h"
#include "workers.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE 8
#define WARM_UP 10 /* times AT_ONCE: fills the C library's caches */
#define ROUNDS (SANITIZED ? 30 : 300)

static long wrong;

static void note(bool bad)
{
    (void)__atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
}

static void use_the_library(void)
{
    long r = 0;

    note(ws_run(fib, &r, 10L) != 0 || r != 55);
    note(fib(8) != 21); /* outside any region */
}

static pthread_barrier_t users;

static WS_TASK_VOID(meets_all)
{
    pthread_barrier_wait(&users);
}

static void *comes_and_goes(void *number)
{
    if ((uintptr_t)number % AT_ONCE == 0)
        return NULL; /* a thread that never calls the library */
    use_the_library();
    meets_all(); /* outside any region, all at the same time */
    if ((uintptr_t)number % 3 == 1)
        pthread_exit(NULL);
    if ((uintptr_t)number % 3 == 2) {
        pthread_cancel(pthread_self());
        pause();
    }
    return NULL;
}

static void come_and_go(int rounds)
{
    pthread_t threads[AT_ONCE];

    for (int i = 0; i < rounds; i++) {
        for (uintptr_t j = 0; j < AT_ONCE; j++)
            ck_assert_int_eq(pthread_create(&threads[j], NULL, comes_and_goes, (void *)(j + (uintptr_t)i)), 0);
        for (int j = 0; j < AT_ONCE; j++)
            pthread_join(threads[j], NULL);
    }
    ck_assert_int_eq(wrong, 0);
}

/* Catches: a signal stack, a deque for calls outside regions or anything else that a thread leaves behind when it ends,
 * at least 100 bytes. */
START_TEST(threads_come_and_go_without_a_trace)
{
    struct resources before, after;
    size_t heap;
    int threads;

    pthread_barrier_init(&users, NULL, AT_ONCE - 1);
    use_one_arena();
    start_runtime(2, 256 << 10, WS_SPIN_DEFAULT); /* small: what a region may need more of is not taken for a leak */
    threads = count_threads();
    come_and_go(WARM_UP);
    before = read_resources(threads);
    heap = allocated();
    come_and_go(ROUNDS);
    after = read_resources(threads);
    ck_assert_int_eq(before.threads, threads);
    ck_assert_int_eq(after.threads, threads);
    ck_assert_int_eq(after.files, before.files);
    if (!SANITIZED) {
        /* One deque is kept for calls outside, and more stacks may be needed than in the warm-up: each takes four
         * mappings at most. */
        ck_assert_uint_le(after.maps, before.maps + 40);
        ck_assert_uint_le(allocated(), heap + (64 << 10));
    }
    if (!SANITIZED && can_test("memory", emulated(NOT_OUR_MEMORY))) {
        ck_assert_uint_le(after.mapped, before.mapped + (24 << 10)); /* KiB: a signal stack has 72 */
        ck_assert_uint_le(after.resident, before.resident + (8 << 10));
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static char own_stack[64 << 10];
static stack_t last_seen;
static pthread_key_t at_end;

static void look(void *unused)
{
    (void)unused;
    (void)sigaltstack(NULL, &last_seen);
}

/* Until this thread has run a root itself: then it has a signal stack. Sleeping workers give it a slot. */
static void be_a_guest(void)
{
    stack_t now;

    do {
        use_the_library();
        nanosleep(&(struct timespec){0, 100000}, NULL);
        note(sigaltstack(NULL, &now) != 0);
    } while (now.ss_flags & SS_DISABLE);
}

static void *has_its_own_stack(void *before)
{
    stack_t own = {.ss_sp = own_stack, .ss_size = sizeof own_stack};

    if (before)
        note(sigaltstack(&own, NULL) != 0);
    else
        be_a_guest();
    for (int i = 0; i < 100; i++) {
        use_the_library();
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    if (!before)
        note(sigaltstack(&own, NULL) != 0);
    pthread_setspecific(at_end, own_stack);
    return NULL;
}

/* Catches: a signal stack of the program that the library replaces, or frees when the thread ends. Even: set after the
 * library has set its own; odd: before. The key is made after the library's, so its destructor comes later. */
START_TEST(the_programs_signal_stack_stays)
{
    pthread_t thread;

    start_runtime(2, 0, 0);
    be_a_guest(); /* makes the library's key */
    ck_assert_int_eq(pthread_key_create(&at_end, look), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, has_its_own_stack, _i ? &thread : NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(wrong, 0);
    ck_assert_ptr_eq(last_seen.ss_sp, own_stack);
    ck_assert_int_eq(last_seen.ss_flags & SS_DISABLE, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static void nothing(void *unused)
{
    (void)unused;
}

static pthread_barrier_t named;

static void has_its_workers_name(void *unused)
{
    char name[16] = "", expected[16];

    (void)unused;
    pthread_barrier_wait(&named); /* so each runs on a worker of its own */
    snprintf(expected, sizeof expected, "wsfj-%d", ws_worker_id());
    note(pthread_getname_np(pthread_self(), name, sizeof name) != 0 || strcmp(name, expected) != 0);
}

/* Catches: threads that all have one name; a thread with the name of another worker. */
START_TEST(a_thread_has_the_name_of_its_worker)
{
    ws_group all = WS_GROUP_INIT;
    size_t n = workers[_i];

    pthread_barrier_init(&named, NULL, (unsigned)n);
    start(n);
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(ws_group_submit(&all, has_its_workers_name, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&all), 0);
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Of a thread of this process with that name: its affinity. False if there is none. */
static bool find_thread(const char *wanted, cpu_set_t *cpus)
{
    DIR *dir = opendir("/proc/self/task");
    bool found = false;

    if (!dir)
        abort();
    for (struct dirent *entry; !found && (entry = readdir(dir));) {
        char path[300], name[32] = "";
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(path, "r");
        if (!file)
            continue;
        found = fgets(name, sizeof name, file) && strncmp(name, wanted, strlen(wanted)) == 0 &&
                name[strlen(wanted)] == '\n' && sched_getaffinity(atoi(entry->d_name), sizeof *cpus, cpus) == 0;
        fclose(file);
    }
    closedir(dir);
    return found;
}

/* A thread sets its name and its CPUs itself: waits for that. */
static bool is_made(const char *name, const cpu_set_t *expected)
{
    uint64_t end = now() + UINT64_C(10) * 1000000000;
    cpu_set_t cpus;

    while (!find_thread(name, &cpus) || !CPU_EQUAL(&cpus, expected)) {
        if (now() > end)
            return false;
        sched_yield();
    }
    return true;
}

static cpu_set_t of_process;

/* The only worker is bound, busy with this task, and makes the preempting thread for the next one. */
static void makes_the_preempter(void *unused)
{
    (void)unused;
    note(ws_submit(nothing, NULL) != 0);
    note(!is_made("wsfj-preempt", &of_process));
}

/* Catches: a thread of the library that has no name of its own, or runs where the worker that has made it is bound: the
 * preempting thread would wait for the worker that it must interrupt. */
START_TEST(other_threads_have_names_and_all_cpus)
{
    ws_group all = WS_GROUP_INIT;

    setenv("WSFJ_NUM_WORKERS", "1", 1);
    setenv("WSFJ_WATCHDOG", "1000", 1);
    ck_assert_int_eq(sched_getaffinity(0, sizeof of_process, &of_process), 0);
    ck_assert_int_eq(ws_group_submit(&all, makes_the_preempter, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&all), 0);
    ck_assert(is_made("wsfj-watch", &of_process));
    stop_runtime();
    ck_assert_int_eq(wrong, 0);
}
END_TEST

static int hold, holds;

static void held(void *unused)
{
    (void)unused;
    __atomic_store_n(&holds, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&hold, __ATOMIC_ACQUIRE))
        sched_yield();
}

static ws_group group;

static void call_init(void)
{
    note(ws_init(NULL) != 0);
}
static void call_run(void)
{
    use_the_library();
}
static void call_submit(void)
{
    note(ws_group_submit(&group, nothing, NULL) != 0);
}
static void call_wait(void)
{
    note(ws_group_wait(&group) != 0);
}
static void call_fini(void)
{
    note(ws_fini() != 0);
}

/* What a cancelled thread calls; first it fills the queue, if it should. */
static const struct {
    void (*call)(void);
    bool started, full;
} calls[] = {
    {call_init, false, false}, {call_run, false, false}, {call_run, true, false},  {call_submit, false, false},
    {call_submit, true, true}, {call_wait, true, true},  {call_fini, true, false},
};
enum { NUM_CALLS = sizeof calls / sizeof *calls };

static int came_through;

static void *is_cancelled(void *number)
{
    pthread_cancel(pthread_self()); /* takes effect at the next cancellation point */
    calls[(uintptr_t)number].call();
    __atomic_store_n(&came_through, 1, __ATOMIC_RELEASE);
    pthread_testcancel();
    return NULL;
}

/* Catches: a function that is a cancellation point: the thread ends with a lock or a count that it never returns. */
START_TEST(cancellation_waits_until_the_library_is_left)
{
    pthread_t thread;
    ws_config config;
    void *how = NULL;

    setenv("WSFJ_NUM_WORKERS", "1", 1);
    ws_config_default(&config);
    config.max_pending = 1;
    if (calls[_i].started)
        ck_assert_int_eq(ws_init(&config), 0);
    if (calls[_i].full) {
        ck_assert_int_eq(ws_group_submit(&group, held, NULL), 0);
        while (!__atomic_load_n(&holds, __ATOMIC_ACQUIRE))
            sched_yield();
        while (ws_group_try_submit(&group, held, NULL) == 0)
            ; /* until there is no room, while the only worker makes none */
    }
    ck_assert_int_eq(pthread_create(&thread, NULL, is_cancelled, (void *)(uintptr_t)_i), 0);
    if (calls[_i].full)
        nanosleep(&(struct timespec){0, 20000000}, NULL); /* so that the worker mostly sleeps */
    __atomic_store_n(&hold, 1, __ATOMIC_RELEASE);
    ck_assert_int_eq(pthread_join(thread, &how), 0);
    ck_assert_ptr_eq(how, PTHREAD_CANCELED);
    ck_assert_int_eq(came_through, 1);
    ck_assert_int_eq(wrong, 0);
    check_fib(12);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    while (ws_fini() == EBUSY) /* a task is done a moment before it is counted */
        sched_yield();
    ck_assert_uint_eq(ws_num_workers(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("threads");

    tcase_add_test(tcase, threads_come_and_go_without_a_trace);
    if (!SANITIZED_ADDRESS) /* it frees any signal stack that a thread has at its end */
        tcase_add_loop_test(tcase, the_programs_signal_stack_stays, 0, 2);
    tcase_add_loop_test(tcase, a_thread_has_the_name_of_its_worker, 0, WORKERS);
    tcase_add_test(tcase, other_threads_have_names_and_all_cpus);
    tcase_add_loop_test(tcase, cancellation_waits_until_the_library_is_left, 0, NUM_CALLS);
    return run_case("threads", tcase);
}
