/* SPDX-License-Identifier: MIT */
/* What tasks wait for outside the program. Neighbours: wait.c, idle/outside.c, wait/descriptor.c. */
#include "api/wait.h"
#include "arch/arch.h"
#include "wait/descriptor.h"
#include "worker/between_tasks.h"
#include "worker/own.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

WSFJ_EXPORT uint64_t ws_now(void)
{
    return wsfj_now();
}

WSFJ_EXPORT int ws_sleep_until(uint64_t until)
{
    struct wsfj_waiter waiter = wsfj_waiter_here(NULL);

    if (wsfj_between_tasks())
        return EDEADLK;
    if (wsfj_now() >= until)
        return 0;
    return wsfj_wait(&waiter, WSFJ_WAIT_CLOCK, NULL, until) == WSFJ_WAIT_CANCELLED ? ECANCELED : 0;
}

/* The calling thread waits. */
static int wait_as_thread(int fd, short events, uint64_t until)
{
    for (;;) {
        struct pollfd p = {fd, events, 0};
        uint64_t now = wsfj_now();
        const struct timespec left = wsfj_timespec(until > now ? until - now : 0);
        int n = ppoll(&p, 1, until == WSFJ_FOREVER ? NULL : &left, NULL);

        if (n > 0)
            return p.revents & POLLNVAL ? EBADF : 0;
        if (n == 0 || errno != EINTR)
            return n == 0 ? ETIMEDOUT : errno;
    }
}

static int wait_as_task(int fd, short events, uint64_t until)
{
    struct wsfj_descriptor_wait wait;
    struct wsfj_waiter waiter = wsfj_waiter_here(&wait.node);
    uint32_t state;

    wsfj_descriptor_node(&wait, fd, (unsigned)(unsigned short)events);
    state = wsfj_wait(&waiter, WSFJ_WAIT_DESCRIPTOR, (const void *)(intptr_t)fd, until);
    return state < WSFJ_WAIT_FIRST ? wsfj_wait_error(state) : wait.error;
}

WSFJ_EXPORT int ws_wait_fd(int fd, short events, uint64_t until)
{
    if (!events || events & ~(POLLIN | POLLOUT | POLLPRI | POLLRDHUP))
        return EINVAL;
    if (fd < 0)
        return EBADF;
    if (wsfj_between_tasks())
        return EDEADLK;
    if (!wsfj_own_served() || until <= wsfj_now())
        return wait_as_thread(fd, events, until);
    return wait_as_task(fd, events, until);
}
