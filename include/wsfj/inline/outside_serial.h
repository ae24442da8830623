/* SPDX-License-Identifier: MIT */
/* The functions of outside.h in a program without the runtime: the thread waits. */
#ifndef WSFJ_INLINE_OUTSIDE_SERIAL_H
#define WSFJ_INLINE_OUTSIDE_SERIAL_H

#ifdef POLLRDHUP
#define WSFJ_POLLRDHUP POLLRDHUP
#else
#define WSFJ_POLLRDHUP 0 /* needs _GNU_SOURCE */
#endif

static inline uint64_t ws_now(void)
{
#ifdef CLOCK_MONOTONIC
    struct timespec wsfj_now;

    clock_gettime(CLOCK_MONOTONIC, &wsfj_now);
    return (uint64_t)wsfj_now.tv_sec * 1000000000u + (uint64_t)wsfj_now.tv_nsec;
#else /* -std=c11 hides that clock */
    struct timeval wsfj_now;

    gettimeofday(&wsfj_now, NULL);
    return (uint64_t)wsfj_now.tv_sec * 1000000000u + (uint64_t)wsfj_now.tv_usec * 1000u;
#endif
}

/* The milliseconds from now on, rounded up and bounded for poll(2); -1: without limit. */
static inline int wsfj_milliseconds_until(uint64_t wsfj_until)
{
    uint64_t wsfj_now = ws_now(), wsfj_ms = wsfj_until > wsfj_now ? (wsfj_until - wsfj_now + 999999) / 1000000 : 0;

    return wsfj_until == WS_FOREVER ? -1 : wsfj_ms > 1000000 ? 1000000 : (int)wsfj_ms;
}

static inline int ws_sleep_until(uint64_t wsfj_until)
{
    while (ws_now() < wsfj_until)
        (void)poll(NULL, 0, wsfj_milliseconds_until(wsfj_until));
    return 0;
}

static inline int ws_wait_fd(int wsfj_fd, short wsfj_events, uint64_t wsfj_until)
{
    const short wsfj_known = POLLIN | POLLOUT | POLLPRI | WSFJ_POLLRDHUP;
    struct pollfd wsfj_p;
    int wsfj_n;

    if (!wsfj_events || (wsfj_events & ~wsfj_known))
        return EINVAL;
    if (wsfj_fd < 0)
        return EBADF;
    wsfj_p.fd = wsfj_fd;
    wsfj_p.events = wsfj_events;
    do {
        wsfj_p.revents = 0;
        wsfj_n = poll(&wsfj_p, 1, wsfj_milliseconds_until(wsfj_until));
    } while (wsfj_n <= 0 && ws_now() < wsfj_until);
    return wsfj_n <= 0 ? ETIMEDOUT : (wsfj_p.revents & POLLNVAL) ? EBADF : 0;
}

#endif
