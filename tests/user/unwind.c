/* SPDX-License-Identifier: MIT */
/* Frame pointers lead from a stolen task through its ancestors to the caller of ws_run(), at any moment
 * (lib/sched/unwind_link.h). This file is compiled with frame pointers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr(), process_vm_readv(), registers by name */
#endif
#include "../support/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define MOST 200

#if defined __x86_64__ || defined __aarch64__
#define WITHOUT_RECORDS NULL
#else
#define WITHOUT_RECORDS "frame records are laid out otherwise on this processor"
#endif

/* What a frame pointer points to. */
struct record {
    const struct record *next;
    const char *code;
};

/* A walk: the records met, from the inside. */
struct walk {
    const struct record *frames[MOST];
    const char *code[MOST];
    int n;
};

static int children;

static void await(const int *count, int value)
{
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < value)
        sched_yield();
}

static void count(int *what)
{
    __atomic_add_fetch(what, 1, __ATOMIC_ACQ_REL);
}

/* Without the signature that an aarch64 processor may add to return addresses. */
static const char *plain(const char *code)
{
#ifdef __aarch64__
    __asm__("mov x30, %0\n\thint #7 /* xpaclri */\n\tmov %0, x30" : "+r"(code) : : "x30");
#endif
    return code;
}

/* Follows the frame pointers until there is none, or `end`. Not checked: it reads other stacks, as a profiler does. */
static __attribute__((no_sanitize("thread"), noinline)) struct walk follow(const struct record *frame,
                                                                           const struct record *end)
{
    struct walk walk = {.n = 0};

    for (; frame && walk.n < MOST; frame = frame->next) {
        walk.frames[walk.n] = frame;
        walk.code[walk.n++] = plain(frame->code);
        if (frame == end)
            break;
    }
    return walk;
}

/* The position in the walk of a return address into the function; -1: not found. */
static int place_of(const struct walk *walk, uintptr_t function)
{
    int i = walk->n - 1;

    while (i >= 0 && walk->code[i] != (const char *)function + 1)
        i--;
    return i;
}

static struct walk found;
static const struct record *caller;

static WS_TASK_VOID(grandchild)
{
    count(&children);
    found = follow(__builtin_frame_address(0), caller);
}

static WS_TASK_VOID(child)
{
    count(&children);
    ws_spawn(grandchild);
    await(&children, 2);
    ws_sync();
}

static WS_TASK_VOID(elder)
{
    ws_spawn(child);
    await(&children, 2);
    ws_sync();
}

__attribute__((noinline)) static void run_family(void)
{
    caller = __builtin_frame_address(0);
    children = 0;
    ck_assert_int_eq(ws_run(elder), 0);
}

/* Catches: a chain that ends at the bottom of the child's stack or of its parent's; a generation that is left out or
 * has the wrong name; a root that does not know its caller's frame. */
