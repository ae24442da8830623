/* SPDX-License-Identifier: MIT */
/*
 * Crash reporters: the program's own handlers of SIGSEGV hear of a stack overflow in a task, after the library's one line
 * of it. Each case runs in a child process. Catches: an overflow that kills the process past such a handler; one that is
 * told twice, or repeated for ever; a second one that is taken for the first. Neighbours: stress/faults.c, without such a
 * handler, and unit/overflow.c, the guard's parts.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* REG_RIP */
#endif
#include "../support/folder.h"
#include "../support/process.h"
#include "../support/runtime.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>

/* Exit codes of a child that is not killed. */
enum { WRONG = 11, REPORTED = 12, WENT_ON = 13 };

#define TOLD "reporter: SIGSEGV\n"
#define LINE "libwsfj: stack overflow in a task on worker "

static __thread sigjmp_buf back;
static struct sigaction before; /* what a reporter has found, and calls or puts back */
static int reports;

static void tell(void)
{
    (void)__atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED);
    if (write(STDERR_FILENO, TOLD, sizeof TOLD - 1) < 0)
        _exit(WRONG);
}

static void exits(int number)
{
    (void)number;
    tell();
    _exit(REPORTED);
}

static void puts_back_and_raises(int number)
{
    tell();
    sigaction(number, &before, NULL);
    raise(number);
}

static void puts_back(int number)
{
    tell();
    sigaction(number, &before, NULL);
}

static void returns(int number)
{
    (void)number;
    tell();
}

static void jumps(int number)
{
    (void)number;
    tell();
    siglongjmp(back, 1);
}

static void calls_before_it(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    exits(number);
}

static void calls_and_returns(int number, siginfo_t *info, void *context)
{
    before.sa_sigaction(number, info, context);
    if (__atomic_load_n(&reports, __ATOMIC_RELAXED) == 0)
        tell();
}

static __attribute__((noinline)) long deep(long n)
{
    volatile char room[1024];

    room[0] = (char)n;
    return n < 0 ? 0 : deep(n + 1) + room[0];
}

static WS_TASK(long, overflows, long, n)
{
    return deep(n);
}

struct reporter {
    const char *name;
    void (*handler)(int);
    void (*with_info)(int, siginfo_t *, void *); /* instead */
    int flags;
    bool comes_after; /* it is installed while the runtime is up, over the library's handler */
    int code;         /* the child's exit code; 0: SIGSEGV kills it */
    bool is_silent;   /* no handler of the program's runs */
};

static const struct reporter reporters[] = {
    {.name = "exits", .handler = exits, .flags = SA_ONSTACK, .code = REPORTED},
    {.name = "exits, without a stack of its own", .handler = exits, .code = REPORTED},
    {.name = "exits, with siginfo", .with_info = calls_before_it, .flags = SA_ONSTACK, .code = REPORTED},
    {.name = "exits, once", .handler = exits, .flags = (int)SA_RESETHAND | SA_ONSTACK, .code = REPORTED},
    {.name = "puts the default back and raises", .handler = puts_back_and_raises, .flags = SA_ONSTACK},
    {.name = "the same at once", .handler = puts_back_and_raises, .flags = SA_ONSTACK | SA_NODEFER},
    {.name = "puts the default back", .handler = puts_back, .flags = SA_ONSTACK},
    {.name = "returns", .handler = returns, .flags = SA_ONSTACK},
    {.name = "returns, without a stack of its own", .handler = returns},
    {.name = "returns, once", .handler = returns, .flags = (int)SA_RESETHAND},
    {.name = "is ignored", .handler = SIG_IGN, .is_silent = true},
    {.name = "calls ours", .with_info = calls_before_it, .flags = SA_ONSTACK, .comes_after = true, .code = REPORTED},
    {.name = "puts ours back", .handler = puts_back, .flags = SA_ONSTACK, .comes_after = true},
    {.name = "calls ours each time", .with_info = calls_and_returns, .flags = SA_ONSTACK, .comes_after = true},
};
#define REPORTERS ((int)(sizeof reporters / sizeof *reporters))

static void install(const struct reporter *r)
{
    struct sigaction action = {.sa_flags = r->flags};

    sigemptyset(&action.sa_mask);
    if (r->with_info) {
        action.sa_sigaction = r->with_info;
        action.sa_flags |= SA_SIGINFO;
    } else {
        action.sa_handler = r->handler;
    }
    sigaction(SIGSEGV, &action, &before);
}

