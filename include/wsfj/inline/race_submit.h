/* SPDX-License-Identifier: MIT */
/* Detached tasks and groups of a program that is searched for races: a task runs where it is submitted
 * (tools/race/groups.c). */
#ifndef WSFJ_RACE_SUBMIT_H
#define WSFJ_RACE_SUBMIT_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "compiler.h"
#include "scope_chain.h"

/* As in race_hooks.h, which needs more before it. */
typedef void wsfj_race_call(struct ws_scope *wsfj_scope, void (*wsfj_fn)(void *), void *wsfj_arg);
int wsfj_race_submit(const void *wsfj_group, struct ws_scope *wsfj_scope, wsfj_race_call *wsfj_call,
                     void (*wsfj_fn)(void *), void *wsfj_arg);
int wsfj_race_wait(const void *wsfj_group);
void wsfj_race_yield(void);

WSFJ_INLINE int ws_submit(ws_function *wsfj_fn, void *wsfj_arg)
{
    return wsfj_race_submit(NULL, NULL, wsfj_call_detached, wsfj_fn, wsfj_arg);
}
WSFJ_INLINE int ws_try_submit(ws_function *wsfj_fn, void *wsfj_arg)
{
    return wsfj_race_submit(NULL, NULL, wsfj_call_detached, wsfj_fn, wsfj_arg);
}
static inline void ws_group_init(ws_group *wsfj_group)
{
    memset(wsfj_group, 0, sizeof *wsfj_group);
}
WSFJ_INLINE int ws_group_submit(ws_group *wsfj_group, ws_function *wsfj_fn, void *wsfj_arg)
{
    return wsfj_race_submit(wsfj_group, &wsfj_group->wsfj_scope, wsfj_call_detached, wsfj_fn, wsfj_arg);
}
WSFJ_INLINE int ws_group_try_submit(ws_group *wsfj_group, ws_function *wsfj_fn, void *wsfj_arg)
{
    return wsfj_race_submit(wsfj_group, &wsfj_group->wsfj_scope, wsfj_call_detached, wsfj_fn, wsfj_arg);
}
WSFJ_INLINE int ws_group_wait(ws_group *wsfj_group)
{
    int wsfj_error = wsfj_race_wait(wsfj_group);

    return wsfj_error ? wsfj_error : wsfj_scope_code(&wsfj_group->wsfj_scope);
}
WSFJ_INLINE void ws_yield(void)
{
    wsfj_race_yield();
}
WSFJ_INLINE int ws_others_wait(void)
{
    return 0;
}

#endif
