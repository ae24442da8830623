/* SPDX-License-Identifier: MIT */
/*
 * The functions of wait.h in a program without the runtime: what need not wait works. Only a later task could end a wait, so
 * one is refused. For wsfj-race (race.h) a mutex is a lock, and what is set, posted or sent orders as an atomic does;
 * the objects' own memory is not looked at.
 */
#ifndef WSFJ_SERIAL_WAIT_H
#define WSFJ_SERIAL_WAIT_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "../outside.h"
#include "../race.h"
#include "../submit.h"
#include "compiler.h"

#include <errno.h>
#include <string.h>

/* dprintf(), without the words of stdio.h. */
int wsfj_libc_dprintf(int wsfj_fd, const char *wsfj_format, ...) __asm__("dprintf");

#ifdef WSFJ_RACE
#include "race_hooks.h"
#else
/* By a schedule of wsfj-race another task may run at each access, but not between these two (tools/race/objects.c). */
static inline void wsfj_race_stay(int wsfj_begins)
{
    (void)wsfj_begins;
}
/* Something has changed for which a task may wait. */
static inline void wsfj_race_awake(void)
{
}
/* A call would have to wait. 0: it tests again. A loop over one call gets one line. */
static inline int wsfj_race_await(const char *wsfj_call, int wsfj_is_timed)
{
    static const char *wsfj_said;

    if (wsfj_is_timed)
        return ETIMEDOUT;
    if (__atomic_exchange_n(&wsfj_said, wsfj_call, __ATOMIC_RELAXED) != wsfj_call)
        wsfj_libc_dprintf(2, "libwsfj: %s() in a serial program waits for what only a later task could do: EDEADLK\n",
                          wsfj_call);
    return EDEADLK;
}
#endif

/* The same, until the deadline, or a cancellation. */
WSFJ_INLINE int wsfj_serial_wait(const char *wsfj_call, uint64_t wsfj_until)
{
    uint64_t wsfj_end = wsfj_scopes_until(wsfj_until);
    int wsfj_error;

    if (wsfj_scope_code(wsfj_scope_chain))
        return ECANCELED;
    if (wsfj_until != WS_FOREVER && ws_now() >= wsfj_until)
        return ETIMEDOUT;
    wsfj_error = wsfj_race_await(wsfj_call, wsfj_end != WS_FOREVER);
    if (wsfj_error == ETIMEDOUT && wsfj_end < wsfj_until)
        (void)ws_sleep_until(wsfj_end);
    return wsfj_error == ETIMEDOUT && wsfj_scope_code(wsfj_scope_chain) ? ECANCELED : wsfj_error;
}

WSFJ_INLINE int ws_wait_on(const uint32_t *wsfj_word, uint32_t wsfj_expected, uint64_t wsfj_until)
{
    return __atomic_load_n(wsfj_word, __ATOMIC_ACQUIRE) != wsfj_expected ? 0
                                                                         : wsfj_serial_wait("ws_wait_on", wsfj_until);
}
static inline void ws_wake(const uint32_t *wsfj_word, size_t wsfj_most)
{
    (void)wsfj_word;
    (void)wsfj_most;
    wsfj_race_awake();
}

static inline int ws_event_is_set(const ws_event *wsfj_event)
{
    return __atomic_load_n(&wsfj_event->wsfj_state, __ATOMIC_ACQUIRE) != 0;
}
static inline void ws_event_set(ws_event *wsfj_event)
{
    __atomic_store_n(&wsfj_event->wsfj_state, 1u, __ATOMIC_RELEASE);
    wsfj_race_awake();
}
static inline void ws_event_reset(ws_event *wsfj_event)
{
    __atomic_store_n(&wsfj_event->wsfj_state, 0u, __ATOMIC_RELAXED);
}
WSFJ_INLINE int wsfj_serial_await(const ws_event *wsfj_event, const char *wsfj_call, uint64_t wsfj_until)
{
    int wsfj_error = 0;

    while (!wsfj_error && !ws_event_is_set(wsfj_event))
        wsfj_error = wsfj_serial_wait(wsfj_call, wsfj_until);
    return wsfj_error;
}
WSFJ_INLINE int ws_event_wait_until(ws_event *wsfj_event, uint64_t wsfj_until)
{
    return wsfj_serial_await(wsfj_event, "ws_event_wait", wsfj_until);
}
WSFJ_INLINE int ws_event_wait_named(ws_event *wsfj_event, const char *wsfj_what, uint64_t wsfj_until)
{
    (void)wsfj_what;
    return ws_event_wait_until(wsfj_event, wsfj_until);
}
WSFJ_INLINE int ws_event_wait(ws_event *wsfj_event)
{
    return ws_event_wait_until(wsfj_event, WS_FOREVER);
}