START_TEST(a_walk_leads_from_a_stolen_task_to_main)
{
    start_runtime(3, 0, WS_SPIN_DEFAULT);
    run_family();

    int first = place_of(&found, (uintptr_t)wsfj_exec_child), second = place_of(&found, (uintptr_t)wsfj_exec_elder);
    Dl_info info;

    ck_assert_int_gt(first, 0);
    ck_assert_int_eq(second, first + 1);
    ck_assert_int_gt(found.n, second + 2);
    ck_assert_ptr_eq(found.frames[found.n - 1], caller);
    /* Of the frames between, the last one returns to this file, the one before it to ws_run(). */
    ck_assert_int_ne(dladdr(found.code[found.n - 3], &info), 0);
    ck_assert_ptr_eq(info.dli_fbase, (dladdr((void *)(uintptr_t)ws_init, &info), info.dli_fbase));
    if (dladdr(found.code[found.n - 3], &info) && info.dli_sname) /* a static program has no names */
        ck_assert_str_eq(info.dli_sname, "wsfj_root_run");
    ck_assert_int_ne(dladdr(found.code[found.n - 2], &info), 0);
    ck_assert_ptr_eq(info.dli_fbase, (dladdr((void *)(uintptr_t)run_family, &info), info.dli_fbase));
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static void detached(void *arg)
{
    (void)arg;
    found = follow(__builtin_frame_address(0), NULL);
}

/* Catches: a detached task that seems to have a parent: that of the task which was on its stack before. */
START_TEST(a_walk_ends_with_a_detached_task)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(3, 0, WS_SPIN_DEFAULT);
    for (int round = 0; round < 100; round++) {
        run_family();
        ck_assert_int_eq(ws_group_submit(&group, detached, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        ck_assert_int_lt(found.n, 10);
        ck_assert_ptr_eq(found.code[found.n - 1], (const char *)(uintptr_t)ws_submit + 1);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Walks of the profiler below that went beyond a stack, that reached a caller, and that did not. */
static long samples, arrived, lost;
#define CALLERS 2
#define ENOUGH 20      /* walks that reach a caller */
#define TOO_MANY 10000 /* interruptions, if no walk does */
#define DELAYED "ThreadSanitizer delays signals"
static const struct record *callers[CALLERS];

static WS_TASK(long, node, long, n)
{
    long x = 0, y;

    if (n < 2)
        return n;
    ws_spawn(node, &x, n - 1);
    y = ws_call(node, n - 2);
    ws_sync();
    return x + y;
}

/* Reads a record that may not exist, or vanish at any moment: the kernel does it, and reports an error. */
static bool read_record(const struct record *from, struct record *record)
{
    struct iovec to = {record, sizeof *record}, there = {(void *)(uintptr_t)from, sizeof *from};

    return process_vm_readv(getpid(), &to, 1, &there, 1, 0) == (ssize_t)sizeof *record;
}

static bool may_read(void)
{
    struct record one = {NULL, NULL}, copy;

    return read_record(&one, &copy);
}

static void count_sample(long *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static long read_count(const long *what)
{
    return __atomic_load_n(what, __ATOMIC_RELAXED);
}

static bool is_caller(const struct record *frame)
{
    for (int i = 0; i < CALLERS; i++) {
        if (frame == __atomic_load_n(&callers[i], __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* A profiler: interrupts a thread at any instruction. Before the walk has met the bottom of a stack it may go astray in
 * code without frame pointers; after that it must not. */
static void sample(int signal, siginfo_t *why, void *context)
{
    const ucontext_t *interrupted = context;
#ifdef __x86_64__
    const struct record *frame = (const struct record *)interrupted->uc_mcontext.gregs[REG_RBP];
#elif defined __aarch64__
    const struct record *frame = (const struct record *)interrupted->uc_mcontext.regs[29];
#else
    const struct record *frame = (const struct record *)interrupted;
#endif
    struct record record = {NULL, NULL};
    int saved = errno;
    bool beyond = false, there = false;

    (void)signal;
    (void)why;
    for (int i = 0; i < MOST && !there && read_record(frame, &record); i++, frame = record.next) {
        there = beyond && is_caller(frame);
        if (record.next && record.code == (const char *)(uintptr_t)wsfj_exec_node + 1)
            beyond = true;
    }
    count_sample(&samples);
    if (beyond)
        count_sample(there ? &arrived : &lost);
    errno = saved;
}

__attribute__((noinline)) static long call_node(unsigned i, long n)
{
    long result = -1;

    __atomic_store_n(&callers[i], __builtin_frame_address(0), __ATOMIC_RELAXED);
    ck_assert_int_eq(ws_run(node, &result, n), 0);
    return result;
}

static void *call_until_sampled(void *arg)
{
    unsigned i = *(unsigned *)arg;

    while (read_count(&arrived) < ENOUGH && read_count(&lost) == 0 && read_count(&samples) < TOO_MANY)
        ck_assert_int_eq(call_node(i, 26), 121393);
    return NULL;
}

/* Catches: a record written before its stack belongs to the task, or left after its parent or caller has gone on; a
 * chain that leads to frames that move. */
START_TEST(a_profiler_never_goes_astray_beyond_the_first_stack)
{
    struct sigaction action = {.sa_sigaction = sample, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval period = {{0, 1000}, {0, 1000}};
    pthread_t threads[CALLERS];
    unsigned numbers[CALLERS];

    start_runtime(4, 0, WS_SPIN_DEFAULT);
    sigaction(SIGPROF, &action, NULL);
    ck_assert_int_eq(setitimer(ITIMER_PROF, &period, NULL), 0);
    for (unsigned i = 0; i < CALLERS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_until_sampled, &numbers[i]), 0);
    }
    for (unsigned i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(lost, 0);
    ck_assert_int_ge(arrived, ENOUGH);
}
END_TEST

static const char *why_not_sampled(void)
{
    if (SANITIZED_THREAD)
        return DELAYED;
    if (WITHOUT_RECORDS)
        return WITHOUT_RECORDS;
    return may_read() ? NULL : "the kernel reads no memory for us (process_vm_readv())";
}

int main(void)
{
    TCase *tcase = new_case("unwind");

    ADD_TEST_UNLESS(WITHOUT_RECORDS, tcase, a_walk_leads_from_a_stolen_task_to_main);
    ADD_TEST_UNLESS(WITHOUT_RECORDS, tcase, a_walk_ends_with_a_detached_task);
    ADD_TEST_UNLESS(why_not_sampled(), tcase, a_profiler_never_goes_astray_beyond_the_first_stack);
    return run_case("unwind", tcase);
}
