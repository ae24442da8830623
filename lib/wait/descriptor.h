/* SPDX-License-Identifier: MIT */
/*
 * File descriptors that tasks and threads wait for: one epoll instance, made when it is first needed. Each registration ends
 * with its first event (EPOLLONESHOT), so a descriptor that the program closes and opens anew needs no care. A node's key
 * stands for the descriptor; two nodes of a key may wait, for one direction each.
 */
#ifndef WSFJ_WAIT_DESCRIPTOR_H
#define WSFJ_WAIT_DESCRIPTOR_H

#include "wait/table.h"

#include <poll.h>
#include <time.h>

struct wsfj_descriptor_wait {
    struct wsfj_node node; /* comes first */
    unsigned events;       /* POLLIN, POLLOUT, POLLPRI, POLLRDHUP */
    int error;             /* the descriptor cannot be waited for: an errno; or 0 */
};

/* Whether nobody can wait for these events of a descriptor: EINVAL or EBADF; else 0. */
int wsfj_descriptor_refuses(int fd, short events);

/* Which descriptors are ready now, as poll(2). 0: some are. ETIMEDOUT: none is. EBADF: one is not open. Or another errno. */
int wsfj_descriptor_poll(struct pollfd *fds, unsigned n);

/* Prepares the node. */
void wsfj_descriptor_node(struct wsfj_descriptor_wait *wait, int fd, short events);

/* A task is about to wait for a descriptor; it is back. */
void wsfj_descriptor_begin(void);
void wsfj_descriptor_end(void);

/* Makes the epoll instance and the descriptor that wakes its sleeper, unless they are there. On failure says so once:
 * waiters are looked after once a millisecond. */
void wsfj_descriptor_open(void);

/* Whether both are there. */
bool wsfj_descriptor_is_open(void);

/* Claims the waiters of all descriptors that are ready. */
void wsfj_descriptor_look(struct wsfj_woken *woken);

/* Sleeps until a descriptor is ready or wsfj_descriptor_poke() has been called since the last sleep; at most for `most`;
 * NULL: without limit. One thread at a time, if wsfj_descriptor_is_open(). */
void wsfj_descriptor_sleep(const struct timespec *most);

/* Ends the present sleep, or the next one. */
void wsfj_descriptor_poke(void);

/* The runtime has stopped, or this is the child of a fork: closes both. */
void wsfj_descriptor_close(void);

#endif
