/* SPDX-License-Identifier: MIT */
/**
 * @file scope.h Cancellation of spawn trees: a search that has found what it looks for, a computation after an error.
 *
 * @code
 * WS_TASK_VOID(search, const struct node *, n, int, key, ws_scope *, s)
 * {
 *     if (!n || ws_scope_cancelled(s))
 *         return;
 *     if (n->key == key)
 *         ws_scope_cancel(s, 1);
 *     ws_spawn(search, n->left, key, s);
 *     ws_call(search, n->right, key, s);
 * }
 *
 * WS_TASK(int, contains, const struct node *, tree, int, key)
 * {
 *     ws_scope s;
 *
 *     ws_scope_begin(&s);
 *     ws_spawn(search, tree, key, &s);
 *     return ws_scope_end(&s);
 * }
 * @endcode
 *
 * A scope is open from ws_scope_begin() to ws_scope_end(). The children that the task (or the block with ws_frame())
 * spawns meanwhile are its members, and so are their children. When the scope is cancelled, a member that no worker has
 * begun is dropped where a thief would begin it: it does not run, and its result is all zero bits. A member that runs
 * goes on, and a child that its parent takes back at the sync runs: long tasks ask ws_scope_cancelled(). Loops end
 * early, and the value of a reduction is its identity (reduce.h).
 *
 * Members are also what ws_call() and ws_run() call in the scope. No members: tasks from ws_submit() and
 * ws_group_submit(), and children of ws::task_scope (wsfj.hpp), which always run; what those spawn in turn are members
 * in the second case. A group (submit.h) is cancelled by itself, with ws_group_cancel().
 *
 * Scopes nest: a member of the inner scope is one of the outer scope, too. A scope costs a program nothing where it is
 * not used. Each steal below an open scope looks at the scopes that the task is a member of.
 */
#ifndef WSFJ_SCOPE_H
#define WSFJ_SCOPE_H

#include "inline/scopes.h"
#include "outside.h"
#include "submit.h"

#ifdef __cplusplus
extern "C" {
#endif

#if !(defined WSFJ_SERIAL || defined WSFJ_RACE)
/** Ends the waits of members, or lets them look at a new deadline. */
void wsfj_scope_wake(ws_scope *wsfj_scope);
/** From now on some group may be cancelled. */
void wsfj_group_watch(void);

/**
 * Whether the calling task is cancelled: as a member of a scope, or of a group.
 *
 * @return the code of the innermost cancelled scope that the caller is a member of, else that of its group; 0: none, or the
 *         caller is no task
 */
int ws_cancelled(void);
#else
#define wsfj_scope_wake(scope) ((void)(scope)) /* nobody waits */
#define wsfj_group_watch() ((void)0)
static inline int ws_cancelled(void)
{
    return wsfj_scope_code(wsfj_scope_chain);
}
#endif

/**
 * Cancels a scope. Any thread may call it, in a member or not, from ws_scope_begin() on; the scope's memory must still
 * exist. What the caller wrote before is visible to the task that sees the cancellation. Members that wait (wait.h, outside.h)
 * go on with ECANCELED; those that wait for a group or for a mutex without a deadline wait on.
 *
 * @param wsfj_scope the scope
 * @param wsfj_code what ws_scope_end() shall return, such as an errno; 0 cancels nothing, so that the result of a
 *                  function can be passed as it is
 * @return 1 if this call has cancelled it; 0 if it was cancelled before (the first code stays), or the code is 0
 */
static inline int ws_scope_cancel(ws_scope *wsfj_scope, int wsfj_code)
{
    int wsfj_none = 0;

    /* SCOPE-3: stores the code, then looks for waiters; both sequentially consistent. */
    if (!wsfj_code || !__atomic_compare_exchange_n(&wsfj_scope->wsfj_code, &wsfj_none, wsfj_code, 0, __ATOMIC_SEQ_CST,
                                                   __ATOMIC_RELAXED))
        return 0;
    if (__atomic_load_n(&wsfj_scope->wsfj_waited, __ATOMIC_SEQ_CST))
        wsfj_scope_wake(wsfj_scope);
    return 1;
}

/**
 * Cancels a scope with ETIMEDOUT at a time, unless it is cancelled or has ended before. Members that wait go on at that time;
 * others see it when they ask, and thieves when they would begin a member. Any thread may call it from ws_scope_begin() on,
 * also to move a deadline that has not passed yet.
 *
 * @param wsfj_scope the scope
 * @param wsfj_at an absolute time in nanoseconds of CLOCK_MONOTONIC (ws_now()); #WS_FOREVER: no deadline
 */
static inline void ws_scope_deadline(ws_scope *wsfj_scope, uint64_t wsfj_at)
{
    /* SCOPE-4: stores the deadline, then looks for waiters; both sequentially consistent. */
    __atomic_store_n(&wsfj_scope->wsfj_until, wsfj_at == WS_FOREVER ? 0 : wsfj_at ? wsfj_at : 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&wsfj_scope->wsfj_waited, __ATOMIC_SEQ_CST))
        wsfj_scope_wake(wsfj_scope);
}