static int overflow(long which)
{
    const struct reporter *r = &reporters[which];
    long result;

    signal(SIGSEGV, SIG_DFL);
    setrlimit(RLIMIT_CPU, &(struct rlimit){10, 20}); /* a fault may be repeated for ever */
    if (!r->comes_after)
        install(r);
    start_runtime(2, 128 << 10, WS_SPIN_DEFAULT);
    if (r->comes_after)
        install(r);
    ws_run(overflows, &result, 0L);
    return WRONG;
}

static int count(const char *text, const char *what)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static void check_text(const struct outcome *o, int lines, int told)
{
    ck_assert_msg(count(o->text, LINE) == lines && count(o->text, TOLD) == told && o->lines == lines + told,
                  "stderr: %s", o->text);
}

/* The same with a trace, whose handler comes before the library's other one. */
START_TEST(a_reporter_hears_of_an_overflow)
{
    const struct reporter *r = &reporters[_i / 2];
    struct stat trace = {.st_size = 0};
    struct outcome o;

    folder_make();
    if (_i % 2)
        setenv("WSFJ_TRACE", folder_path("overflow.json"), 1);
    o = in_child(overflow, _i / 2);
    if (r->code)
        expect_exit(&o, r->code);
    else
        expect_death(&o, SIGSEGV);
    check_text(&o, 1, r->is_silent ? 0 : 1);
    ck_assert_msg(stat(folder_path("overflow.json"), &trace) == (_i % 2 ? 0 : -1) && (trace.st_size > 0) == _i % 2,
                  "%s: the trace", r->name);
}
END_TEST

/* Overflows, and returns where the reporter jumps to. A function with setjmp() cannot be inlined, as a task is. */
static __attribute__((noinline)) void overflow_and_return(void)
{
    if (!sigsetjmp(back, 1))
        (void)deep(0);
}

static WS_TASK_VOID(overflows_and_goes_on, int *, times)
{
    overflow_and_return();
    (void)__atomic_add_fetch(times, 1, __ATOMIC_ACQ_REL);
}

static int jump_out(long unused)
{
    int times = 0;

    (void)unused;
    signal(SIGSEGV, jumps);
    start_runtime(1, 128 << 10, WS_SPIN_DEFAULT);
    for (int i = 0; i < 3; i++)
        ws_run(overflows_and_goes_on, &times);
    return times == 3 && ws_fini() == 0 ? WENT_ON : WRONG;
}

/* Catches: a later overflow, at the same place, without its line or past the reporter. */
START_TEST(each_overflow_is_told)
{
    struct outcome o = in_child(jump_out, 0);

    expect_exit(&o, WENT_ON);
    check_text(&o, 3, 3);
}
END_TEST

static int arrived;

static void overflows_with_the_other(void *times)
{
    (void)__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < 2)
        ;
    overflows_and_goes_on(times);
}

static int overflow_in_two(long unused)
{
    ws_group group = WS_GROUP_INIT;
    int times = 0;

    (void)unused;
    signal(SIGSEGV, jumps);
    start_runtime(2, 128 << 10, WS_SPIN_DEFAULT);
    for (int i = 0; i < 2; i++)
        if (ws_group_submit(&group, overflows_with_the_other, &times))
            return WRONG;
    return ws_group_wait(&group) == 0 && times == 2 ? WENT_ON : WRONG;
}

/* Catches: two threads that overflow at the same time, and one of them taken for a repetition of the other. */
START_TEST(two_threads_overflow_at_once)
{
    struct outcome o = in_child(overflow_in_two, 0);

    expect_exit(&o, WENT_ON);
    check_text(&o, 2, 2);
}
END_TEST

/* Where the task goes on. */
static void land(void)
{
    siglongjmp(back, 1);
}

/* Like the traps of a virtual machine: the interrupted code goes on elsewhere, on a stack that has room. */
static void sends_elsewhere(int number, siginfo_t *info, void *context)
{
    static _Alignas(64) char stack[64 << 10];
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;

    (void)number;
    (void)info;
    tell();
#if defined __x86_64__
    m->gregs[REG_RIP] = (greg_t)(uintptr_t)land;
    m->gregs[REG_RSP] = (greg_t)(uintptr_t)(stack + sizeof stack - 8);
#elif defined __aarch64__
    m->pc = (uintptr_t)land;
    m->sp = (uintptr_t)(stack + sizeof stack);
#else
    (void)m;
    (void)stack;
#endif
}

