/* SPDX-License-Identifier: MIT */
/*
 * Without memory for stacks, or without threads, a program still gets its results, or an error. Each case runs in a
 * child process. Neighbour: faults.c, overflows of the stack.
 */
#include "../support/fib.h"
#include "../support/process.h"
#include "../support/resources.h"
#include "stress.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define FIB_N 20L
#define MIB ((size_t)1 << 20)

/* Exit codes of the child. */
enum { RIGHT = 0, REFUSED = 10, WRONG = 11 };

/* A sanitizer's own pthread_create(). clang links it into the program, where dlsym() would pass it by. */
__attribute__((weak)) int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* pthread_create() of this program: fails after so many calls, unless negative. */
static int threads_left = -1;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (!real && __interceptor_pthread_create)
        real = __interceptor_pthread_create;
    else if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (threads_left == 0)
        return EAGAIN;
    if (threads_left > 0)
        threads_left--;
    return real(thread, attributes, body, argument);
}

static int init(size_t workers, size_t max_stacks)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.max_stacks = max_stacks;
    return ws_init(&config);
}

static int work(void)
{
    long result = 0;
    int error = ws_run(fib, &result, FIB_N);

    if (error)
        return REFUSED;
    return result == serial_fib(FIB_N) ? RIGHT : WRONG;
}

static void *work_in_thread(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)work();
}

static int work_in_threads(int n)
{
    pthread_t threads[8];
    int worst = RIGHT;

    for (int i = 0; i < n; i++) {
        if (pthread_create(&threads[i], NULL, work_in_thread, NULL) != 0)
            n = i; /* no memory for another stack */
    }
    for (int i = 0; i < n; i++) {
        void *result = NULL;

        pthread_join(threads[i], &result);
        if (result)
            worst = (int)(intptr_t)result;
    }
    return worst;
}

#if !SANITIZED
static void leave_address_space(size_t bytes)
{
    size_t most = address_space() + bytes;

    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
}

static int little_memory_before_start(long mib)
{
    int outcome;

    leave_address_space((size_t)mib * MIB);
    for (int i = 0; i < 20; i++) {
        outcome = work();
        if (outcome == WRONG)
            return WRONG;
    }
    return ws_fini() == 0 ? RIGHT : WRONG;
}

/* Catches: a failed mmap that is not noticed; a queued region that no worker can run and whose caller waits for
 * ever. */
START_TEST(little_memory_gives_a_result_or_an_error)
{
    static const long mib[] = {0, 1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512};

    for (size_t i = 0; i < sizeof mib / sizeof *mib; i++) {
        setenv("WSFJ_NUM_WORKERS", i % 2 ? "2" : "8", 1);
        struct outcome o = in_child(little_memory_before_start, mib[i]);

        expect_exit(&o, RIGHT);
    }
}
END_TEST

static int little_memory_after_start(long threads)
{
    int outcome = RIGHT;

    if (init(4, 0) != 0)
        return WRONG;
    leave_address_space((size_t)(threads > 1 ? 90 : 1) * MIB);
    for (int i = 0; i < 20 && outcome == RIGHT; i++)
        outcome = threads > 1 ? work_in_threads((int)threads) : work();
    return outcome == RIGHT && ws_fini() != 0 ? WRONG : outcome;
}

/* Catches: a thief that steals first and then has no stack. The memory shrinks when the runtime is up. A caller that
 * finds no memory for a deque either gets an error. */
START_TEST(no_memory_for_more_stacks_gives_a_result_or_an_error)
{
    static const long threads[] = {1, 4};
    struct outcome o = in_child(little_memory_after_start, threads[_i]);

    ck_assert_msg(WIFEXITED(o.status) && (WEXITSTATUS(o.status) == RIGHT || WEXITSTATUS(o.status) == REFUSED),
                  "status %x, stderr: %s", (unsigned)o.status, o.text);
}
END_TEST
#endif

static int few_stacks(long most)
{
    int outcome;

    if (init(4, (size_t)most) != 0)
        return WRONG;
    for (int i = 0; i < 50; i++) {
        if ((outcome = work()) != RIGHT || (outcome = work_in_threads(1 + i % 4)) != RIGHT)
            return outcome;
    }

    struct ws_stats stats = {.size = sizeof stats};

    if (ws_stats_get(&stats) != 0 || stats.stacks > (uint64_t)most)
        return WRONG;
    return ws_fini() == 0 ? RIGHT : WRONG;
}

/* Catches: a limit that is exceeded; a free stack in an idle worker's cache while a caller waits for a stack for
 * ever. */
START_TEST(one_or_two_stacks_are_enough)
{
    struct outcome o = in_child(few_stacks, _i);

    expect_exit(&o, RIGHT);
    ck_assert_str_eq(o.text, "");
}
END_TEST

