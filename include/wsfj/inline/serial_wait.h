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

/* A call would wait for ever. */
static inline int wsfj_serial_stuck(const char *wsfj_call)
{
    wsfj_libc_dprintf(2, "libwsfj: %s() in a serial program waits for what only a later task could do: EDEADLK\n",
                      wsfj_call);
    return EDEADLK;
}

/* A call would have to wait. */
static inline int wsfj_serial_refuse(const char *wsfj_call, uint64_t wsfj_until)
{
    uint64_t wsfj_end = wsfj_scopes_until(wsfj_until);

    if (wsfj_end < wsfj_until)
        (void)ws_sleep_until(wsfj_end);
    if (wsfj_scope_code(wsfj_scope_chain))
        return ECANCELED;
    return wsfj_until != WS_FOREVER ? ETIMEDOUT : wsfj_serial_stuck(wsfj_call);
}

static inline int ws_wait_on(const uint32_t *wsfj_word, uint32_t wsfj_expected, uint64_t wsfj_until)
{
    return __atomic_load_n(wsfj_word, __ATOMIC_ACQUIRE) != wsfj_expected ? 0
                                                                         : wsfj_serial_refuse("ws_wait_on", wsfj_until);
}
static inline void ws_wake(const uint32_t *wsfj_word, size_t wsfj_most)
{
    (void)wsfj_word;
    (void)wsfj_most;
}

static inline int ws_event_is_set(const ws_event *wsfj_event)
{
    return __atomic_load_n(&wsfj_event->wsfj_state, __ATOMIC_ACQUIRE) != 0;
}
static inline void ws_event_set(ws_event *wsfj_event)
{
    __atomic_store_n(&wsfj_event->wsfj_state, 1u, __ATOMIC_RELEASE);
}
static inline void ws_event_reset(ws_event *wsfj_event)
{
    __atomic_store_n(&wsfj_event->wsfj_state, 0u, __ATOMIC_RELAXED);
}
static inline int ws_event_wait_until(ws_event *wsfj_event, uint64_t wsfj_until)
{
    return ws_event_is_set(wsfj_event) ? 0 : wsfj_serial_refuse("ws_event_wait", wsfj_until);
}
static inline int ws_event_wait(ws_event *wsfj_event)
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
static inline int ws_future_get(ws_future *wsfj_future, uint64_t *wsfj_value, uint64_t wsfj_until)
{
    if (!ws_future_is_set(wsfj_future))
        return wsfj_serial_refuse("ws_future_get", wsfj_until);
    if (wsfj_value)
        *wsfj_value = wsfj_future->wsfj_value;
    return wsfj_future->wsfj_error;
}

/* The state of a mutex, and what it is set to. For wsfj-race all that happens here is ordered by the lock alone. */
static inline uint64_t wsfj_serial_lock(ws_mutex *wsfj_mutex, uint64_t wsfj_state)
{
    uint64_t wsfj_before;

    wsfj_race_ignore_begin();
    wsfj_before = wsfj_mutex->wsfj_state;
    wsfj_mutex->wsfj_state = wsfj_state;
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
static inline int ws_mutex_lock_until(ws_mutex *wsfj_mutex, uint64_t wsfj_until)
{
    if (ws_mutex_trylock(wsfj_mutex) == 0)
        return 0;
    return wsfj_until == WS_FOREVER ? wsfj_serial_stuck("ws_mutex_lock")
                                    : wsfj_serial_refuse("ws_mutex_lock", wsfj_until);
}
static inline int ws_mutex_lock(ws_mutex *wsfj_mutex)
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
    return 0;
}

