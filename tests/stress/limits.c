/* SPDX-License-Identifier: MIT */
/*
 * When something cannot be had - memory for stacks, threads, depth - a program still gets its results, or an error, or
 * dies with one clear line. Each case runs in a child process of its own, whose stderr is read.
 */
#include "../fib.h"
#include "stress.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIB_N 20L
#define MIB ((size_t)1 << 20)

/* How a case ends: exit codes of the child. */
enum { RIGHT = 0, REFUSED = 10, WRONG = 11, HANDLED = 12 };

struct outcome {
    int status;
    char text[4096]; /* what it wrote to stderr */
    int lines;
};

/* Runs `f(argument)` in a child; its value is the exit code. A child that hangs is killed by its alarm. */
static struct outcome in_child(int (*f)(long argument), long argument)
{
    struct outcome o = {0};
    size_t length = 0;
    int pipes[2];
    pid_t child;

    ck_assert_int_eq(pipe(pipes), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        alarm(TIMEOUT_S / 2);
        _exit(f(argument));
    }
    close(pipes[1]);
    for (ssize_t n; length < sizeof o.text - 1 && (n = read(pipes[0], o.text + length, sizeof o.text - 1 - length)) > 0;)
        length += (size_t)n;
    close(pipes[0]);
    ck_assert_int_eq(waitpid(child, &o.status, 0), child);
    for (const char *c = o.text; *c; c++)
        o.lines += *c == '\n';
    return o;
}

static void expect_exit(const struct outcome *o, int code)
{
    ck_assert_msg(WIFEXITED(o->status) && WEXITSTATUS(o->status) == code, "status %x, stderr: %s", (unsigned)o->status,
                  o->text);
}

/* pthread_create() of this program: fails after so many calls, unless negative. */
static int threads_left = -1;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (threads_left == 0)
        return EAGAIN;
    if (threads_left > 0)
        threads_left--;
    return real(thread, attributes, body, argument);
}

static int init(size_t workers, size_t stack_size, size_t max_stacks)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.stack_size = stack_size;
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
            n = i; /* no memory for another one */
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
static size_t address_space(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (!file || fscanf(file, "%lu", &pages) != 1)
        abort();
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

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

/* Catches: a failed mmap that is not looked at, a queued region that nobody can run and whose caller waits for ever. */
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

    if (init(4, 0, 0) != 0)
        return WRONG;
    leave_address_space((size_t)(threads > 1 ? 90 : 1) * MIB);
    for (int i = 0; i < 20 && outcome == RIGHT; i++)
        outcome = threads > 1 ? work_in_threads((int)threads) : work();
    return outcome == RIGHT && ws_fini() != 0 ? WRONG : outcome;
}

/* Catches: a thief that steals first and has no stack then. The memory shrinks when the runtime is up. A caller that
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

    if (init(4, 0, (size_t)most) != 0)
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

/* Catches: a limit that is not kept, a free stack in an idle worker's cache while a caller waits for one for ever. */
START_TEST(one_or_two_stacks_are_enough)
{
    struct outcome o = in_child(few_stacks, _i);

    expect_exit(&o, RIGHT);
    ck_assert_str_eq(o.text, "");
}
END_TEST

/* The runtime may use one thread to read the machine; so the workers are counted from the end: all but `argument`. */
static int too_few_threads(long argument)
{
    threads_left = (int)argument;
    if (init(8, 0, 0) != 0)
        return WRONG;
    threads_left = -1;
    for (int i = 0; i < 20; i++) {
        int outcome = work();

        if (outcome == RIGHT)
            outcome = work_in_threads(6);
        if (outcome != RIGHT)
            return outcome;
    }
    return ws_fini() == 0 ? RIGHT : WRONG;
}

/* Catches: a start that gives up or joins threads that never were, sleepers counted that do not exist (a wake-up is lost
 * on them), roots queued for workers that have no thread. */
START_TEST(missing_threads_cost_one_line_and_no_result)
{
    struct outcome o = in_child(too_few_threads, _i);

    expect_exit(&o, RIGHT);
    ck_assert_msg(o.lines == 1 && strstr(o.text, "WSFJ_NUM_WORKERS"), "stderr: %s", o.text);
}
END_TEST

#if !SANITIZED
/* Not a tail call, and a frame that is touched. */
static WS_TASK(long, bottomless, long, n)
{
    volatile char room[256];
    long x = 0, y;

    if (n < 0)
        return 0;
    room[0] = (char)n;
    ws_spawn(fib, &x, 1L);
    y = ws_call(bottomless, n + 1);
    ws_sync();
    return x + y + room[0];
}

static WS_TASK(long, spawn_bottomless, int, times)
{
    long results[4] = {0};

    for (int i = 0; i < times; i++)
        ws_spawn(bottomless, &results[i], 0L);
    ws_sync();
    return results[0];
}

static int overflow(long workers)
{
    long result;

    if (init((size_t)workers, 128 << 10, 0) != 0)
        return WRONG;
    ws_run(spawn_bottomless, &result, 1);
    return WRONG;
}

/* Catches: a handler on the stack that has just run out, a guard that is too small or not recognised, a loop of faults. */
START_TEST(an_overflowing_task_dies_with_one_clear_line)
{
    struct outcome o = in_child(overflow, _i);

    ck_assert_msg(WIFSIGNALED(o.status) && WTERMSIG(o.status) == SIGSEGV, "status %x, stderr: %s", (unsigned)o.status,
                  o.text);
    ck_assert_msg(o.lines == 1 && strstr(o.text, "worker ") && strstr(o.text, "128 KiB") &&
                      strstr(o.text, "WSFJ_STACK_SIZE"),
                  "stderr: %s", o.text);
}
END_TEST

static void *forbidden;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    _exit(info->si_addr == forbidden ? HANDLED : WRONG);
}

static void on_fault_plain(int signal)
{
    _exit(signal == SIGSEGV ? HANDLED : WRONG);
}

static WS_TASK_VOID(touch, volatile char *, p)
{
    *p = 1;
}

static int other_fault(long form)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    if (form == 1)
        action = (struct sigaction){.sa_handler = on_fault_plain};
    forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (form < 2)
        sigaction(SIGSEGV, &action, NULL);
    if (init(2, 0, 0) != 0)
        return WRONG;
    ws_run(touch, (volatile char *)forbidden);
    return WRONG;
}

/* Catches: a handler that swallows the program's own faults. Forms: with and without SA_SIGINFO, and none at all. */
START_TEST(other_faults_reach_the_handler_installed_before)
{
    struct outcome o = in_child(other_fault, _i);

    if (_i < 2)
        expect_exit(&o, HANDLED);
    else
        ck_assert_msg(WIFSIGNALED(o.status) && WTERMSIG(o.status) == SIGSEGV, "status %x", (unsigned)o.status);
    ck_assert_str_eq(o.text, "");
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("limits");

    tcase_add_loop_test(tcase, one_or_two_stacks_are_enough, 1, 3);
    tcase_add_loop_test(tcase, missing_threads_cost_one_line_and_no_result, 0, 5);
#if !SANITIZED
    tcase_add_test(tcase, little_memory_gives_a_result_or_an_error);
    tcase_add_loop_test(tcase, no_memory_for_more_stacks_gives_a_result_or_an_error, 0, 2);
    tcase_add_loop_test(tcase, an_overflowing_task_dies_with_one_clear_line, 1, 4);
    tcase_add_loop_test(tcase, other_faults_reach_the_handler_installed_before, 0, 3);
#endif
    return run_case("limits", tcase);
}
