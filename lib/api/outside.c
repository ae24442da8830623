/* SPDX-License-Identifier: MIT */
/* What tasks wait for outside the program. Neighbours: wait.c, idle/outside.c, wait/descriptor.c. */
#include "api/wait.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "wait/descriptor.h"
#include "worker/between_tasks.h"
#include "worker/own.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

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

/* A thread that waits for a descriptor asks this often whether it is cancelled, if it may be. */
#define ASK_NS 10000000

/* The calling thread waits. */
static int wait_as_thread(int fd, short events, uint64_t until)
{
    for (;;) {
        struct pollfd p = {fd, events, 0};
        uint64_t now = wsfj_now(), end = until;
        struct timespec left;
        int n;

        if (wsfj_wait_scopes(&end)) {
            if (ws_cancelled())
                return wsfj_wait_error(WSFJ_WAIT_DESCRIPTOR, WSFJ_WAIT_CANCELLED);
            end = now + ASK_NS < end ? now + ASK_NS : end;
        }
        left = wsfj_timespec(end > now ? end - now : 0);
        n = ppoll(&p, 1, end == WSFJ_FOREVER ? NULL : &left, NULL);
        if (n > 0)
            return p.revents & POLLNVAL ? EBADF : 0;
        if (n < 0 && errno != EINTR)
            return errno;
        if (n == 0 && wsfj_now() >= until)
            return ETIMEDOUT;
    }
}

static int wait_as_task(int fd, short events, uint64_t until)
{
    struct wsfj_descriptor_wait wait;
    uint32_t state;

    wsfj_descriptor_begin();
    do {
        struct wsfj_waiter waiter = wsfj_waiter_here(&wait.node);

        wsfj_descriptor_node(&wait, fd, (unsigned)(unsigned short)events);
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
    if (!events || events & ~(POLLIN | POLLOUT | POLLPRI | POLLRDHUP))
        return EINVAL;
    if (fd < 0)
        return told(fd, EBADF);
    if (wsfj_between_tasks())
        return EDEADLK;
    if (!wsfj_own_served() || until <= wsfj_now())
        return told(fd, wait_as_thread(fd, events, until));
    return told(fd, wait_as_task(fd, events, until));
}