/**
 * Cancels a group: its tasks that have not begun are dropped, also those that are submitted later, and so are their arguments;
 * waits of those that have begun end with ECANCELED, as in a scope, which their children are members of. ws_group_wait() still
 * waits until all have ended, and returns the code. The group stays cancelled until ws_group_init(). Any thread may call it,
 * also a task of the group.
 *
 * @param wsfj_group the group
 * @param wsfj_code what ws_group_wait() shall return, such as an errno other than EDEADLK; 0 cancels nothing
 * @return 1 if this call has cancelled it; 0 if it was cancelled before (the first code stays), or the code is 0
 */
static inline int ws_group_cancel(ws_group *wsfj_group, int wsfj_code)
{
    int wsfj_first = ws_scope_cancel(&wsfj_group->wsfj_scope, wsfj_code);

    wsfj_group_watch();
    return wsfj_first;
}

/** Cancels a group with ETIMEDOUT at a time: as ws_group_cancel() and ws_scope_deadline(). */
static inline void ws_group_deadline(ws_group *wsfj_group, uint64_t wsfj_at)
{
    ws_scope_deadline(&wsfj_group->wsfj_scope, wsfj_at);
    wsfj_group_watch();
}

/**
 * Whether a scope is cancelled, or an open scope around it. Any thread may call it, from ws_scope_begin() on.
 *
 * @return the code of the scope; if that is 0, the code of the innermost cancelled scope around it; 0: not cancelled
 */
static inline int ws_scope_cancelled(const ws_scope *wsfj_scope)
{
    return wsfj_scope_code(wsfj_scope);
}

#ifdef __cplusplus
}
#endif

/**
 * ws_scope_begin(&s); in a task or after ws_frame(): opens the scope `s`, whatever it held before. A statement of its
 * own. It waits for the children that the task (or block) has spawned before: they are no members. To keep them
 * running, begin the scope in a block with a ws_frame() of its own.
 *
 * A scope that the program leaves without ws_scope_end(), by return, goto or break, ends with the block of
 * ws_scope_begin(): the members are awaited and their results dropped. With -DWSFJ_DEBUG a line on stderr says so.
 */
#define ws_scope_begin(scope) WSFJ_SCOPE_AS(__COUNTER__, scope)
#define WSFJ_SCOPE_AS(n, scope) WSFJ_SCOPE_BY(n, scope)
#define WSFJ_SCOPE_BY(n, scope)                                                                                        \
    WSFJ_SCOPE_CHECK("ws_scope_begin()");                                                                              \
    const struct wsfj_scope_guard wsfj_scope_##n __attribute__((__cleanup__(wsfj_scope_leave), __unused__)) =          \
        wsfj_scope_enter(WSFJ_SCOPE_FRAME, scope)

/**
 * ws_scope_end(&s) waits for the members as ws_sync() does, and ends the scope; scopes that were begun later and have not
 * ended end with it. To be called where ws_sync() would wait for the members: a call elsewhere, such as in a child, ends
 * nothing, and a line on stderr says so.
 *
 * Its value is that of ws_scope_cancelled(&s), which stays the same from then on. 0: no member was dropped, and all
 * results are valid.
 */
#define ws_scope_end(scope)                                                                                            \
    __extension__({                                                                                                    \
        WSFJ_SCOPE_CHECK("ws_scope_end()");                                                                            \
        wsfj_scope_exit(WSFJ_SCOPE_FRAME, scope);                                                                      \
    })

#endif