static inline void ws_semaphore_init(ws_semaphore *wsfj_semaphore, uint64_t wsfj_units)
{
    __atomic_store_n(&wsfj_semaphore->wsfj_units, wsfj_units, __ATOMIC_RELAXED);
}
static inline int ws_semaphore_try_wait(ws_semaphore *wsfj_semaphore)
{
    if (!__atomic_load_n(&wsfj_semaphore->wsfj_units, __ATOMIC_ACQUIRE))
        return EAGAIN;
    (void)__atomic_fetch_sub(&wsfj_semaphore->wsfj_units, 1u, __ATOMIC_ACQ_REL);
    return 0;
}
static inline int ws_semaphore_wait_until(ws_semaphore *wsfj_semaphore, uint64_t wsfj_until)
{
    return ws_semaphore_try_wait(wsfj_semaphore) == 0 ? 0 : wsfj_serial_refuse("ws_semaphore_wait", wsfj_until);
}
static inline int ws_semaphore_wait(ws_semaphore *wsfj_semaphore)
{
    return ws_semaphore_wait_until(wsfj_semaphore, WS_FOREVER);
}
static inline void ws_semaphore_post(ws_semaphore *wsfj_semaphore, uint64_t wsfj_n)
{
    (void)__atomic_fetch_add(&wsfj_semaphore->wsfj_units, wsfj_n, __ATOMIC_ACQ_REL);
}

static inline void ws_channel_init(ws_channel *wsfj_channel, void *wsfj_items, size_t wsfj_size, size_t wsfj_capacity)
{
    wsfj_channel->wsfj_items = wsfj_items;
    wsfj_channel->wsfj_size = wsfj_size;
    wsfj_channel->wsfj_capacity = wsfj_capacity;
    wsfj_channel->wsfj_first = wsfj_channel->wsfj_count = 0;
    wsfj_channel->wsfj_closed = 0;
}
static inline char *wsfj_serial_place(const ws_channel *wsfj_channel, size_t wsfj_i)
{
    return (char *)wsfj_channel->wsfj_items +
           (wsfj_channel->wsfj_first + wsfj_i) % wsfj_channel->wsfj_capacity * wsfj_channel->wsfj_size;
}
/* The calls on one channel come in an order, as by a lock: each acquires what the one before has released. */
static inline void wsfj_serial_channel_begin(ws_channel *wsfj_channel)
{
    (void)__atomic_load_n(&wsfj_channel->wsfj_order, __ATOMIC_ACQUIRE);
    wsfj_race_ignore_begin();
}
static inline void wsfj_serial_channel_end(ws_channel *wsfj_channel)
{
    wsfj_race_ignore_end();
    (void)__atomic_fetch_add(&wsfj_channel->wsfj_order, 1u, __ATOMIC_ACQ_REL);
}
static inline int ws_channel_try_send(ws_channel *wsfj_channel, const void *wsfj_item)
{
    int wsfj_error = 0;

    wsfj_serial_channel_begin(wsfj_channel);
    if (wsfj_channel->wsfj_closed)
        wsfj_error = EPIPE;
    else if (wsfj_channel->wsfj_count == wsfj_channel->wsfj_capacity)
        wsfj_error = EAGAIN;
    else
        memcpy(wsfj_serial_place(wsfj_channel, wsfj_channel->wsfj_count++), wsfj_item, wsfj_channel->wsfj_size);
    wsfj_serial_channel_end(wsfj_channel);
    return wsfj_error;
}
static inline int ws_channel_try_receive(ws_channel *wsfj_channel, void *wsfj_item)
{
    int wsfj_error = 0;

    wsfj_serial_channel_begin(wsfj_channel);
    if (wsfj_channel->wsfj_count == 0) {
        wsfj_error = wsfj_channel->wsfj_closed ? EPIPE : EAGAIN;
    } else {
        memcpy(wsfj_item, wsfj_serial_place(wsfj_channel, 0), wsfj_channel->wsfj_size);
        wsfj_channel->wsfj_first = (wsfj_channel->wsfj_first + 1) % wsfj_channel->wsfj_capacity;
        wsfj_channel->wsfj_count--;
    }
    wsfj_serial_channel_end(wsfj_channel);
    return wsfj_error;
}
static inline int ws_channel_send_until(ws_channel *wsfj_channel, const void *wsfj_item, uint64_t wsfj_until)
{
    int wsfj_error = ws_channel_try_send(wsfj_channel, wsfj_item);

    return wsfj_error == EAGAIN ? wsfj_serial_refuse("ws_channel_send", wsfj_until) : wsfj_error;
}
static inline int ws_channel_send(ws_channel *wsfj_channel, const void *wsfj_item)
{
    return ws_channel_send_until(wsfj_channel, wsfj_item, WS_FOREVER);
}
static inline int ws_channel_receive_until(ws_channel *wsfj_channel, void *wsfj_item, uint64_t wsfj_until)
{
    int wsfj_error = ws_channel_try_receive(wsfj_channel, wsfj_item);

    return wsfj_error == EAGAIN ? wsfj_serial_refuse("ws_channel_receive", wsfj_until) : wsfj_error;
}
static inline int ws_channel_receive(ws_channel *wsfj_channel, void *wsfj_item)
{
    return ws_channel_receive_until(wsfj_channel, wsfj_item, WS_FOREVER);
}
static inline void ws_channel_close(ws_channel *wsfj_channel)
{
    wsfj_serial_channel_begin(wsfj_channel);
    wsfj_channel->wsfj_closed = 1;
    wsfj_serial_channel_end(wsfj_channel);
}

