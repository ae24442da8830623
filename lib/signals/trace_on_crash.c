/* SPDX-License-Identifier: MIT */
#include "signals/trace_on_crash.h"

#include "base/base.h"
#include "signals/sigchain.h"

#include <errno.h>

static const struct {
    int signal;
    bool is_fault; /* else it is ours only where it would end the process */
} fatal[] = {{SIGSEGV, true}, {SIGBUS, true},   {SIGILL, true},   {SIGFPE, true},   {SIGABRT, true},  {SIGTRAP, true},
             {SIGSYS, true},  {SIGTERM, false}, {SIGINT, false},  {SIGHUP, false},  {SIGQUIT, false}, {SIGPIPE, false},
             {SIGALRM, false}, {SIGXCPU, false}, {SIGXFSZ, false}, {SIGUSR1, false}, {SIGUSR2, false}};
#define COUNT ((int)(sizeof fatal / sizeof *fatal))

static struct sigaction before[COUNT];
static bool installed[COUNT]; /* possibly underneath a handler that came later */

static void (*flush)(bool is_signal);

static void handler(int signal, siginfo_t *info, void *context)
{
    int error = errno;

    flush(true);
    errno = error; /* whoever comes next may let the program go on */
    for (int i = 0; i < COUNT; i++) {
        if (fatal[i].signal == signal)
            wsfj_sigchain(&before[i], signal, info, context);
    }
}

static bool ends_process(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

void wsfj_trace_on_crash_start(void (*write)(bool is_signal))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    flush = write; /* before a handler can be called */
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < COUNT; i++) {
        struct sigaction now;

        /* Somebody may have put it back after we had given it up: never chained to itself. */
        if (wsfj_sigchain_ends_in(handler, fatal[i].signal))
            installed[i] = true;
        if (installed[i] || sigaction(fatal[i].signal, NULL, &now) != 0 || (!fatal[i].is_fault && !ends_process(&now)))
            continue;
        before[i] = now;
        installed[i] = sigaction(fatal[i].signal, &action, NULL) == 0;
    }
}

void wsfj_trace_on_crash_stop(void)
{
    for (int i = COUNT; i-- > 0;) {
        if (installed[i] && wsfj_sigchain_ends_in(handler, fatal[i].signal))
            installed[i] = sigaction(fatal[i].signal, &before[i], NULL) != 0;
    }
}

void wsfj_trace_on_crash_forget(void)
{
    wsfj_trace_on_crash_stop();
}
