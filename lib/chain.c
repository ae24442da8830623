/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include "base.h"

/* A fault comes again by itself when its instruction is repeated; what somebody has sent does not. */
static bool comes_again(int signal, const siginfo_t *info)
{
    return info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE);
}

void wsfj_chain(const struct sigaction *before, int signal, siginfo_t *info, void *context)
{
    bool again = comes_again(signal, info);

    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(signal, info, context);
    } else if (before->sa_handler == SIG_DFL || (before->sa_handler == SIG_IGN && again)) {
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        if (!again)
            raise(signal); /* pending until the handler returns */
    } else if (before->sa_handler != SIG_IGN) {
        before->sa_handler(signal);
    }
}