/* -1: there is no such kind. */
static inline int wsfj_serial_ready(const struct ws_thing *wsfj_thing)
{
    const ws_channel *wsfj_channel = (const ws_channel *)wsfj_thing->object;

    switch (wsfj_thing->kind) {
    case WS_THING_EVENT: return ws_event_is_set((const ws_event *)wsfj_thing->object);
    case WS_THING_FUTURE: return ws_future_is_set((const ws_future *)wsfj_thing->object);
    case WS_THING_GROUP: return 1; /* a task has ended where it was submitted */
    case WS_THING_SEMAPHORE: return ((const ws_semaphore *)wsfj_thing->object)->wsfj_units > 0;
    case WS_THING_RECEIVE: return wsfj_channel->wsfj_count > 0 || wsfj_channel->wsfj_closed;
    case WS_THING_SEND: return wsfj_channel->wsfj_count < wsfj_channel->wsfj_capacity || wsfj_channel->wsfj_closed;
    case WS_THING_DESCRIPTOR: return 0; /* see below */
    default: return -1;
    }
}
/* Only a descriptor can still become ready: waits for those among the things if nothing `any` is ready. */
static inline int wsfj_serial_wait_fds(struct ws_thing *wsfj_things, size_t wsfj_n, int wsfj_any, uint64_t wsfj_until)
{
    struct wsfj_pollfd wsfj_fds[WS_THINGS_MOST];
    unsigned wsfj_num = 0;
    int wsfj_error;

    for (size_t wsfj_i = 0; wsfj_i < wsfj_n; wsfj_i++)
        if (wsfj_things[wsfj_i].kind == WS_THING_DESCRIPTOR)
            memcpy(&wsfj_fds[wsfj_num++], wsfj_things[wsfj_i].object, sizeof *wsfj_fds);
    if (!wsfj_num)
        return wsfj_any ? 0 : wsfj_serial_refuse("ws_wait_any", wsfj_until);
    wsfj_error = wsfj_serial_poll(wsfj_fds, wsfj_num, wsfj_any ? 0 : wsfj_until);
    for (size_t wsfj_i = wsfj_n; wsfj_i-- > 0;) {
        if (wsfj_things[wsfj_i].kind == WS_THING_DESCRIPTOR) {
            memcpy(wsfj_things[wsfj_i].object, &wsfj_fds[--wsfj_num], sizeof *wsfj_fds);
            wsfj_things[wsfj_i].ready = wsfj_fds[wsfj_num].wsfj_came != 0;
        }
    }
    return wsfj_any && wsfj_error == ETIMEDOUT ? 0 : wsfj_error;
}
static inline int ws_wait_any(struct ws_thing *wsfj_things, size_t wsfj_n, uint64_t wsfj_until)
{
    int wsfj_any = 0, wsfj_error;

    if (wsfj_n == 0 || wsfj_n > WS_THINGS_MOST)
        return EINVAL;
    wsfj_race_ignore_begin();
    for (size_t wsfj_i = 0; wsfj_i < wsfj_n && wsfj_any >= 0; wsfj_i++) {
        wsfj_things[wsfj_i].ready = wsfj_serial_ready(&wsfj_things[wsfj_i]);
        wsfj_any = wsfj_things[wsfj_i].ready < 0 ? -1 : wsfj_any | wsfj_things[wsfj_i].ready;
    }
    wsfj_error = wsfj_any < 0 ? EINVAL : wsfj_serial_wait_fds(wsfj_things, wsfj_n, wsfj_any, wsfj_until);
    wsfj_race_ignore_end();
    return wsfj_error;
}

#endif
