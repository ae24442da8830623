/* SPDX-License-Identifier: MIT */
/*
 * The functions of outside.h in a program without the runtime: the thread waits. poll() has a name of our own here
 * (clock_serial.h).
 */
#ifndef WSFJ_INLINE_OUTSIDE_SERIAL_H
#define WSFJ_INLINE_OUTSIDE_SERIAL_H

#include "clock_serial.h"
#include "scope_chain.h"

/** struct pollfd. */
struct wsfj_pollfd {
    int wsfj_fd;
    short wsfj_events, wsfj_came;
};
int wsfj_libc_poll(struct wsfj_pollfd *wsfj_fds, unsigned long wsfj_n, int wsfj_ms) __asm__("poll");

/** Numbers of Linux: POLLIN, POLLPRI, POLLOUT and POLLRDHUP; POLLNVAL. */
#define WSFJ_POLL_EVENTS 0x2007
#define WSFJ_POLL_INVALID 0x20

/** The milliseconds from now on, rounded up and bounded for poll(2); -1: without limit. */
static inline int wsfj_milliseconds_until(uint64_t wsfj_until)
{
    uint64_t wsfj_now = ws_now(), wsfj_ms = wsfj_until > wsfj_now ? (wsfj_until - wsfj_now + 999999) / 1000000 : 0;

    return wsfj_until == WS_FOREVER ? -1 : wsfj_ms > 1000000 ? 1000000 : (int)wsfj_ms;
}

/** This time, or the first deadline of the caller's scopes if that is earlier. */
static inline uint64_t wsfj_scopes_until(uint64_t wsfj_until)
{
    for (const ws_scope *wsfj_scope = wsfj_scope_chain; wsfj_scope; wsfj_scope = wsfj_scope->wsfj_around) {
        uint64_t wsfj_end = __atomic_load_n(&wsfj_scope->wsfj_until, __ATOMIC_RELAXED);

        if (wsfj_end && wsfj_end < wsfj_until)
            wsfj_until = wsfj_end;
    }
    return wsfj_until;
}

static inline int ws_sleep_until(uint64_t wsfj_until)
{
    uint64_t wsfj_end = wsfj_scopes_until(wsfj_until);

    while (ws_now() < wsfj_until) {
        if (wsfj_scope_code(wsfj_scope_chain))
            return ECANCELED;
        (void)wsfj_libc_poll(NULL, 0, wsfj_milliseconds_until(wsfj_end));
    }
    return 0;
}

/** poll(2) with a deadline. 0: a descriptor is ready; ETIMEDOUT, or what ws_wait_fd() says of one of them. */
static inline int wsfj_serial_poll(struct wsfj_pollfd *wsfj_fds, unsigned wsfj_n, uint64_t wsfj_until)
{
    uint64_t wsfj_end = wsfj_scopes_until(wsfj_until);
    int wsfj_ready;

    for (unsigned wsfj_i = 0; wsfj_i < wsfj_n; wsfj_i++) {
        if (!wsfj_fds[wsfj_i].wsfj_events || (wsfj_fds[wsfj_i].wsfj_events & ~WSFJ_POLL_EVENTS))
            return EINVAL;
        if (wsfj_fds[wsfj_i].wsfj_fd < 0)
            return EBADF;
        wsfj_fds[wsfj_i].wsfj_came = 0;
    }
    do {
        if (wsfj_scope_code(wsfj_scope_chain))
            return ECANCELED;
        wsfj_ready = wsfj_libc_poll(wsfj_fds, wsfj_n, wsfj_milliseconds_until(wsfj_end));
    } while (wsfj_ready <= 0 && ws_now() < wsfj_until);
    for (unsigned wsfj_i = 0; wsfj_i < wsfj_n; wsfj_i++)
        if (wsfj_fds[wsfj_i].wsfj_came & WSFJ_POLL_INVALID)
            return EBADF;
    return wsfj_ready <= 0 ? ETIMEDOUT : 0;
}

static inline int ws_wait_fd(int wsfj_fd, short wsfj_events, uint64_t wsfj_until)
{
    struct wsfj_pollfd wsfj_p = {wsfj_fd, wsfj_events, 0};

    return wsfj_serial_poll(&wsfj_p, 1, wsfj_until);
}

static inline int ws_poll_add(ws_poll_function *wsfj_fn, void *wsfj_arg)
{
    (void)wsfj_arg;
    return wsfj_fn ? ENOSYS : EINVAL;
}

static inline int ws_poll_remove(ws_poll_function *wsfj_fn, void *wsfj_arg)
{
    (void)wsfj_arg;
    return wsfj_fn ? ENOENT : EINVAL;
}

#endif
