/* SPDX-License-Identifier: MIT */
/*
 * State of a thread that the library changes for a moment, and that a program finds again as it was: signal mask,
 * cancellation, rounding mode, affinity, name. On the paths, too, that are rarely taken. Neighbours: rounding.c, tasks;
 * signals.c, the masks of workers.
 */
#include "../support/folder.h"

#include "../support/fib.h"
#include "../support/flags.h"
#include "../support/process.h"
#include "workers.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static int has_begun, may_end;
static long wrong;

static void check(bool right)
{
    add(&wrong, !right);
}

static void finish_with(ws_group *group)
{
    ck_assert_int_eq(ws_group_wait(group), 0);
    stop_runtime();
    ck_assert_int_eq(get(&wrong), 0);
}

static ws_group others = WS_GROUP_INIT;

/* What belongs to a thread, and a program may have set. */
struct state {
    sigset_t mask;
    int cancel, rounding;
    cpu_set_t cpus;
    char name[16];
};

/* Tasks and children may not assert. */
static void read_state(struct state *s)
{
    memset(s, 0, sizeof *s);
    check(pthread_sigmask(SIG_SETMASK, NULL, &s->mask) == 0);
    check(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &s->cancel) == 0);
    check(pthread_setcancelstate(s->cancel, NULL) == 0);
    s->rounding = fegetround();
    check(sched_getaffinity(0, sizeof s->cpus, &s->cpus) == 0);
    check(pthread_getname_np(pthread_self(), s->name, sizeof s->name) == 0);
}

/* NULL, or what has changed. */
static const char *change(const struct state *before)
{
    struct state now;

    read_state(&now);
    for (int signal = 1; signal < NSIG; signal++) {
        if (sigismember(&before->mask, signal) != sigismember(&now.mask, signal))
            return "signal mask";
    }
    if (before->cancel != now.cancel)
        return "cancellation";
    if (before->rounding != now.rounding)
        return "rounding";
    if (!CPU_EQUAL(&before->cpus, &now.cpus))
        return "affinity";
    return strcmp(before->name, now.name) == 0 ? NULL : "name";
}

static void let_in(int how, int signal)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(how, &set, NULL);
}

/* A thread's own choices, none of them the default; `other`: the opposite of some. */
static void choose_state(bool other, struct state *now)
{
    let_in(other ? SIG_UNBLOCK : SIG_BLOCK, SIGUSR1);
    let_in(other ? SIG_BLOCK : SIG_UNBLOCK, SIGUSR2);
    pthread_setcancelstate(other ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, NULL);
    fesetround(other ? FE_DOWNWARD : FE_UPWARD);
    pthread_setname_np(pthread_self(), other ? "of-the-program" : "named");
    read_state(now);
}

static void nothing(void *unused)
{
    (void)unused;
}

static void do_init(void)
{
    check(ws_init(NULL) == 0);
}
static void do_run(void)
{
    long r = 0;

    check(ws_run(fib, &r, 12L) == 0 && r == 144);
}
static void do_submit(void)
{
    check(ws_group_submit(&others, nothing, NULL) == 0);
    check(ws_submit(NULL, NULL) == EINVAL);
}
static void do_wait(void)
{
    check(ws_group_wait(&others) == 0);
}
static void do_phase(void)
{
    check(ws_phase_begin() == 0);
    do_run();
    check(ws_fini() == EBUSY);
    check(ws_phase_end() == 0);
}
static void do_ask(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    check(ws_stats_get(&stats) == 0 && ws_num_slots() == 3);
    ws_trace_mark("mark");
    ws_yield();
    check(ws_init(NULL) == EALREADY);
}
static void do_fini(void)
{
    while (ws_fini() != 0)
        sched_yield();
}

static struct state chosen; /* by the thread that calls, and forks */

static void do_fork(void)
{
    struct outcome o;
    struct child child;

    if (begin_child(&child)) {
        struct state before = chosen;
        const char *changed;

        sigemptyset(&before.mask); /* begin_child() has let all signals in */
        changed = change(&before);
        if (changed)
            fprintf(stderr, "in the child: %s", changed);
        do_run();
        _exit(changed || get(&wrong));
    }
    o = end_child(&child);
    expect_exit(&o, 0);
}

static const struct {
    void (*call)(void);
    const char *name;
} calls[] = {
    {do_init, "ws_init"},       {do_run, "ws_run"},  {do_fork, "fork"},      {do_submit, "ws_submit"},
    {do_wait, "ws_group_wait"}, {do_ask, "queries"}, {do_phase, "ws_phase"}, {do_fork, "fork"},
    {do_fini, "ws_fini"},       {do_fork, "fork"},   {do_run, "ws_run"},     {do_fini, "ws_fini"},
};

/* Settings that make the library do more at its start and its end. */
static const struct {
    const char *name, *value;
} settings[] = {
    {"WSFJ_MEMBARRIER", "1"},        {"WSFJ_TRACE", "restored-%p.json"}, {"WSFJ_WATCHDOG", "60"},
    {"WSFJ_DUMP_SIGNAL", "SIGUSR2"}, {"WSFJ_MEMBARRIER", "0"},
};
#define SETTINGS ((int)(sizeof settings / sizeof *settings))

