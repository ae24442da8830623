/* SPDX-License-Identifier: MIT */
/*
 * Scopes (scope.h): what ws_scope_begin and ws_scope_end do in the frame of a task.
 *
 * The open scopes of a stack are a chain, from the innermost one outwards. lib/task/scope.c begins and ends them, and
 * lib/task/deque.c tells which one a stolen task belongs to. In a serial or profiled program each thread has one chain.
 */
#ifndef WSFJ_SCOPES_H
#define WSFJ_SCOPES_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#ifdef WSFJ_RACE
#include "race_task.h"
#elif defined WSFJ_PROFILE
#include "profile.h"
#elif defined WSFJ_SERIAL
#include "serial.h"
#else
#include "spawn.h"
#endif
#include "scope_data.h"

#if defined WSFJ_SERIAL || defined WSFJ_PROFILE || defined WSFJ_RACE

#include "scope_chain.h"

#ifdef WSFJ_RACE
#define WSFJ_SCOPE_CHECK(what) WSFJ_CHECK_FRAME(what)
#define WSFJ_SCOPE_FRAME WSFJ_HERE
#define WSFJ_SCOPE_SYNC(frame) wsfj_race_sync(frame)
typedef struct wsfj_scope wsfj_scope_frame;
#elif defined WSFJ_PROFILE
#define WSFJ_SCOPE_CHECK(what) WSFJ_CHECK_FRAME(what)
#define WSFJ_SCOPE_FRAME WSFJ_HERE
#define WSFJ_SCOPE_SYNC(frame) wsfj_scope_sync(frame)
typedef struct wsfj_scope wsfj_scope_frame;
#else
#define WSFJ_SCOPE_CHECK(what) WSFJ_NOTHING
#define WSFJ_SCOPE_FRAME NULL
#define WSFJ_SCOPE_SYNC(frame) ((void)(frame))
typedef void wsfj_scope_frame;
#endif

/** Ends a scope when the block is left in which it has begun. */
struct wsfj_scope_guard {
    wsfj_scope_frame *wsfj_frame;
    uint32_t wsfj_depth; /**< of the chain without the scope */
};

WSFJ_INLINE uint32_t wsfj_scope_depth(void)
{
    return wsfj_scope_chain ? wsfj_scope_chain->wsfj_depth : 0;
}

