/* SPDX-License-Identifier: MIT */
#include "wait/sleep.h"

#include "arch/ticks.h"
#include "base/atomic.h"
#include "base/futex.h"
#include "base/thread.h"

#include <errno.h>
#include <unistd.h>

/* Without a bell the thread looks this often whether it has been claimed. */
#define NO_BELL_NS 1000000

void wsfj_waiter_poll_begin(struct wsfj_waiter *waiter, struct pollfd *fds, unsigned count)
{
    fds[0] = (struct pollfd){eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), POLLIN, 0};
    waiter->fds = fds;
    waiter->num_fds = count + 1;
}

void wsfj_waiter_poll_end(struct wsfj_waiter *waiter)
{
    if (waiter->fds[0].fd >= 0)
        close(waiter->fds[0].fd);
}

/* How long until then; false: no time is left. */
static bool time_left(uint64_t until, struct timespec *left)
{
    uint64_t now = wsfj_now(), ns = until > now ? until - now : 0;

    *left = wsfj_timespec(ns);
    return ns > 0;
}

/* `bell`: also until it rings. */
static int poll_once(struct wsfj_waiter *waiter, bool bell, uint64_t until)
{
    uint64_t soon = bell ? WSFJ_FOREVER : wsfj_now() + NO_BELL_NS;
    struct timespec left;

    until = soon < until ? soon : until;
    (void)time_left(until, &left);
    return ppoll(waiter->fds + !bell, waiter->num_fds - !bell, until == WSFJ_FOREVER ? NULL : &left, NULL);
}

/* True if a descriptor of the program is ready, or cannot be waited for. */
static bool sleep_in_poll(struct wsfj_waiter *waiter, uint64_t until)
{
    bool bell = waiter->fds[0].fd >= 0;
    int n = poll_once(waiter, bell, until);

    if (n < 0 && errno == EINVAL)
        n = poll_once(waiter, false, until); /* RLIMIT_NOFILE allows the program's descriptors, and not one more */
    return n < 0 ? errno != EINTR : n > (waiter->fds[0].revents != 0);
}

void wsfj_waiter_sleep(struct wsfj_waiter *waiter, uint64_t until)
{
    uint32_t waiting = WSFJ_WAIT_WAITING;
    bool for_tasks = until == WSFJ_FOREVER && !waiter->fds; /* only they can end the wait */
    struct timespec left;

    if (for_tasks)
        wsfj_thread_wait_begin();
    /* Acquire: what the waker has done. */
    while (load_acquire(&waiter->state) == WSFJ_WAIT_WAITING) {
        bool late = until != WSFJ_FOREVER && !time_left(until, &left);

        if (late || (waiter->fds && sleep_in_poll(waiter, until))) {
            (void)cas_acq_rel(&waiter->state, &waiting, (uint32_t)(late ? WSFJ_WAIT_TIME : WSFJ_WAIT_POLLED));
            return;
        }
        if (!waiter->fds)
            wsfj_futex_wait(&waiter->state, WSFJ_WAIT_WAITING, until == WSFJ_FOREVER ? NULL : &left);
    }
    if (for_tasks)
        wsfj_thread_wait_end();
}
