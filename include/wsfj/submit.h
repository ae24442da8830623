/* SPDX-License-Identifier: MIT */
/**
 * @file submit.h
 * Detached tasks: work that is submitted and runs later, beside the fork/join work of regions.
 *
 * A detached task is a call fn(arg) on a stack of its own. It may spawn and sync (after ws_frame()), submit, yield and
 * wait. Each worker puts the tasks that it submits into a bounded queue, and other workers steal half of it at once.
 * Tasks that do not fit, and tasks that other threads submit, go to one global queue (after the scheduler of Go, R. Cox
 * and D. Vyukov 2012).
 */
#ifndef WSFJ_SUBMIT_H
#define WSFJ_SUBMIT_H

#ifdef WSFJ_PROFILE
#include "inline/renamed.h"
#endif

#include "inline/scope_data.h"

#include <stdint.h>

#if defined WSFJ_SERIAL || defined WSFJ_RACE
#include "inline/scope_chain.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#endif

/** A group of tasks, to wait for all of them and to cancel them. Initialise it with #WS_GROUP_INIT or ws_group_init(). */
struct ws_group {
    uint64_t wsfj_state;
    struct ws_scope wsfj_scope; /**< that its tasks are members of */
};
/** The same. */
typedef struct ws_group ws_group;

/** The initial value of a group: ws_group g = WS_GROUP_INIT; */
#define WS_GROUP_INIT WSFJ_GROUP_INIT(0)
/** The same; `keeps`: of the scope. */
#define WSFJ_GROUP_INIT(keeps)                                                                                         \
    {                                                                                                                  \
        0,                                                                                                             \
        {                                                                                                              \
            0, 0, 0, 0, keeps, NULL, NULL, NULL, NULL                                                                  \
        }                                                                                                              \
    }

/** The function of a detached task. */
typedef void ws_function(void *wsfj_arg);

#ifdef __cplusplus
extern "C" {
#endif

#ifdef WSFJ_RACE
#include "inline/race_submit.h"
#elif defined WSFJ_SERIAL

static inline int ws_submit(ws_function *wsfj_fn, void *wsfj_arg)
{
    if (!wsfj_fn)
        return EINVAL;
    wsfj_call_detached(NULL, wsfj_fn, wsfj_arg);
    return 0;
}
static inline int ws_try_submit(ws_function *wsfj_fn, void *wsfj_arg)
{
    return ws_submit(wsfj_fn, wsfj_arg);
}
static inline void ws_group_init(ws_group *wsfj_group)
{
    memset(wsfj_group, 0, sizeof *wsfj_group);
}
static inline int ws_group_submit(ws_group *wsfj_group, ws_function *wsfj_fn, void *wsfj_arg)
{
    if (!wsfj_fn)
        return EINVAL;
    wsfj_call_detached(&wsfj_group->wsfj_scope, wsfj_fn, wsfj_arg);
    return 0;
}
static inline int ws_group_try_submit(ws_group *wsfj_group, ws_function *wsfj_fn, void *wsfj_arg)
{
    return ws_group_submit(wsfj_group, wsfj_fn, wsfj_arg);
}
static inline int ws_group_wait(ws_group *wsfj_group)
{
    return wsfj_scope_code(&wsfj_group->wsfj_scope);
}
static inline void ws_yield(void)
{
}
static inline int ws_others_wait(void)
{
    return 0;
}

#else

/**
 * Submits fn(arg): some worker runs it later. Starts the runtime if necessary. May be called from any thread and inside
 * tasks. Everything before the call happens before fn. Tasks start in no particular order. No task
 * starves: if all workers run fork/join work, one of them gives way to the task at its next ws_sync() after some 2 ms
 * at most.
 *
 * If as many tasks wait as ws_config::max_pending allows, a foreign thread sleeps until there is room, and a task lets
 * its worker run others first. If the runtime has no thread, because none could be started, the call runs fn(arg).
 *
 * While tasks are pending or running, ws_fini() returns EBUSY. Tasks that are pending when the process exits do not
 * run.
 *
 * @return 0; EINVAL if fn is NULL; EAGAIN in ws_config::poll if there is no room, or while ws_fini() finds out
 *         whether it can stop the runtime; EDEADLK there, and in a destructor that runs as a thread of the runtime
 *         ends, if the runtime is being stopped; ENOMEM if the runtime cannot be started, or has no thread and no
 *         memory for the spawns of fn. On an error fn does not run. Thread-safe.
 */
int ws_submit(ws_function *wsfj_fn, void *wsfj_arg);

/** As ws_submit(), but never waits. @return also EAGAIN if there is no room. Thread-safe. */
int ws_try_submit(ws_function *wsfj_fn, void *wsfj_arg);

/** Makes `group` an empty group that is not cancelled. A group needs no clean-up, but must live until its tasks are done. */
void ws_group_init(ws_group *wsfj_group);

/** As ws_submit(), into a group. Tasks of a group may submit more into it. Thread-safe. */
int ws_group_submit(ws_group *wsfj_group, ws_function *wsfj_fn, void *wsfj_arg);

/** As ws_try_submit(), into a group. Thread-safe. */
int ws_group_try_submit(ws_group *wsfj_group, ws_function *wsfj_fn, void *wsfj_arg);

/**
 * Returns when every task of the group is done; all that they did happens before. A task that waits is suspended, and
 * its worker does other work; the task may resume on another worker, as after ws_sync(). Children spawned before stay
 * with the suspended task: sync first if other workers should run them. A foreign thread sleeps. Any number of tasks and
 * threads may wait. The group may be used again afterwards, and freed when all of them are back.
 *
 * @return 0; the code of ws_group_cancel(), or ETIMEDOUT after ws_group_deadline(): some of its tasks may not have run;
 *         EDEADLK in ws_config::poll, in a destructor that runs as a thread of the runtime ends, and in a task of this
 *         group, which would wait for itself. A child of such a task waits for ever if a thief runs it.
 */
int ws_group_wait(ws_group *wsfj_group);

/**
 * Lets others run: the calling task goes to the end of the global queue, and its worker takes other work. The task may
 * resume on any worker. Outside tasks, or without other work, yields the processor to other threads.
 */
void ws_yield(void);

/**
 * Whether something waits that the caller's worker could do instead: a task in a queue, a child that the caller has spawned,
 * or a task that can go on. For code that would rather ask for a moment than be suspended. A hint: may be stale at once.
 *
 * @return 1 or 0; 0 outside tasks, and in a blocking section. Thread-safe.
 */
int ws_others_wait(void);

#endif

#ifdef __cplusplus
}
#endif

#endif
