/* SPDX-License-Identifier: MIT */
/*
 * A fault in a task: an overflow of its stack costs one clear line, and all other faults belong to the program. Each
 * case runs in a child process, whose stderr is read.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "../support/fib.h"
#include "../support/process.h"
#include "stress.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Exit codes of a child that is not killed. */
enum { WRONG = 11, HANDLED = 12 };

/* Not a tail call; its frame is touched. */
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

    start_sized((size_t)workers, 128 << 10);
    ws_run(spawn_bottomless, &result, 1);
    return WRONG;
}

/* Catches: a handler on the stack that has just overflowed; a guard that is too small or not recognised; a loop of
 * faults. */
START_TEST(an_overflowing_task_dies_with_one_clear_line)
{
    struct outcome o = in_child(overflow, _i);

    expect_death(&o, SIGSEGV);
    ck_assert_msg(o.lines == 1 && strstr(o.text, "worker ") && strstr(o.text, "128 KiB") &&
                      strstr(o.text, "WSFJ_STACK_SIZE"),
                  "stderr: %s", o.text);
}
END_TEST

#define LARGE ((size_t)300 << 10)

/* Touches its frame at the far end, as most code touches a large array. */
static __attribute__((noinline)) long large_frames(long n)
{
    volatile char room[LARGE];

    room[0] = (char)n;
    return n < 0 ? 0 : large_frames(n + 1) + room[0];
}

/* The first of them begins `offset` bytes lower, so that another page of each is at the stack's end. */
static WS_TASK(long, large, size_t, offset)
{
    volatile char *room = __builtin_alloca(offset + 1);

    room[0] = 1;
    return large_frames(0) + room[0];
}

static int overflow_by_large_frames(long offset)
{
    long result;

    start_sized(2, 8 << 20);
    ws_run(large, &result, (size_t)offset);
    return WRONG;
}

/* Catches: a guard that a large frame passes, so that the task runs on in its deque. */
START_TEST(a_large_frame_does_not_pass_the_guard)
{
    struct outcome o = in_child(overflow_by_large_frames, _i * (long)(LARGE / 6));

    expect_death(&o, SIGSEGV);
    ck_assert_msg(o.lines == 1 && strstr(o.text, ": its stack of 8192 KiB "), "stderr: %s", o.text);
}
END_TEST

static void *forbidden;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    _exit(info->si_addr == forbidden ? HANDLED : WRONG);
}

/* Uses more stack than a handler should. */
static void on_fault_plain(int signal)
{
    volatile char large[32 << 10];

    for (size_t i = sizeof large; i-- > 0;)
        large[i] = 1;
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
    if (form == 2)
        action = (struct sigaction){.sa_handler = SIG_DFL}; /* a sanitizer may have one of its own */
    forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, NULL);
    start_sized(2, 0);
    ws_run(touch, (volatile char *)forbidden);
    return WRONG;
}

/* Catches: a handler that swallows the program's own faults, or leaves the program's handler no stack. Cases: with and
 * without SA_SIGINFO, and no handler. */
START_TEST(other_faults_reach_the_handler_installed_before)
{
    struct outcome o = in_child(other_fault, _i);

    if (_i < 2)
        expect_exit(&o, HANDLED);
    else
        expect_death(&o, SIGSEGV);
    ck_assert_str_eq(o.text, "");
}
END_TEST

static bool is_slow;

/* Replaces the C library's function: holds a thread at the moment when the kernel has the new handler and the library
 * has not yet stored the old one. */
int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    static int (*real)(int, const struct sigaction *, struct sigaction *);
    struct sigaction old;
    int error;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "sigaction");
    error = real(signal, action, &old);
    if (is_slow && action)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    if (before)
        *before = old;
    return error;
}

static __thread sigjmp_buf back;
static int enough;

static void go_back(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static void *fault_often(void *unused)
{
    while (!__atomic_load_n(&enough, __ATOMIC_RELAXED))
        if (!sigsetjmp(back, 1))
            *(volatile char *)forbidden = 1;
    return unused;
}

static int start_beside_faults(long unused)
{
    pthread_t thread;

    (void)unused;
    signal(SIGSEGV, go_back);
    forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pthread_create(&thread, NULL, fault_often, NULL) != 0)
        return WRONG;
    is_slow = true;
    for (int i = 0; i < 3; i++) {
        start_sized(1, 0);
        if (ws_fini() != 0)
            return WRONG;
    }
    __atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    return HANDLED;
}

/* Catches: a fault of another thread, repaired by the program's handler, that ends the process while the runtime
 * starts. */
START_TEST(a_thread_may_live_by_its_faults)
{
    struct outcome o = in_child(start_beside_faults, 0);

    expect_exit(&o, HANDLED);
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (SANITIZED)
        return EXIT_SKIPPED; /* the sanitizer's handler comes first */
    tcase = new_case("faults");
    tcase_add_loop_test(tcase, an_overflowing_task_dies_with_one_clear_line, 1, 4);
    tcase_add_loop_test(tcase, a_large_frame_does_not_pass_the_guard, 0, 6);
    tcase_add_loop_test(tcase, other_faults_reach_the_handler_installed_before, 0, 3);
    tcase_add_test(tcase, a_thread_may_live_by_its_faults);
    return run_case("faults", tcase);
}
