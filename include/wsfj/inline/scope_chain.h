/* SPDX-License-Identifier: MIT */
/*
 * The open scopes of a thread in a serial, raced or profiled program, from the innermost one outwards. The first two have the
 * variable in each of its files, and the linker makes one of them; a profiled program has the library's.
 */
#ifndef WSFJ_SCOPE_CHAIN_H
#define WSFJ_SCOPE_CHAIN_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include <stddef.h>

struct ws_scope;

#ifdef __cplusplus
extern "C" {
#endif
#if defined WSFJ_SERIAL || defined WSFJ_RACE
__attribute__((__weak__)) __thread struct ws_scope *wsfj_scope_chain;

/** A detached task runs where it is submitted, but is no member of the scopes there. */
static inline void wsfj_call_detached(void (*wsfj_fn)(void *), void *wsfj_arg)
{
    struct ws_scope *wsfj_chain = wsfj_scope_chain;

    wsfj_scope_chain = NULL;
    wsfj_fn(wsfj_arg);
    wsfj_scope_chain = wsfj_chain;
}
#else
extern __attribute__((__tls_model__("initial-exec"))) __thread struct ws_scope *wsfj_scope_chain;
#endif
#ifdef __cplusplus
}
#endif

#endif
