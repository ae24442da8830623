/* SPDX-License-Identifier: MIT */
/*
 * The structure of a scope (../scope.h), which a group (../submit.h) has, too: whether it is cancelled, and its deadline.
 *
 * Each running task has a chain of scopes that it is a member of, from the innermost one outwards. A group's scope is the last
 * one in the chains of its tasks.
 */
#ifndef WSFJ_SCOPE_DATA_H
#define WSFJ_SCOPE_DATA_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "compiler.h"
#if defined WSFJ_SERIAL || defined WSFJ_RACE
#include "clock_serial.h"

#include <errno.h>
#endif

#include <stddef.h>
#include <stdint.h>

struct wsfj_deque;
struct wsfj_descriptor;

#ifdef __cplusplus
extern "C" {
#endif

/** A scope; the same in all kinds of programs, which may be linked together. */
struct ws_scope {
    int wsfj_code;                      /**< the first that was set; 0: not cancelled. Any thread */
    uint32_t wsfj_waited;               /**< 1: a member may wait, whom a cancellation must wake. Any thread */
    uint64_t wsfj_until;                /**< it is cancelled with ETIMEDOUT from then on; 0: no deadline. Any thread */
    uint32_t wsfj_depth;                /**< how many there are in the chain from here outwards */
    uint32_t wsfj_keeps;                /**< of a group: its tasks run, and ask themselves whether they are cancelled */
    struct ws_scope *wsfj_outer;        /**< the next one that the stack has begun or was given, or NULL */
    struct ws_scope *wsfj_around;       /**< the next one that cancels its members: outer, of a border the group's */
    struct wsfj_deque *wsfj_deque;      /**< of the stack that has begun it */
    struct wsfj_descriptor *wsfj_first; /**< the tail at its begin: members on this stack are here or above */
};
/** The same. */
typedef struct ws_scope ws_scope;

/** The deadline of a scope may have passed: then cancels it. @return its code; 0: not cancelled */
#if defined WSFJ_SERIAL || defined WSFJ_RACE
static inline int wsfj_scope_expire(const ws_scope *wsfj_scope)
{
    ws_scope *wsfj_late = (ws_scope *)(uintptr_t)wsfj_scope;
    int wsfj_none = 0;

    if (ws_now() < __atomic_load_n(&wsfj_scope->wsfj_until, __ATOMIC_RELAXED))
        return 0;
    return __atomic_compare_exchange_n(&wsfj_late->wsfj_code, &wsfj_none, ETIMEDOUT, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE)
               ? ETIMEDOUT
               : wsfj_none;
}
#else
int wsfj_scope_expire(const ws_scope *wsfj_scope);
#endif

#ifdef __cplusplus
}
#endif

/** The code that cancels members of `scope` (NULL: none): its own, or that of the next cancelled one around it. */
WSFJ_INLINE int wsfj_scope_code(const ws_scope *wsfj_scope)
{
    for (; wsfj_scope; wsfj_scope = wsfj_scope->wsfj_around) {
        /* Acquire: what the thread that cancelled it wrote before. */
        int wsfj_code = __atomic_load_n(&wsfj_scope->wsfj_code, __ATOMIC_ACQUIRE);

        if (!wsfj_code && WSFJ_UNLIKELY(__atomic_load_n(&wsfj_scope->wsfj_until, __ATOMIC_RELAXED) != 0))
            wsfj_code = wsfj_scope_expire(wsfj_scope);
        if (wsfj_code)
            return wsfj_code;
    }
    return 0;
}

#endif