static int send_elsewhere(long unused)
{
    int times = 0;

    (void)unused;
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = sends_elsewhere, .sa_flags = SA_SIGINFO | SA_ONSTACK}, NULL);
    start_runtime(1, 128 << 10, WS_SPIN_DEFAULT);
    for (int i = 0; i < 3; i++)
        ws_run(overflows_and_goes_on, &times);
    return times == 3 ? WENT_ON : WRONG;
}

/* Catches: a handler that has returned, but has sent the task elsewhere, and whose next overflow kills. */
START_TEST(a_handler_may_send_the_task_elsewhere)
{
    struct outcome o = in_child(send_elsewhere, 0);

    expect_exit(&o, WENT_ON);
    check_text(&o, 3, 3);
}
END_TEST

/* Makes the page usable, like a program that grows its stacks. */
static void repairs(int number, siginfo_t *info, void *context)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(page - 1));

    (void)number;
    (void)context;
    tell();
    if (mmap(at, page, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != at)
        _exit(WRONG);
}

static __attribute__((noinline)) long pages_deep(long pages)
{
    volatile char room[1024];

    room[0] = 0;
    return pages > 0 ? pages_deep(pages - 1) + room[0] : 0;
}

static WS_TASK(long, goes_two_pages_too_deep, long, kib)
{
    return pages_deep(kib);
}

static int repair(long unused)
{
    long result = 1, page = sysconf(_SC_PAGESIZE) >> 10;

    (void)unused;
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = repairs, .sa_flags = SA_SIGINFO | SA_ONSTACK}, NULL);
    start_runtime(1, 128 << 10, WS_SPIN_DEFAULT);
    for (long kib = 100; reports < 2 && kib < 128 + 2 * page; kib++)
        if (ws_run(goes_two_pages_too_deep, &result, kib) != 0 || result != 0)
            return WRONG;
    return reports == 2 ? WENT_ON : WRONG;
}

/* Catches: an overflow elsewhere on the same stack that is taken for a repetition. */
START_TEST(a_handler_may_repair_the_guard)
{
    struct outcome o = in_child(repair, 0);

    expect_exit(&o, WENT_ON);
    check_text(&o, 2, 2);
}
END_TEST

static int overflow_in_child(void)
{
    long result;
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        ws_run(overflows, &result, 0L); /* inside a task: a plain call */
        _exit(WRONG);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

static WS_TASK(int, forks, int, unused)
{
    (void)unused;
    return overflow_in_child();
}

static int fork_and_overflow(long in_task)
{
    int code = 0;

    signal(SIGSEGV, exits);
    start_runtime(2, 128 << 10, WS_SPIN_DEFAULT);
    if (in_task)
        ws_run(forks, &code, 0);
    else
        code = overflow_in_child();
    return code;
}

/* Catches: the child of a fork, outside of tasks or inside, without the line or the reporter. */
START_TEST(a_forks_child_reports_too)
{
    struct outcome o = in_child(fork_and_overflow, _i);

    expect_exit(&o, REPORTED);
    check_text(&o, 1, 1);
}
END_TEST

int main(void)
{
    TCase *tcase;
    int status;

    if (SANITIZED)
        return EXIT_SKIPPED; /* the sanitizer's handler comes first */
    if (folder_begin("reporters") != 0)
        return EXIT_FAILURE;
    tcase = new_case("reporters");
    tcase_add_loop_test(tcase, a_reporter_hears_of_an_overflow, 0, 2 * REPORTERS);
    tcase_add_test(tcase, each_overflow_is_told);
    tcase_add_test(tcase, two_threads_overflow_at_once);
#if defined __x86_64__ || defined __aarch64__
    tcase_add_test(tcase, a_handler_may_send_the_task_elsewhere);
#endif
    tcase_add_test(tcase, a_handler_may_repair_the_guard);
    tcase_add_loop_test(tcase, a_forks_child_reports_too, 0, 2);
    status = run_case("reporters", tcase);
    folder_end();
    return status;
}
