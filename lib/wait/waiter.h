/* SPDX-License-Identifier: MIT */
/*
 * Who waits, and for what: a fiber or a thread, and a node for each thing that it waits for. All of it lies on the waiter's
 * own stack. table.c keeps the nodes in queues. Labels WAIT-n: doc/protocols.md.
 *
 * The state says who may resume the waiter. While the waiter still queues its nodes it is ARMING: a waker only claims it,
 * and the waiter then does not wait. From WAITING on the waker that claims it must resume it. One claim succeeds; its value
 * tells the waiter what has come.
 */
#ifndef WSFJ_WAIT_WAITER_H
#define WSFJ_WAIT_WAITER_H

#include "base/base.h"
#include "wait/timer.h"

struct pollfd;
struct wsfj_stack;
struct wsfj_waiter;

/* Values of wsfj_waiter::state. */
enum {
    WSFJ_WAIT_ARMING,
    WSFJ_WAIT_WAITING,
    WSFJ_WAIT_TIME,      /* the deadline has passed */
    WSFJ_WAIT_CANCELLED, /* wsfj_wait() returns this for a node that waits for a cancellation */
    WSFJ_WAIT_AGAIN,     /* and this if there is none, but another deadline */
    WSFJ_WAIT_POLLED,    /* a descriptor for which the thread waits is ready */
    WSFJ_WAIT_FIRST      /* and above: what the node with this number waits for has come */
};

/* One thing that a waiter waits for, in the queue of its key. */
struct wsfj_node {
    const void *key;
    /* Called under the lock of the key's bucket, just before the node is queued. False: what is waited for has come. NULL: the
     * waiter has queued the node itself (wsfj_table_queue()). */
    bool (*must_wait)(struct wsfj_node *node);
    struct wsfj_node *other; /* the waiter's next node, or NULL */
    uint32_t number;         /* WSFJ_WAIT_FIRST or above */
    struct wsfj_waiter *waiter;

    /* Under the same lock. */
    struct wsfj_node *next, *before;
    bool queued;
};

/* What is waited for, for those who look at a fiber from outside. In brackets what wsfj_waiter::detail means. */
enum wsfj_wait_kind {
    WSFJ_WAIT_GROUP,
    WSFJ_WAIT_WORD,
    WSFJ_WAIT_EVENT,
    WSFJ_WAIT_FUTURE,
    WSFJ_WAIT_MUTEX,
    WSFJ_WAIT_SEMAPHORE,
    WSFJ_WAIT_CHANNEL, /* 1: to send */
    WSFJ_WAIT_CLOCK,
    WSFJ_WAIT_DESCRIPTOR, /* POLLIN and others */
    WSFJ_WAIT_ANY,        /* how many things */
    WSFJ_WAIT_NAMED       /* what a text of the program says */
};

struct wsfj_waiter {
    struct wsfj_stack *stack; /* of the fiber; NULL: a thread waits, by the futex `state` */
    uint32_t state;
    struct wsfj_node *nodes; /* linked by `other`; NULL: it waits for a time only */
    struct wsfj_timer timer; /* of a fiber */
    bool timed;              /* there is a deadline, timer.at */
    unsigned num_fds;
    struct pollfd *fds; /* of a thread that waits for descriptors, too (sleep.h); else NULL */
    uint32_t detail;    /* for those who look at a fiber from outside, by the kind of wait */
};

#endif
