/* SPDX-License-Identifier: MIT */
#include "signals/sigchain.h"

#include "base/base.h"

#include <ucontext.h>

static bool is_function(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static bool is_default(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

bool wsfj_sigchain_is_on_top(const struct wsfj_sigchain *link)
{
    struct sigaction now;

    return sigaction(link->signal, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == link->handler;
}

void wsfj_sigchain_install(struct wsfj_sigchain *link)
{
    struct sigaction ours = {.sa_sigaction = link->handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | link->flags}, now;

    /* After a removal, the program may have put the library's handler back. */
    link->installed = link->installed || wsfj_sigchain_is_on_top(link);
    if (link->installed || sigaction(link->signal, NULL, &now) != 0 || (link->only_default && !is_default(&now)))
        return;
    link->before = now;
    sigemptyset(&ours.sa_mask);
    link->installed = sigaction(link->signal, &ours, NULL) == 0;
}

void wsfj_sigchain_remove(struct wsfj_sigchain *link, bool discard_pending)
{
    if (!link->installed || !wsfj_sigchain_is_on_top(link))
        return;
    if (discard_pending)
        sigaction(link->signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL); /* POSIX: this discards it */
    link->installed = sigaction(link->signal, &link->before, NULL) != 0;
}

/* A fault happens again when its instruction is repeated. A signal that a process sent does not come again. */
static bool comes_again(int signal, const siginfo_t *info)
{
    return info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE);
}

/* What the kernel does before it calls a handler: the handler may leave by longjmp(). */
static void prepare(const struct sigaction *before, int signal, const ucontext_t *interrupted)
{
    sigset_t set;

    pthread_sigmask(SIG_BLOCK, &before->sa_mask, NULL);
    if ((unsigned)before->sa_flags & SA_RESETHAND)
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (!(before->sa_flags & SA_NODEFER) || sigismember(&interrupted->uc_sigmask, signal) ||
        sigismember(&before->sa_mask, signal))
        return;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void wsfj_sigchain_call(const struct wsfj_sigchain *link, siginfo_t *info, void *context)
{
    const struct sigaction *before = &link->before;

    if (!is_function(before))
        return;
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(link->signal, info, context);
    else
        before->sa_handler(link->signal);
}

void wsfj_sigchain_pass_on(const struct wsfj_sigchain *link, siginfo_t *info, void *context)
{
    int signal = link->signal;
    bool again = comes_again(signal, info);

    if (is_function(&link->before)) {
        prepare(&link->before, signal, context);
        wsfj_sigchain_call(link, info, context);
    } else if (is_default(&link->before) || again) {
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        if (!again)
            raise(signal); /* pending until the handler returns */
    }
}