/** Ends the innermost scopes, down to a chain of that depth. */
WSFJ_INLINE void wsfj_scope_pop(uint32_t wsfj_depth)
{
    while (wsfj_scope_depth() > wsfj_depth) {
        ws_scope *wsfj_scope = wsfj_scope_chain;
        int wsfj_none = 0;

        (void)__atomic_compare_exchange_n(&wsfj_scope->wsfj_code, &wsfj_none, wsfj_scope_code(wsfj_scope), 0,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
        __atomic_store_n(&wsfj_scope->wsfj_until, 0, __ATOMIC_RELAXED);
        wsfj_scope_chain = wsfj_scope->wsfj_outer;
        wsfj_scope->wsfj_outer = wsfj_scope->wsfj_around = NULL;
    }
}

WSFJ_INLINE struct wsfj_scope_guard wsfj_scope_enter(wsfj_scope_frame *wsfj_frame, ws_scope *wsfj_scope)
{
    struct wsfj_scope_guard wsfj_guard;

    WSFJ_SCOPE_SYNC(wsfj_frame);
    wsfj_guard.wsfj_frame = wsfj_frame;
    wsfj_guard.wsfj_depth = wsfj_scope_depth();
    __atomic_store_n(&wsfj_scope->wsfj_code, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&wsfj_scope->wsfj_waited, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&wsfj_scope->wsfj_until, 0, __ATOMIC_RELAXED);
    wsfj_scope->wsfj_depth = wsfj_guard.wsfj_depth + 1;
    wsfj_scope->wsfj_outer = wsfj_scope->wsfj_around = wsfj_scope_chain;
    wsfj_scope->wsfj_deque = NULL;
    wsfj_scope->wsfj_first = NULL;
    wsfj_scope_chain = wsfj_scope;
    return wsfj_guard;
}

WSFJ_INLINE void wsfj_scope_leave(const struct wsfj_scope_guard *wsfj_guard)
{
    if (WSFJ_LIKELY(wsfj_scope_depth() <= wsfj_guard->wsfj_depth))
        return;
    WSFJ_SCOPE_SYNC(wsfj_guard->wsfj_frame);
    wsfj_scope_pop(wsfj_guard->wsfj_depth);
}

WSFJ_INLINE int wsfj_scope_exit(wsfj_scope_frame *wsfj_frame, ws_scope *wsfj_scope)
{
    const ws_scope *wsfj_open = wsfj_scope_chain;

    WSFJ_SCOPE_SYNC(wsfj_frame);
    while (wsfj_open && wsfj_open != wsfj_scope)
        wsfj_open = wsfj_open->wsfj_outer;
    if (wsfj_open)
        wsfj_scope_pop(wsfj_scope->wsfj_depth - 1);
    return wsfj_scope_code(wsfj_scope);
}

#else

#define WSFJ_SCOPE_CHECK(what) WSFJ_CHECK_FRAME(what)
#define WSFJ_SCOPE_FRAME WSFJ_HERE

#ifdef __cplusplus
extern "C" {
#endif
void wsfj_scope_begin(struct wsfj_deque *wsfj_deque, ws_scope *wsfj_scope);
int wsfj_scope_end(struct wsfj_deque *wsfj_deque, ws_scope *wsfj_scope);
void wsfj_scope_left(struct wsfj_deque *wsfj_deque, uint32_t wsfj_depth, int wsfj_says);
int wsfj_scope_dropped(const struct wsfj_deque *wsfj_deque);
#ifdef __cplusplus
}
#endif

/** Ends a scope when the block is left in which it has begun. */
struct wsfj_scope_guard {
    struct wsfj_frame *wsfj_frame;
    uint32_t wsfj_depth; /**< of the chain without the scope */
};

/** How many scopes the running code is in. */
WSFJ_INLINE uint32_t wsfj_scope_depth(const struct wsfj_deque *wsfj_deque)
{
    return __atomic_load_n(&wsfj_deque->wsfj_scopes, __ATOMIC_RELAXED);
}

/** Whether the running code is a member of a cancelled scope: for the drivers of loops. */
WSFJ_INLINE int wsfj_dropped(const struct wsfj_deque *wsfj_deque)
{
    return WSFJ_UNLIKELY(wsfj_scope_depth(wsfj_deque) != 0) && wsfj_scope_dropped(wsfj_deque);
}

WSFJ_INLINE struct wsfj_scope_guard wsfj_scope_enter(struct wsfj_frame *wsfj_f, ws_scope *wsfj_scope)
{
    struct wsfj_scope_guard wsfj_guard;

    wsfj_sync(wsfj_f);
    wsfj_guard.wsfj_frame = wsfj_f;
    wsfj_guard.wsfj_depth = wsfj_scope_depth(wsfj_f->wsfj_deque);
    wsfj_scope_begin(wsfj_f->wsfj_deque, wsfj_scope);
    return wsfj_guard;
}

WSFJ_INLINE void wsfj_scope_leave(const struct wsfj_scope_guard *wsfj_guard)
{
    struct wsfj_frame *wsfj_f = wsfj_guard->wsfj_frame;

    if (WSFJ_LIKELY(wsfj_scope_depth(wsfj_f->wsfj_deque) <= wsfj_guard->wsfj_depth))
        return;
    WSFJ_LEAVE(wsfj_f, "a block with ws_scope_begin()", NULL);
    wsfj_f->wsfj_top = wsfj_f->wsfj_base;
    wsfj_f->wsfj_n = 0;
    wsfj_f->wsfj_single = 0;
#ifdef WSFJ_DEBUG
    wsfj_scope_left(wsfj_f->wsfj_deque, wsfj_guard->wsfj_depth, 1);
#else
    wsfj_scope_left(wsfj_f->wsfj_deque, wsfj_guard->wsfj_depth, 0);
#endif
}

WSFJ_INLINE int wsfj_scope_exit(struct wsfj_frame *wsfj_f, ws_scope *wsfj_scope)
{
    wsfj_sync(wsfj_f);
    return wsfj_scope_end(wsfj_f->wsfj_deque, wsfj_scope);
}

#endif
#endif
