/* SPDX-License-Identifier: MIT */
#include "signals/sigchain.h"

#include "base/base.h"

#include <ucontext.h>

/* A fault comes again by itself when its instruction is repeated; what somebody has sent does not. */
static bool comes_again(int signal, const siginfo_t *info)
{
    return info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE);
}

/* What the kernel does before it calls a handler: it may be for one signal only, or leave by longjmp(). */
static void prepare(const struct sigaction *before, int signal, const ucontext_t *interrupted)
{
    sigset_t it;

    pthread_sigmask(SIG_BLOCK, &before->sa_mask, NULL);
    if ((unsigned)before->sa_flags & SA_RESETHAND)
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (!(before->sa_flags & SA_NODEFER) || sigismember(&interrupted->uc_sigmask, signal) ||
        sigismember(&before->sa_mask, signal))
        return;
    sigemptyset(&it);
    sigaddset(&it, signal);
    pthread_sigmask(SIG_UNBLOCK, &it, NULL);
}

static bool is_function(const struct sigaction *before)
{
    return before->sa_flags & SA_SIGINFO || (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN);
}

void wsfj_sigchain_call(const struct sigaction *before, int signal, siginfo_t *info, void *context)
{
    if (!is_function(before))
        return;
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(signal, info, context);
    else
        before->sa_handler(signal);
}

void wsfj_sigchain(const struct sigaction *before, int signal, siginfo_t *info, void *context)
{
    bool again = comes_again(signal, info);

    if (is_function(before)) {
        prepare(before, signal, context);
        wsfj_sigchain_call(before, signal, info, context);
    } else if (before->sa_handler == SIG_DFL || again) {
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        if (!again)
            raise(signal); /* pending until the handler returns */
    }
}

bool wsfj_sigchain_ends_in(void (*handler)(int, siginfo_t *, void *), int signal)
{
    struct sigaction now;

    return sigaction(signal, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler;
}
