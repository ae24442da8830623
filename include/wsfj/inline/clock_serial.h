/* SPDX-License-Identifier: MIT */
/*
 * ws_now() in a program without the runtime. The function of the C library has a name of our own here: its headers would bring
 * words that a program's macros may replace, and hide it with -std=c11.
 */
#ifndef WSFJ_INLINE_CLOCK_SERIAL_H
#define WSFJ_INLINE_CLOCK_SERIAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** struct timespec. */
struct wsfj_timespec {
    long wsfj_seconds, wsfj_nanoseconds;
};
int wsfj_libc_clock_gettime(int wsfj_clock, struct wsfj_timespec *wsfj_now) __asm__("clock_gettime");

/** A number of Linux: CLOCK_MONOTONIC. */
#define WSFJ_CLOCK_MONOTONIC 1

static inline uint64_t ws_now(void)
{
    struct wsfj_timespec wsfj_now = {0, 0};

    (void)wsfj_libc_clock_gettime(WSFJ_CLOCK_MONOTONIC, &wsfj_now);
    return (uint64_t)wsfj_now.wsfj_seconds * 1000000000u + (uint64_t)wsfj_now.wsfj_nanoseconds;
}

#ifdef __cplusplus
}
#endif

#endif
