/* SPDX-License-Identifier: MIT */
/* What a handler of ours does with a signal in the end: the handler that was there before gets it. */
#ifndef WSFJ_SIGNALS_SIGCHAIN_H
#define WSFJ_SIGNALS_SIGCHAIN_H

#include <signal.h>
#include <stdbool.h>

/* Calls the handler that was there before, as the kernel would: with the mask it wants, and once only if it asked for that. If
 * that was the default, it takes effect when the handler that calls this returns: the fault happens again, and another signal
 * is sent again. */
void wsfj_sigchain(const struct sigaction *before, int signal, siginfo_t *info, void *context);

/* Calls the handler that was there before, if it is one, and leaves the default away: for signals that end nothing. */
void wsfj_sigchain_call(const struct sigaction *before, int signal, siginfo_t *info, void *context);

/* Whether the signal is this handler's now: nobody has come after it, or somebody has put it back. */
bool wsfj_sigchain_ends_in(void (*handler)(int, siginfo_t *, void *), int signal);

#endif
