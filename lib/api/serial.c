/* SPDX-License-Identifier: MIT */
#include "api/serial.h"

#include "arch/exceptions.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "base/tsan.h"
#include "task/region.h"
#include "task/stack.h"

#include <pthread.h>
#include <stdlib.h>

/* One deque is kept for the next call: a program that calls tasks outside of regions mostly does so from one thread. */
static struct wsfj_stack *kept;

static struct wsfj_stack *swap_kept(struct wsfj_stack *s)
{
    if (s)
        wsfj_tsan_release(s); /* inlined code has written to it */
    s = swap_acq_rel(&kept, s);
    if (s)
        wsfj_tsan_acquire(s);
    return s;
}

static inline struct wsfj_deque *enter(void)
{
    struct wsfj_stack *s = swap_kept(NULL);

    if (!s)
        s = wsfj_stack_make(0, WSFJ_MODE_PRIVATE);
    if (!s)
        return NULL;
    wsfj_tls = &s->deque;
    return &s->deque;
}

static inline void leave(struct wsfj_deque *deque)
{
    struct wsfj_stack *s = wsfj_stack_of(deque);

    wsfj_tls = NULL;
    wsfj_stack_renew(s);
    s->deque.wsfj_area = s->deque.wsfj_area_start;
    store_relaxed(&s->job.region, NULL);
    s = swap_kept(s);
    if (s)
        wsfj_stack_destroy(s);
}

static inline struct wsfj_deque *begin(void)
{
    struct wsfj_deque *deque;
    int cancel_state;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    deque = enter();
    if (deque)
        wsfj_stack_of(deque)->cancel_state = cancel_state;
    else
        pthread_setcancelstate(cancel_state, NULL);
    return deque;
}

struct wsfj_deque *wsfj_serial_try_begin(void)
{
    return begin();
}

static inline struct wsfj_deque *needed(struct wsfj_deque *deque)
{
    if (!deque) {
        wsfj_say("no memory for a task outside ws_run()");
        abort();
    }
    return deque;
}

WSFJ_EXPORT struct wsfj_deque *wsfj_serial_begin(void)
{
    return needed(begin());
}

WSFJ_EXPORT void wsfj_serial_end(struct wsfj_deque *deque)
{
    int cancel_state = wsfj_stack_of(deque)->cancel_state;

    leave(deque);
    pthread_setcancelstate(cancel_state, NULL);
}

WSFJ_EXPORT struct wsfj_deque *wsfj_serial_enter(void)
{
    return needed(enter());
}

WSFJ_EXPORT void wsfj_serial_leave(struct wsfj_deque *deque)
{
    leave(deque);
}

/* Leaves nothing behind for a leak checker or dlclose(). */
__attribute__((destructor)) static void free_kept(void)
{
    struct wsfj_stack *s = swap_kept(NULL);

    if (s)
        wsfj_stack_destroy(s);
}

bool wsfj_serial_run(struct wsfj_region *region)
{
    struct wsfj_deque *deque = wsfj_serial_try_begin();
    struct wsfj_exceptions caller;

    if (!deque)
        return false;
    store_relaxed(&wsfj_stack_of(deque)->job.region, region); /* left.h */
    caller = wsfj_exceptions_begin();
    wsfj_execany(deque, wsfj_tail(deque), region->root, region->rp);
    wsfj_exceptions_end(caller);
    wsfj_serial_end(deque);
    return true;
}