static void *init_in_thread(void *threads)
{
    threads_left = *(int *)threads;
    return (void *)(intptr_t)init(8, 0);
}

/* Starts while only a few threads can be started. On the first stack of the process a start needs only the workers' threads;
 * elsewhere it first needs one to read the machine. */
static const struct {
    int threads, workers;
    bool is_elsewhere;
} starts[] = {{0, 0, false}, {1, 1, false}, {2, 2, false}, {3, 3, false}, {4, 4, false},
              {0, 0, true},  {1, 0, true},  {2, 1, true},  {3, 2, true},  {4, 3, true}};

static bool start_with_few(int threads, bool elsewhere)
{
    pthread_t other;
    void *result = NULL;

    if (!elsewhere)
        result = init_in_thread(&threads);
    else if (pthread_create(&other, NULL, init_in_thread, &threads) != 0 || pthread_join(other, &result) != 0)
        return false;
    threads_left = -1;
    return !result;
}

static int too_few_threads(long which)
{
    if (!start_with_few(starts[which].threads, starts[which].is_elsewhere))
        return WRONG;
    if (ws_num_workers() != (starts[which].workers ? (size_t)starts[which].workers : 1))
        return WRONG;
    for (int i = 0; i < 20; i++) {
        int outcome = work();

        if (outcome == RIGHT)
            outcome = work_in_threads(6);
        if (outcome != RIGHT)
            return outcome;
    }
    return ws_fini() == 0 ? RIGHT : WRONG;
}

/* Catches: a start that gives up, or that joins threads that were never started; a worker without a thread, to which a
 * wake-up or a root is sent in vain; a thread without a worker; a line with wrong numbers. */
START_TEST(missing_threads_cost_one_line_and_no_result)
{
    struct outcome o = in_child(too_few_threads, _i);
    int threads = starts[_i].workers;
    char line[200];

    expect_exit(&o, RIGHT);
    snprintf(line, sizeof line, "libwsfj: WSFJ_NUM_WORKERS: only %d of 8 threads could be started (%s)%s\n", threads,
             strerror(EAGAIN), threads ? "; going on with those" : "; tasks run on the calling threads only");
    ck_assert_str_eq(o.text, line);
}
END_TEST

static int other_has_run;

static WS_TASK_VOID(run_other)
{
    __atomic_store_n(&other_has_run, 1, __ATOMIC_RELEASE);
}

static void *run_in_thread(void *unused)
{
    (void)unused;
    return ws_run(run_other) == 0 ? NULL : (void *)(intptr_t)WRONG;
}

static WS_TASK_VOID(yield_until_other_has_run)
{
    while (!__atomic_load_n(&other_has_run, __ATOMIC_ACQUIRE))
        ws_yield();
}

static int called;

static void call(void *unused)
{
    (void)unused;
    called++;
}

static WS_TASK_VOID(submit_inside)
{
    int error = ws_submit(call, NULL);

    called += error ? 100 : 0;
}

/* Submits that are plain calls: in a region, outside, and in a task outside any region. */
static bool submits_are_calls(void)
{
    return ws_submit(call, NULL) == 0 && called == 1 && ws_run(submit_inside) == 0 && called == 2 &&
           (submit_inside(), called == 3);
}

static int no_threads_at_all(long workers)
{
    pthread_t other;
    void *result = NULL;

    threads_left = 0;
    if (init((size_t)workers, 0) != 0)
        return WRONG;
    threads_left = -1;
    if (pthread_create(&other, NULL, run_in_thread, NULL) != 0 || ws_run(yield_until_other_has_run) != 0)
        return WRONG;
    pthread_join(other, &result);
    return result || !submits_are_calls() || ws_fini() != 0 ? WRONG : RIGHT;
}

/* Catches: a root that waits for the only slot while the thread at the slot waits for that root; a submitted task that
 * no worker takes. */
START_TEST(without_any_thread_the_callers_do_everything)
{
    struct outcome o = in_child(no_threads_at_all, _i);

    expect_exit(&o, RIGHT);
    ck_assert_msg(o.lines == 1 && strstr(o.text, "WSFJ_NUM_WORKERS"), "stderr: %s", o.text);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("limits");

    tcase_add_loop_test(tcase, one_or_two_stacks_are_enough, 1, 3);
    tcase_add_loop_test(tcase, missing_threads_cost_one_line_and_no_result, 0, (int)(sizeof starts / sizeof *starts));
    tcase_add_loop_test(tcase, without_any_thread_the_callers_do_everything, 1, 3);
#if !SANITIZED
    tcase_add_test(tcase, little_memory_gives_a_result_or_an_error);
    tcase_add_loop_test(tcase, no_memory_for_more_stacks_gives_a_result_or_an_error, 0, 2);
#endif
    return run_case("limits", tcase);
}
