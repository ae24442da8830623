/* SPDX-License-Identifier: MIT */
/**
 * @file submit.h
 * Detached tasks: work that is submitted and runs some time later, beside the fork/join work of regions.
 *
 * A detached task is a call fn(arg) on a stack of its own. It may spawn and sync (after ws_frame()), submit, yield and
 * wait. Each worker keeps what it submits in a bounded queue that others take from by halves; what overflows, and what
 * other threads submit, goes to one global queue (after the scheduler of Go, R. Cox and D. Vyukov 2012).
 */
#ifndef WSFJ_SUBMIT_H
#define WSFJ_SUBMIT_H

#ifdef WSFJ_PROFILE
#include "inline/renamed.h"
#endif

#include <stdint.h>

#ifdef WSFJ_SERIAL
#include <errno.h>
#include <stddef.h>
#endif

/** Tasks that belong together, so that somebody can wait for all of them. #WS_GROUP_INIT or ws_group_init() first. */
struct ws_group {
    uint64_t wsfj_state;
    uintptr_t wsfj_waiter;
};
typedef struct ws_group ws_group;

/** The initial value of a group: ws_group g = WS_GROUP_INIT; */
#define WS_GROUP_INIT                                                                                                  \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }

/** What a detached task does. */
typedef void ws_function(void *arg);

#ifdef __cplusplus
extern "C" {
#endif

#ifdef WSFJ_SERIAL

static inline int ws_submit(ws_function *fn, void *arg)
{
    fn(arg);
    return 0;
}
static inline int ws_try_submit(ws_function *fn, void *arg)
{
    fn(arg);
    return 0;
}
static inline void ws_group_init(ws_group *group)
{
    group->wsfj_state = 0;
    group->wsfj_waiter = 0;
}
static inline int ws_group_submit(ws_group *group, ws_function *fn, void *arg)
{
    (void)group;
    fn(arg);
    return 0;
}
static inline int ws_group_try_submit(ws_group *group, ws_function *fn, void *arg)
{
    (void)group;
    fn(arg);
    return 0;
}
static inline int ws_group_wait(ws_group *group)
{
    (void)group;
    return 0;
}
static inline void ws_yield(void)
{
}

#else

/**
 * Has fn(arg) run by some worker, some time later; starts the runtime if need be. May be called from any thread and
 * inside tasks. Everything before the call happens before fn. Tasks start in no particular order. None starves: if all
 * workers run fork/join work, one of them gives way to the task at its next ws_sync() after some 2 ms at most.
 *
 * If as many tasks wait as ws_config::max_pending allows, a foreign thread sleeps until there is room, and a task lets
 * its worker run others first. If the runtime has no thread at all (none could be started), fn(arg) is called at once.
 *
 * While tasks are pending or running ws_fini() returns EBUSY; what is pending when the process exits does not run.
 *
 * @return 0; EINVAL if fn is NULL; the error of ws_init(). On an error fn does not run. Thread-safe.
 */
int ws_submit(ws_function *fn, void *arg);

/** As ws_submit(), but never waits. @return also EAGAIN: there is no room. Thread-safe. */
int ws_try_submit(ws_function *fn, void *arg);

/** Makes `group` an empty group. It needs no clean-up, but must live until its tasks are done. */
void ws_group_init(ws_group *group);

/** As ws_submit(), into a group. Tasks of a group may submit more into it. Thread-safe. */
int ws_group_submit(ws_group *group, ws_function *fn, void *arg);

/** As ws_try_submit(), into a group. Thread-safe. */
int ws_group_try_submit(ws_group *group, ws_function *fn, void *arg);

/**
 * Returns when every task of the group is done; all they did happens before. Inside a task the continuation is suspended
 * and the worker does other work; it may come back on another worker, as after ws_sync(). Children that were spawned
 * before stay with the suspended task: sync first if others should run them. In a foreign thread the thread sleeps.
 * The group may be used again afterwards.
 *
 * @return 0; EBUSY if somebody else waits for this group already; EDEADLK inside ws_config::poll
 */
int ws_group_wait(ws_group *group);

/**
 * Lets others run: the calling task goes to the end of the global queue and its worker takes other work. It comes back
 * on any worker. Outside tasks, and where there is nothing else to run, it yields the processor to other threads.
 */
void ws_yield(void);

#endif

#ifdef __cplusplus
}
#endif

#endif
