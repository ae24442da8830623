/* SPDX-License-Identifier: MIT */
/*
 * Installs the library's signal handlers, removes them, and passes signals on to the handler that the program had
 * before. The program may install a handler of its own over the library's. Then the library's stays where it is, and is
 * not installed again at the next start: it would pass signals on to itself.
 */
#ifndef WSFJ_SIGNALS_SIGCHAIN_H
#define WSFJ_SIGNALS_SIGCHAIN_H

#include <signal.h>
#include <stdbool.h>

/* One handler of the library for one signal. It lies in static storage; `before` and `installed` start as zeros. */
struct wsfj_sigchain {
    void (*handler)(int signal, siginfo_t *info, void *context);
    int signal;
    int flags;         /* besides SA_SIGINFO and SA_ONSTACK */
    bool only_default; /* leave the signal alone if the program handles or ignores it */
    bool installed;    /* perhaps underneath a handler of the program */
    struct sigaction before;
};

/* Installs the handler, unless it is installed. Afterwards `before` is complete: a signal may arrive at once. */
void wsfj_sigchain_install(struct wsfj_sigchain *link);

/* Puts back what was there before, unless the program's handler lies over the library's. A signal that is pending then
 * is discarded first if `discard_pending` says so. */
void wsfj_sigchain_remove(struct wsfj_sigchain *link, bool discard_pending);

/* Whether the kernel calls the library's handler: the program has put none over it, or has put it back. */
bool wsfj_sigchain_is_on_top(const struct wsfj_sigchain *link);

/* For the end of the library's handler. Calls the handler that was there before as the kernel would: with its mask, and
 * once only if it asked for that. A default action takes effect when the library's handler returns: a fault then
 * happens again, any other signal is sent again. */
void wsfj_sigchain_pass_on(const struct wsfj_sigchain *link, siginfo_t *info, void *context);

/* Calls the handler that was there before, if any, and nothing else: a default action does not take effect. */
void wsfj_sigchain_call(const struct wsfj_sigchain *link, siginfo_t *info, void *context);

#endif
