/* SPDX-License-Identifier: MIT */
#include "api/serial.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "task/stack.h"

#include <stdlib.h>

/* One deque is kept for the next call: a program that calls tasks outside of regions mostly does so from one thread. */
static struct wsfj_stack *spare;

struct wsfj_deque *wsfj_serial_try_enter(void)
{
    struct wsfj_stack *s = swap_acq_rel(&spare, NULL);

    if (!s)
        s = wsfj_stack_make(0, WSFJ_MODE_PRIVATE);
    if (!s)
        return NULL;
    wsfj_tls = &s->deque;
    return &s->deque;
}

WSFJ_EXPORT struct wsfj_deque *wsfj_serial_enter(void)
{
    struct wsfj_deque *deque = wsfj_serial_try_enter();

    if (!deque) {
        wsfj_say("no memory for a task outside ws_run()");
        abort();
    }
    return deque;
}

WSFJ_EXPORT void wsfj_serial_leave(struct wsfj_deque *deque)
{
    struct wsfj_stack *s = wsfj_stack_of(deque);

    wsfj_tls = NULL;
    wsfj_stack_refresh(s);
    s->deque.wsfj_area = s->deque.wsfj_area_start;
    s = swap_acq_rel(&spare, s);
    if (s)
        wsfj_stack_destroy(s);
}

/* Leaves nothing behind for a leak checker or dlclose(). */
__attribute__((destructor)) static void free_spare(void)
{
    struct wsfj_stack *s = swap_acq_rel(&spare, NULL);

    if (s)
        wsfj_stack_destroy(s);
}
