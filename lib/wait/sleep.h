/* SPDX-License-Identifier: MIT */
/*
 * How a thread waits: it sleeps on its waiter's futex. If it waits for descriptors, too, it sleeps in poll(2) instead, for them and
 * an eventfd, its bell: a waker rings it under the lock of a bucket, just before the claim. Nobody drains the bell. So a thread
 * that comes back too early sleeps no more, until the claim shows; and the bell may be closed when the waiter has disarmed.
 */
#ifndef WSFJ_WAIT_SLEEP_H
#define WSFJ_WAIT_SLEEP_H

#include "wait/waiter.h"

#include <poll.h>
#include <sys/eventfd.h>

/* The calling thread will wait for these descriptors, too: `fds`, behind a first entry that becomes the bell. Before it arms. */
void wsfj_waiter_poll_begin(struct wsfj_waiter *waiter, struct pollfd *fds, unsigned count);

/* After it has disarmed: closes the bell. */
void wsfj_waiter_poll_end(struct wsfj_waiter *waiter);

/* Under the lock of a bucket: wakes a thread that sleeps in poll(2). */
static inline void wsfj_waiter_ring(const struct wsfj_waiter *waiter)
{
    if (WSFJ_UNLIKELY(waiter->fds != NULL))
        (void)eventfd_write(waiter->fds[0].fd, 1);
}

/* The calling thread, which is the armed waiter, sleeps until it is claimed, the time `until` has come (WSFJ_FOREVER: never), in
 * nanoseconds of CLOCK_MONOTONIC, or one of its descriptors is ready. */
void wsfj_waiter_sleep(struct wsfj_waiter *waiter, uint64_t until);

#endif
