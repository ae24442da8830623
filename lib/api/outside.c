/* SPDX-License-Identifier: MIT */
/* What tasks wait for outside the program. Neighbours: wait.c, idle/outside.c, wait/descriptor.c. */
#include "api/wait.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "wait/descriptor.h"
#include "wait/sleep.h"
#include "worker/between_tasks.h"
#include "worker/own.h"

#include <errno.h>
#include <string.h>

WSFJ_EXPORT uint64_t ws_now(void)
{
    return wsfj_now();
}

WSFJ_EXPORT int ws_sleep_until(uint64_t until)
{
    if (wsfj_between_tasks())
        return EDEADLK;
    while (wsfj_now() < until) {
        struct wsfj_waiter waiter = wsfj_waiter_here(NULL);
        uint32_t state = wsfj_wait(&waiter, WSFJ_WAIT_CLOCK, NULL, until);

        if (state == WSFJ_WAIT_CANCELLED)
            return wsfj_wait_error(WSFJ_WAIT_CLOCK, state);
    }
    return 0;
}

/* The calling thread waits. */
static int wait_as_thread(int fd, short events, uint64_t until)
{
    struct pollfd fds[] = {{0}, {fd, events, 0}};
    int error =
        ws_cancelled() ? wsfj_wait_error(WSFJ_WAIT_DESCRIPTOR, WSFJ_WAIT_CANCELLED) : wsfj_descriptor_poll(fds + 1, 1);

    while (error == ETIMEDOUT && wsfj_now() < until) {
        struct wsfj_waiter waiter = {.state = WSFJ_WAIT_ARMING};
        uint32_t state;

        wsfj_waiter_poll_begin(&waiter, fds, 1);
        state = wsfj_wait(&waiter, WSFJ_WAIT_DESCRIPTOR, (const void *)(intptr_t)fd, until);
        wsfj_waiter_poll_end(&waiter);
        error = state == WSFJ_WAIT_CANCELLED ? wsfj_wait_error(WSFJ_WAIT_DESCRIPTOR, state)
                                             : wsfj_descriptor_poll(fds + 1, 1);
    }
    return error;
}

static int wait_as_task(int fd, short events, uint64_t until)
{
    struct wsfj_descriptor_wait wait;
    uint32_t state;

    wsfj_descriptor_begin();
    do {
        struct wsfj_waiter waiter = wsfj_waiter_here(&wait.node);

        wsfj_descriptor_node(&wait, fd, events);
        waiter.detail = wait.events;
        state = wsfj_wait(&waiter, WSFJ_WAIT_DESCRIPTOR, (const void *)(intptr_t)fd, until);
    } while (state == WSFJ_WAIT_AGAIN);
    wsfj_descriptor_end();
    return state < WSFJ_WAIT_FIRST ? wsfj_wait_error(WSFJ_WAIT_DESCRIPTOR, state) : wait.error;
}

/* Says so, once, if that is why there was no wait. */
static int told(int fd, int error)
{
    static uint32_t said;

    if ((error == EBADF || error == EPERM) && !swap_acq_rel(&said, 1u))
        wsfj_say("ws_wait_fd(): descriptor %d cannot be polled (%s)", fd, strerror(error));
    return error;
}

WSFJ_EXPORT int ws_wait_fd(int fd, short events, uint64_t until)
{
    int error = wsfj_descriptor_refuses(fd, events);

    if (error)
        return told(fd, error);
    if (wsfj_between_tasks())
        return EDEADLK;
    if (!wsfj_own_served() || until <= wsfj_now())
        return told(fd, wait_as_thread(fd, events, until));
    return told(fd, wait_as_task(fd, events, until));
}
