/* SPDX-License-Identifier: MIT */
/*
 * The loops of a profiled program: halves as children, blocks of iterations as strands.
 *
 * A block is what the runtime does not divide either: about 8 microseconds, or an iteration that takes longer. A strand for
 * each iteration would take longer than most iterations. So the span of a loop is known to the block. The halves run in
 * index order.
 */
#ifndef WSFJ_LOOP_PROFILE_H
#define WSFJ_LOOP_PROFILE_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop_drive.h"

/* The most iterations of a block. With the unit clock, which times nothing, each iteration is one. */
WSFJ_INLINE uint64_t wsfj_loop_block(const struct wsfj_loop_site *wsfj_site, const struct wsfj_profile *wsfj_p)
{
    return wsfj_p && wsfj_p->wsfj_unit ? 1 : wsfj_loop_plain(wsfj_site);
}

#define WSFJ_EACH_FRAME struct wsfj_scope *wsfj_f WSFJ_UNUSED,
#define WSFJ_EACH_PASS &wsfj_v,
#define WSFJ_EACH_CALL(f, args)                                                                                        \
    do {                                                                                                               \
        struct wsfj_scope wsfj_v = wsfj_scope_open();                                                                  \
        wsfj_body_1_##f args;                                                                                          \
        wsfj_scope_close(&wsfj_v, WSFJ_NAMED(#f));                                                                     \
    } while (0)

#define WSFJ_LOOP_WHERE
#define WSFJ_LOOP_HERE
#define WSFJ_EACH_VALUE(R, f, names)                                                                                   \
    struct wsfj_scope wsfj_v = wsfj_scope_open();                                                                      \
    __typeof__(R) wsfj_r = wsfj_body_1_##f(&wsfj_v, wsfj_lo WSFJ_UN names);                                            \
    wsfj_scope_close(&wsfj_v, WSFJ_NAMED(#f));                                                                         \
    return wsfj_r
#define WSFJ_LOOP_FUNCTION static __attribute__((__noinline__, __unused__))

#define WSFJ_LOOP_TASKS(grain, list, names, params, f, I, run)                                                         \
    WSFJ_LOOP_SITE(f, I, 0);                                                                                           \
    WS_TASK_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                               \
    {                                                                                                                  \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), wsfj_began;                                               \
        wsfj_loop_begins(WSFJ_HERE, &wsfj_site_##f,                                                                    \
                         wsfj_n / 2 >= (grain) && wsfj_n > wsfj_loop_block(&wsfj_site_##f, WSFJ_HERE->wsfj_profile));  \
        while (wsfj_n / 2 >= (grain) && wsfj_n > wsfj_loop_block(&wsfj_site_##f, WSFJ_HERE->wsfj_profile)) {           \
            const I wsfj_mid = (I)((uint64_t)wsfj_lo + wsfj_n / 2);                                                    \
            ws_spawn(f, wsfj_lo, wsfj_mid WSFJ_UN names);                                                              \
            wsfj_lo = wsfj_mid;                                                                                        \
            wsfj_n -= wsfj_n / 2;                                                                                      \
        }                                                                                                              \
        wsfj_began = wsfj_loop_now();                                                                                  \
        run wsfj_loop_learn(&wsfj_site_##f, wsfj_n, wsfj_began);                                                       \
        wsfj_loop_has_run(WSFJ_HERE, wsfj_n);                                                                          \
        ws_sync();                                                                                                     \
    }                                                                                                                  \
    WSFJ_NOTHING

#define ws_for(...) ws_run(__VA_ARGS__)

#endif
