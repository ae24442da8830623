/* SPDX-License-Identifier: MIT */
/*
 * The open scopes of a thread in a serial, raced or profiled program, from the innermost one outwards. A serial one has
 * the variable in each of its files, and the linker makes one of them; the others have the library's.
 */
#ifndef WSFJ_SCOPE_CHAIN_H
#define WSFJ_SCOPE_CHAIN_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "scope_data.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef WSFJ_SERIAL
__attribute__((__weak__)) __thread struct ws_scope *wsfj_scope_chain;
#else
extern __attribute__((__tls_model__("initial-exec"))) __thread struct ws_scope *wsfj_scope_chain;
#endif

#if defined WSFJ_SERIAL || defined WSFJ_RACE
/* What the C++ runtime keeps of a thread's exceptions (lib/arch/exceptions.h). NULL: a C program. */
struct wsfj_exception_state {
    void *wsfj_caught, *wsfj_uncaught;
};
static struct wsfj_exception_state *wsfj_exception_here(void) __attribute__((__weakref__("__cxa_get_globals")));

/** A detached task runs where it is submitted, but is no member of the scopes there, and sees no exception of there. Its group
 *  may be cancelled. @param wsfj_scope of its group, or NULL */
static inline void wsfj_call_detached(struct ws_scope *wsfj_scope, void (*wsfj_fn)(void *), void *wsfj_arg)
{
    struct wsfj_exception_state wsfj_submitter = {NULL, NULL};
    struct ws_scope *wsfj_chain = wsfj_scope_chain;

    if (wsfj_scope && !wsfj_scope->wsfj_keeps && wsfj_scope_code(wsfj_scope))
        return;
    if (wsfj_exception_here) {
        wsfj_submitter = *wsfj_exception_here();
        wsfj_exception_here()->wsfj_caught = wsfj_exception_here()->wsfj_uncaught = NULL;
    }
    wsfj_scope_chain = wsfj_scope;
    wsfj_fn(wsfj_arg);
    wsfj_scope_chain = wsfj_chain;
    if (wsfj_exception_here)
        *wsfj_exception_here() = wsfj_submitter;
}
#endif
#ifdef __cplusplus
}
#endif

#endif
