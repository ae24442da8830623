/* SPDX-License-Identifier: MIT */
#include "loop/count.h"

#include "base/base.h"

#include <string.h>

/* An end of a loop, from the arguments of its task. Signed ones keep their order by two's complement. */
static uint64_t end_of(const char *at, unsigned size, bool is_signed)
{
    union {
        uint8_t one;
        uint16_t two;
        uint32_t four;
        uint64_t eight;
    } u;

    memcpy(&u, at, size);
    switch (size) {
    case 1: return is_signed ? (uint64_t)(int8_t)u.one : u.one;
    case 2: return is_signed ? (uint64_t)(int16_t)u.two : u.two;
    case 4: return is_signed ? (uint64_t)(int32_t)u.four : u.four;
    default: return u.eight;
    }
}

uint64_t wsfj_loop_count(const struct wsfj_loop_site *site, const char *args)
{
    uint64_t n = 1;

    args += site->wsfj_offset;
    for (unsigned i = 0; i < 3 && site->wsfj_size[i]; i++) {
        unsigned size = site->wsfj_size[i];
        bool is_signed = site->wsfj_signed[i];
        uint64_t lo = end_of(args, size, is_signed), hi = end_of(args + size, size, is_signed);

        n = wsfj_loop_times(n, (is_signed ? (int64_t)lo < (int64_t)hi : lo < hi) ? hi - lo : 0);
        args += 2 * size;
    }
    return n;
}