static struct sigaction dispositions[NSIG];

static void read_dispositions(void)
{
    for (int signal = 1; signal < NSIG; signal++)
        (void)sigaction(signal, NULL, &dispositions[signal]);
}

/* The runtime is stopped: it handles no signal any more. */
static void check_dispositions(void)
{
    struct sigaction now;

    for (int signal = 1; signal < NSIG; signal++)
        if (sigaction(signal, NULL, &now) == 0)
            ck_assert_msg(now.sa_handler == dispositions[signal].sa_handler, "signal %d is still handled", signal);
}

static void *calls_all(void *other)
{
    read_dispositions();
    choose_state(other != NULL, &chosen);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *changed;

        calls[i].call();
        changed = change(&chosen);
        ck_assert_msg(!changed, "%s has changed the thread's %s", calls[i].name, changed);
    }
    check_dispositions();
    return NULL;
}

/* Catches: a handler that stays installed when the runtime stops; a thread of the program that after a call has another signal mask, cancellation, rounding mode, affinity or
 * name than before; the child of its fork, too. */
START_TEST(a_call_leaves_its_thread_as_it_was)
{
    pthread_t thread;
    char path[512] = "";
    bool other = _i >= SETTINGS;

    folder_make();
    if (strcmp(settings[_i % SETTINGS].name, "WSFJ_TRACE") == 0)
        snprintf(path, sizeof path, "%s", folder_path(settings[_i % SETTINGS].value));
    setenv(settings[_i % SETTINGS].name, *path ? path : settings[_i % SETTINGS].value, 1);
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, calls_all, other ? &chosen : NULL), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(get(&wrong), 0);
}
END_TEST

/* Its section is the first: the library makes the spare thread here. */
static void first_to_block(void *unused)
{
    struct state before;

    (void)unused;
    let_in(SIG_UNBLOCK, SIGUSR2);
    read_state(&before);
    ws_blocking_begin();
    check(!change(&before));
    ws_blocking_end();
}

/* Catches: a task's thread that after ws_blocking_begin() has the mask with which a spare thread is made. */
START_TEST(a_worker_that_makes_a_thread_keeps_its_mask)
{
    ws_group group = WS_GROUP_INIT;

    start(1);
    ck_assert_int_eq(ws_group_submit(&group, first_to_block, NULL), 0);
    finish_with(&group);
}
END_TEST

static void keeps_the_worker(void *unused)
{
    (void)unused;
    raise_flag(&has_begun);
    wait_for(&may_end);
}

/* Catches: the same of a thread that submits a task while all workers are busy: it makes the preempting thread. */
START_TEST(a_submitter_that_makes_a_thread_keeps_its_mask)
{
    ws_group group = WS_GROUP_INIT;
    struct state before;

    start(1);
    choose_state(false, &before);
    ck_assert_int_eq(ws_group_submit(&group, keeps_the_worker, NULL), 0);
    wait_for(&has_begun);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(ws_group_submit(&group, nothing, NULL), 0);
        ck_assert_ptr_null(change(&before));
    }
    raise_flag(&may_end);
    finish_with(&group);
}
END_TEST

/* Returns ENOMEM and EINVAL errors as they come, with the cancellation as it was. */
static int is_refused(long unused)
{
    struct state before;
    long r;

    (void)unused;
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 30, (rlim_t)1 << 30});
    setenv("WSFJ_STACK_SIZE", "1G", 1);
    read_state(&before);
    check(ws_run(fib, &r, 10L) == ENOMEM);
    check(!change(&before));
    check(ws_submit(nothing, NULL) == ENOMEM);
    check(!change(&before));
    check(ws_phase_begin() == ENOMEM);
    check(!change(&before));
    check(ws_num_slots() == 1 && ws_fini() == 0 && ws_num_workers() == 0);
    return (int)get(&wrong);
}

/* Catches: a thread that cannot be cancelled any more after a start that failed; a failed start that counts as a use. */
START_TEST(a_refused_call_leaves_its_thread_as_it_was)
{
    struct outcome o = in_child(is_refused, 0);

    expect_exit(&o, 0);
    ck_assert_int_ge(o.lines, 3);
    ck_assert_int_eq(strncmp(o.text, "libwsfj: WSFJ_STACK_SIZE=1048576K: there is not even one task stack: ", 69), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("restored");

    if (folder_begin("restored") != 0)
        return EXIT_FAILURE;
    tcase_add_loop_test(tcase, a_call_leaves_its_thread_as_it_was, 0, 2 * SETTINGS);
    tcase_add_test(tcase, a_worker_that_makes_a_thread_keeps_its_mask);
    tcase_add_test(tcase, a_submitter_that_makes_a_thread_keeps_its_mask);
    ADD_TEST_UNLESS(SANITIZED ? "sanitizers need much address space" : emulated(NO_LIMITS), tcase,
                    a_refused_call_leaves_its_thread_as_it_was);

    int status = run_case("restored", tcase);

    folder_end();
    return status;
}