static inline int ws_future_set(ws_future *wsfj_future, uint64_t wsfj_value, int wsfj_error)
{
    if (__atomic_exchange_n(&wsfj_future->wsfj_is_taken, 1u, __ATOMIC_ACQ_REL))
        return EALREADY;
    wsfj_future->wsfj_value = wsfj_value;
    wsfj_future->wsfj_error = wsfj_error;
    ws_event_set(&wsfj_future->wsfj_is_set);
    return 0;
}
static inline int ws_future_is_set(const ws_future *wsfj_future)
{
    return ws_event_is_set(&wsfj_future->wsfj_is_set);
}
WSFJ_INLINE int ws_future_get(ws_future *wsfj_future, uint64_t *wsfj_value, uint64_t wsfj_until)
{
    int wsfj_error = wsfj_serial_await(&wsfj_future->wsfj_is_set, "ws_future_get", wsfj_until);

    if (wsfj_error)
        return wsfj_error;
    if (wsfj_value)
        *wsfj_value = wsfj_future->wsfj_value;
    return wsfj_future->wsfj_error;
}

/* The state of a mutex, and what it is set to. For wsfj-race all that happens here is ordered by the lock alone. */
static inline uint64_t wsfj_serial_lock(ws_mutex *wsfj_mutex, uint64_t wsfj_state)
{
    uint64_t wsfj_before;

    wsfj_race_ignore_begin();
    wsfj_race_stay(1);
    wsfj_before = wsfj_mutex->wsfj_state;
    wsfj_mutex->wsfj_state = wsfj_state;
    wsfj_race_stay(0);
    wsfj_race_ignore_end();
    return wsfj_before;
}
static inline int ws_mutex_trylock(ws_mutex *wsfj_mutex)
{
    if (wsfj_serial_lock(wsfj_mutex, 1))
        return EBUSY;
    wsfj_race_lock(wsfj_mutex);
    return 0;
}
WSFJ_INLINE int ws_mutex_lock_until(ws_mutex *wsfj_mutex, uint64_t wsfj_until)
{
    int wsfj_error = 0;

    while (!wsfj_error && ws_mutex_trylock(wsfj_mutex) != 0)
        wsfj_error = wsfj_until == WS_FOREVER ? wsfj_race_await("ws_mutex_lock", 0) /* it is not cancelled */
                                              : wsfj_serial_wait("ws_mutex_lock", wsfj_until);
    return wsfj_error;
}
WSFJ_INLINE int ws_mutex_lock(ws_mutex *wsfj_mutex)
{
    return ws_mutex_lock_until(wsfj_mutex, WS_FOREVER);
}
static inline int ws_mutex_unlock(ws_mutex *wsfj_mutex)
{
    if (!wsfj_serial_lock(wsfj_mutex, 0)) {
        wsfj_libc_dprintf(2, "libwsfj: ws_mutex_unlock(): the mutex at %p is not locked\n", (void *)wsfj_mutex);
        return EPERM;
    }
    wsfj_race_unlock(wsfj_mutex);
    wsfj_race_awake();
    return 0;
}

static inline void ws_semaphore_init(ws_semaphore *wsfj_semaphore, uint64_t wsfj_units)
{
    __atomic_store_n(&wsfj_semaphore->wsfj_units, wsfj_units, __ATOMIC_RELAXED);
}
static inline int ws_semaphore_try_wait(ws_semaphore *wsfj_semaphore)
{
    int wsfj_is_free;

    wsfj_race_stay(1);
    wsfj_is_free = __atomic_load_n(&wsfj_semaphore->wsfj_units, __ATOMIC_ACQUIRE) != 0;
    if (wsfj_is_free)
        (void)__atomic_fetch_sub(&wsfj_semaphore->wsfj_units, 1u, __ATOMIC_ACQ_REL);
    wsfj_race_stay(0);
    return wsfj_is_free ? 0 : EAGAIN;
}
WSFJ_INLINE int ws_semaphore_wait_until(ws_semaphore *wsfj_semaphore, uint64_t wsfj_until)
{
    int wsfj_error = 0;

    while (!wsfj_error && ws_semaphore_try_wait(wsfj_semaphore) != 0)
        wsfj_error = wsfj_serial_wait("ws_semaphore_wait", wsfj_until);
    return wsfj_error;
}
WSFJ_INLINE int ws_semaphore_wait(ws_semaphore *wsfj_semaphore)
{
    return ws_semaphore_wait_until(wsfj_semaphore, WS_FOREVER);
}
static inline void ws_semaphore_post(ws_semaphore *wsfj_semaphore, uint64_t wsfj_n)
{
    (void)__atomic_fetch_add(&wsfj_semaphore->wsfj_units, wsfj_n, __ATOMIC_ACQ_REL);
    wsfj_race_awake();
}

#include "serial_channel.h"

#endif
