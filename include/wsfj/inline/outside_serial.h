/* SPDX-License-Identifier: MIT */
/*
 * The functions of outside.h in a program without the runtime: the thread waits. The two functions of the C library have names of
 * our own here: its headers would bring words that a program's macros may replace, and hide one of them with -std=c11.
 */
#ifndef WSFJ_INLINE_OUTSIDE_SERIAL_H
#define WSFJ_INLINE_OUTSIDE_SERIAL_H

/** struct timespec and struct pollfd. */
struct wsfj_timespec {
    long wsfj_seconds, wsfj_nanoseconds;
};
struct wsfj_pollfd {
    int wsfj_fd;
    short wsfj_events, wsfj_came;
};
int wsfj_libc_clock_gettime(int wsfj_clock, struct wsfj_timespec *wsfj_now) __asm__("clock_gettime");
int wsfj_libc_poll(struct wsfj_pollfd *wsfj_fds, unsigned long wsfj_n, int wsfj_ms) __asm__("poll");

/** Numbers of Linux: CLOCK_MONOTONIC; POLLIN, POLLPRI, POLLOUT and POLLRDHUP; POLLNVAL. */
#define WSFJ_CLOCK_MONOTONIC 1
#define WSFJ_POLL_EVENTS 0x2007
#define WSFJ_POLL_INVALID 0x20

static inline uint64_t ws_now(void)
{
    struct wsfj_timespec wsfj_now = {0, 0};

    (void)wsfj_libc_clock_gettime(WSFJ_CLOCK_MONOTONIC, &wsfj_now);
    return (uint64_t)wsfj_now.wsfj_seconds * 1000000000u + (uint64_t)wsfj_now.wsfj_nanoseconds;
}

/** The milliseconds from now on, rounded up and bounded for poll(2); -1: without limit. */
static inline int wsfj_milliseconds_until(uint64_t wsfj_until)
{
    uint64_t wsfj_now = ws_now(), wsfj_ms = wsfj_until > wsfj_now ? (wsfj_until - wsfj_now + 999999) / 1000000 : 0;

    return wsfj_until == WS_FOREVER ? -1 : wsfj_ms > 1000000 ? 1000000 : (int)wsfj_ms;
}

static inline int ws_sleep_until(uint64_t wsfj_until)
{
    while (ws_now() < wsfj_until)
        (void)wsfj_libc_poll(NULL, 0, wsfj_milliseconds_until(wsfj_until));
    return 0;
}

static inline int ws_wait_fd(int wsfj_fd, short wsfj_events, uint64_t wsfj_until)
{
    struct wsfj_pollfd wsfj_p;
    int wsfj_n;

    if (!wsfj_events || (wsfj_events & ~WSFJ_POLL_EVENTS))
        return EINVAL;
    if (wsfj_fd < 0)
        return EBADF;
    wsfj_p.wsfj_fd = wsfj_fd;
    wsfj_p.wsfj_events = wsfj_events;
    do {
        wsfj_p.wsfj_came = 0;
        wsfj_n = wsfj_libc_poll(&wsfj_p, 1, wsfj_milliseconds_until(wsfj_until));
    } while (wsfj_n <= 0 && ws_now() < wsfj_until);
    return wsfj_n <= 0 ? ETIMEDOUT : (wsfj_p.wsfj_came & WSFJ_POLL_INVALID) ? EBADF : 0;
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
