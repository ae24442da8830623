/* SPDX-License-Identifier: MIT */
/* The library's handlers: which signals they take and give back, and what they leave as it was. Modules:
 * lib/signals/trace_on_crash.c, frame_request.c. Neighbours: sigchain.c; user/trace.c, user/dump_signal.c, what they do. */
#include "signals/frame_request.h"
#include "signals/trace_on_crash.h"

#include "../support/process.h"

#include <errno.h>

static int calls, told, seen_errno;

/* Of the program, under the library's. */
static void program(int signal)
{
    told += signal;
    seen_errno = errno;
}

static void flush(bool is_signal)
{
    calls += is_signal;
    errno = EXDEV;
}

static void dump(void)
{
    calls++;
    errno = EXDEV;
}

static bool runs(const struct wsfj_stack *stack)
{
    return stack != NULL;
}

static struct sigaction action_of(int signal)
{
    struct sigaction now;

    ck_assert_int_eq(sigaction(signal, NULL, &now), 0);
    return now;
}

static void handle(int signal)
{
    ck_assert_int_eq(sigaction(signal, &(struct sigaction){.sa_handler = program}, NULL), 0);
}

static const int fatal[] = {SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGABRT, SIGTRAP, SIGSYS,  SIGTERM, SIGINT,
                            SIGHUP,  SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2};
#define FATAL ((int)(sizeof fatal / sizeof *fatal))

/* Catches: a signal that ends the process without the trace, or whose handler stays when the trace is written. */
START_TEST(all_that_end_a_process_are_taken_and_given_back)
{
    struct sigaction before, now;

    signal(fatal[_i], SIG_DFL);
    before = action_of(fatal[_i]);
    wsfj_trace_on_crash_start(flush);
    now = action_of(fatal[_i]);
    ck_assert((now.sa_flags & SA_SIGINFO) && now.sa_handler != before.sa_handler);
    wsfj_trace_on_crash_stop();
    now = action_of(fatal[_i]);
    ck_assert(now.sa_handler == before.sa_handler);
    ck_assert_int_eq(now.sa_flags & SA_SIGINFO, before.sa_flags & SA_SIGINFO);
}
END_TEST

/* Catches: the program's handler, or the code that it has interrupted, with an errno of the trace's. */
START_TEST(a_trace_at_a_crash_keeps_errno)
{
    handle(SIGFPE);
    wsfj_trace_on_crash_start(flush);
    errno = EDOM;
    raise(SIGFPE);
    ck_assert_int_eq(errno, EDOM);
    ck_assert_int_eq(seen_errno, EDOM);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(told, SIGFPE);
    wsfj_trace_on_crash_stop();
    ck_assert(action_of(SIGFPE).sa_handler == program);
}
END_TEST

/* Catches: an interrupted system call that fails with an errno of the dump's. */
START_TEST(a_request_for_a_dump_keeps_errno)
{
    handle(SIGUSR2);
    wsfj_frame_request_start(SIGUSR2, &(struct wsfj_frame_request_calls){.dump = dump, .runs = runs});
    errno = EDOM;
    raise(SIGUSR2);
    ck_assert_int_eq(errno, EDOM);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(told, SIGUSR2);
    wsfj_frame_request_stop();
    ck_assert(action_of(SIGUSR2).sa_handler == program);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("handlers");

    tcase_add_loop_test(tcase, all_that_end_a_process_are_taken_and_given_back, 0, FATAL);
    tcase_add_test(tcase, a_trace_at_a_crash_keeps_errno);
    tcase_add_test(tcase, a_request_for_a_dump_keeps_errno);
    return run_case("handlers", tcase);
}
