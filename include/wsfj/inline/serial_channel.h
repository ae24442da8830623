/* SPDX-License-Identifier: MIT */
/* Channels and ws_wait_any() in a program without the runtime: a part of serial_wait.h. */
#ifndef WSFJ_SERIAL_CHANNEL_H
#define WSFJ_SERIAL_CHANNEL_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

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
    wsfj_race_stay(1);
    (void)__atomic_load_n(&wsfj_channel->wsfj_order, __ATOMIC_ACQUIRE);
    wsfj_race_ignore_begin();
}
static inline int wsfj_serial_channel_end(ws_channel *wsfj_channel, int wsfj_error)
{
    wsfj_race_ignore_end();
    (void)__atomic_fetch_add(&wsfj_channel->wsfj_order, 1u, __ATOMIC_ACQ_REL);
    wsfj_race_stay(0);
    if (!wsfj_error)
        wsfj_race_awake();
    return wsfj_error;
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
    return wsfj_serial_channel_end(wsfj_channel, wsfj_error);
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
    return wsfj_serial_channel_end(wsfj_channel, wsfj_error);
}
WSFJ_INLINE int ws_channel_send_until(ws_channel *wsfj_channel, const void *wsfj_item, uint64_t wsfj_until)
{
    int wsfj_error = 0, wsfj_passed = EAGAIN;

    while (!wsfj_error && (wsfj_passed = ws_channel_try_send(wsfj_channel, wsfj_item)) == EAGAIN)
        wsfj_error = wsfj_serial_wait("ws_channel_send", wsfj_until);
    return wsfj_error ? wsfj_error : wsfj_passed;
}
WSFJ_INLINE int ws_channel_send(ws_channel *wsfj_channel, const void *wsfj_item)
{
    return ws_channel_send_until(wsfj_channel, wsfj_item, WS_FOREVER);
}
WSFJ_INLINE int ws_channel_receive_until(ws_channel *wsfj_channel, void *wsfj_item, uint64_t wsfj_until)
{
    int wsfj_error = 0, wsfj_passed = EAGAIN;

    while (!wsfj_error && (wsfj_passed = ws_channel_try_receive(wsfj_channel, wsfj_item)) == EAGAIN)
        wsfj_error = wsfj_serial_wait("ws_channel_receive", wsfj_until);
    return wsfj_error ? wsfj_error : wsfj_passed;
}
WSFJ_INLINE int ws_channel_receive(ws_channel *wsfj_channel, void *wsfj_item)
{
    return ws_channel_receive_until(wsfj_channel, wsfj_item, WS_FOREVER);
}
static inline void ws_channel_close(ws_channel *wsfj_channel)
{
    wsfj_serial_channel_begin(wsfj_channel);
    wsfj_channel->wsfj_closed = 1;
    (void)wsfj_serial_channel_end(wsfj_channel, 0);
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
/* Descriptors among the things: waits for them if nothing `any` is ready. ETIMEDOUT: nothing is. */
static inline int wsfj_serial_wait_fds(struct ws_thing *wsfj_things, size_t wsfj_n, int wsfj_any, uint64_t wsfj_until)
{
    struct wsfj_pollfd wsfj_fds[WS_THINGS_MOST];
    unsigned wsfj_num = 0;
    int wsfj_error;

    for (size_t wsfj_i = 0; wsfj_i < wsfj_n; wsfj_i++)
        if (wsfj_things[wsfj_i].kind == WS_THING_DESCRIPTOR)
            memcpy(&wsfj_fds[wsfj_num++], wsfj_things[wsfj_i].object, sizeof *wsfj_fds);
    if (!wsfj_num)
        return wsfj_any ? 0 : EAGAIN;
    wsfj_error = wsfj_serial_poll(wsfj_fds, wsfj_num, wsfj_any ? 0 : wsfj_until);
    for (size_t wsfj_i = wsfj_n; wsfj_i-- > 0;) {
        if (wsfj_things[wsfj_i].kind == WS_THING_DESCRIPTOR) {
            memcpy(wsfj_things[wsfj_i].object, &wsfj_fds[--wsfj_num], sizeof *wsfj_fds);
            wsfj_things[wsfj_i].ready = wsfj_fds[wsfj_num].wsfj_came != 0;
        }
    }
    return wsfj_any && wsfj_error == ETIMEDOUT ? 0 : wsfj_error;
}
/* EAGAIN: nothing is ready, and another task would have to make it so. */
static inline int wsfj_serial_test_any(struct ws_thing *wsfj_things, size_t wsfj_n, uint64_t wsfj_until)
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
WSFJ_INLINE int ws_wait_any(struct ws_thing *wsfj_things, size_t wsfj_n, uint64_t wsfj_until)
{
    int wsfj_error = 0, wsfj_ready = EAGAIN;

    while (!wsfj_error && (wsfj_ready = wsfj_serial_test_any(wsfj_things, wsfj_n, wsfj_until)) == EAGAIN)
        wsfj_error = wsfj_serial_wait("ws_wait_any", wsfj_until);
    return wsfj_error ? wsfj_error : wsfj_ready;
}

#endif
