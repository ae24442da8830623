/* SPDX-License-Identifier: MIT */
#include "signals/trace_on_crash.h"

#include "base/base.h"
#include "signals/sigchain.h"

#include <errno.h>

static void handler(int signal, siginfo_t *info, void *context);

/* Faults are taken even from a handler of the program, which then comes next. */
#define FAULT(number)                                                                                                  \
    {                                                                                                                  \
        .signal = number, .handler = handler                                                                           \
    }
#define END(number)                                                                                                    \
    {                                                                                                                  \
        .signal = number, .handler = handler, .only_default = true                                                     \
    }
static struct wsfj_sigchain fatal[] = {FAULT(SIGSEGV), FAULT(SIGBUS), FAULT(SIGILL), FAULT(SIGFPE), FAULT(SIGABRT),
                                       FAULT(SIGTRAP), FAULT(SIGSYS), END(SIGTERM),  END(SIGINT),   END(SIGHUP),
                                       END(SIGQUIT),   END(SIGPIPE),  END(SIGALRM),  END(SIGXCPU),  END(SIGXFSZ),
                                       END(SIGUSR1),   END(SIGUSR2)};
#define COUNT ((int)(sizeof fatal / sizeof *fatal))

static void (*flush)(bool is_signal);

static void handler(int signal, siginfo_t *info, void *context)
{
    int error = errno;

    flush(true);
    errno = error; /* the next handler may let the program continue */
    for (int i = 0; i < COUNT; i++) {
        if (fatal[i].signal == signal)
            wsfj_sigchain_pass_on(&fatal[i], info, context);
    }
}

void wsfj_trace_on_crash_start(void (*write)(bool is_signal))
{
    flush = write; /* before a handler can be called */
    for (int i = 0; i < COUNT; i++)
        wsfj_sigchain_install(&fatal[i]);
}

void wsfj_trace_on_crash_stop(void)
{
    for (int i = COUNT; i-- > 0;)
        wsfj_sigchain_remove(&fatal[i], false);
}
