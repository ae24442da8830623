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

#include <stddef.h>

struct ws_scope;

#ifdef __cplusplus
extern "C" {
#endif
#ifdef WSFJ_SERIAL
__attribute__((__weak__)) __thread struct ws_scope *wsfj_scope_chain;
#else
extern __attribute__((__tls_model__("initial-exec"))) __thread struct ws_scope *wsfj_scope_chain;
#endif

#if defined WSFJ_SERIAL || defined WSFJ_RACE
/** A detached task runs where it is submitted, but is no member of the scopes there. */
static inline void wsfj_call_detached(void (*wsfj_fn)(void *), void *wsfj_arg)
{
    struct ws_scope *wsfj_chain = wsfj_scope_chain;

    wsfj_scope_chain = NULL;
    wsfj_fn(wsfj_arg);
    wsfj_scope_chain = wsfj_chain;
}
#endif
#ifdef __cplusplus
}
#endif

#endif
