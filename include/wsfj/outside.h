/* SPDX-License-Identifier: MIT */
/**
 * @file outside.h Waiting for what comes from outside the program: a time, or a file descriptor.
 *
 * A task that waits is suspended and holds no thread: thousands may wait. It may resume on another worker, as after ws_sync().
 * Children that it has spawned before stay with it: sync first if other workers should run them. In a blocking section, and
 * outside tasks, the thread itself sleeps.
 *
 * No thread of its own looks after those who wait. A worker that has nothing to do sleeps until the next deadline or
 * descriptor; while all workers are busy, the runtime looks once a millisecond, and what has come then waits for a
 * worker like any task that yields.
 *
 * Times are absolute, in nanoseconds of CLOCK_MONOTONIC: ws_now() + 5000000 is in five milliseconds.
 */
#ifndef WSFJ_OUTSIDE_H
#define WSFJ_OUTSIDE_H

#include <stdint.h>

#if defined WSFJ_SERIAL || defined WSFJ_RACE
#include <errno.h>
#include <stddef.h>
#endif

/** A time that never comes. */
#define WS_FOREVER UINT64_MAX

#ifdef __cplusplus
extern "C" {
#endif

/** What a poll source looks for is its own; it tells by ws_submit(), an event or the like. @return in how many nanoseconds it
 *  wants to be asked again; #WS_FOREVER: not before ws_poll_add() */
typedef uint64_t ws_poll_function(void *wsfj_arg);

#if defined WSFJ_SERIAL || defined WSFJ_RACE
#include "inline/outside_serial.h"
#else

/** The time, in nanoseconds of CLOCK_MONOTONIC. Any thread may call it, and signal handlers. */
uint64_t ws_now(void);

/**
 * Returns at this time, or soon after. Thread-safe.
 *
 * @param wsfj_until an absolute time; one that has passed returns at once, #WS_FOREVER never
 * @return 0; ECANCELED if a scope or the group of the caller (scope.h) is cancelled before or meanwhile; EDEADLK in ws_config::poll,
 *         and in a destructor that runs as a thread of the runtime ends
 */
int ws_sleep_until(uint64_t wsfj_until);

/**
 * Waits until a read or write on a descriptor would not block. Call it after such a call has returned EAGAIN: it need not look
 * first. For any descriptor that epoll(7) takes: sockets, pipes, terminals, timerfd, eventfd; not for files on a disk. Two tasks
 * may wait for one descriptor at the same time, for one direction each. To close a descriptor ends no wait. Thread-safe.
 *
 * @param wsfj_fd the descriptor
 * @param wsfj_events POLLIN, POLLOUT, POLLPRI, POLLRDHUP of poll.h, or several of them: one of them suffices. An error or a hang-up
 *                    on the descriptor ends the wait, too, as in poll(2)
 * @param wsfj_until an absolute time, or #WS_FOREVER
 * @return 0; ETIMEDOUT if the time comes first; ECANCELED as above; EINVAL without events or
 *         with others; EBADF if the descriptor is not open, EPERM if epoll does not take it (one line on stderr names the first
 *         of these); EBUSY if another task waits for the same direction; ENOMEM or ENOSPC if the kernel has no room for it;
 *         EDEADLK in ws_config::poll, and in a destructor that runs as a thread of the runtime ends
 */
int ws_wait_fd(int wsfj_fd, short wsfj_events, uint64_t wsfj_until);

/**
 * Adds a poll source, or, if it is there, makes it due at once. Workers that search call fn(arg) when it is due; if all
 * sleep, one of them wakes up for it; while all are busy, the runtime calls it once a millisecond if it is due. While it is due
 * again at once, the last worker that searches does not fall asleep. One thread at a time is in it. It must not block, nor wait
 * for tasks: that returns EDEADLK. A child of a fork has none. Thread-safe; also in a source. The source is called while the
 * runtime runs (ws_init()).
 *
 * @return 0; EINVAL if fn is NULL; ENOMEM; ENOSYS in a program compiled with -DWSFJ_SERIAL or -DWSFJ_RACE
 */
int ws_poll_add(ws_poll_function *wsfj_fn, void *wsfj_arg);

/**
 * Removes a poll source. No thread is in it afterwards.
 *
 * @return 0; EINVAL if fn is NULL; ENOENT if there is no such source; EDEADLK if the caller is in it
 */
int ws_poll_remove(ws_poll_function *wsfj_fn, void *wsfj_arg);

#endif

#ifdef __cplusplus
}
#endif

#endif
