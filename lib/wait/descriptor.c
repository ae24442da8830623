/* SPDX-License-Identifier: MIT */
#include "wait/descriptor.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "base/failpoint.h"
#include "base/tsan.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

_Static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLPRI == POLLPRI && EPOLLRDHUP == POLLRDHUP &&
                   EPOLLERR == POLLERR && EPOLLHUP == POLLHUP,
               "the kernel has one set of numbers");

enum { BATCH = 64, MOST_WITHOUT_EPOLL = 512 };

/* The eventfd is not in the epoll set: any thread may look there, and would take the poke from the sleeper. */
static int set = -1, poked = -1;
static uint32_t opening; /* 1: a thread makes them; 2: they are there, or refused */

/* Most looks need no system call: nobody waits for a descriptor. A sleeper may still find one ready, whose waiter has left
 * before it came. Relaxed: what a look misses ends the next sleep. */
static uint64_t waits;
static uint32_t found_ready;

/* No object has such an address. */
static const void *key_of(int fd)
{
    return (const void *)~(uintptr_t)(unsigned)fd;
}

static int fd_of(const void *key)
{
    return (int)~(uintptr_t)key;
}

static struct wsfj_descriptor_wait *wait_of(struct wsfj_node *node)
{
    return WSFJ_CONTAINER(node, struct wsfj_descriptor_wait, node);
}

bool wsfj_descriptor_is_open(void)
{
    return load_acquire(&poked) >= 0;
}

static void open_both(void)
{
    int epoll, waker, error;

    epoll = wsfj_failpoint(WSFJ_AT_EPOLL) ? -1 : epoll_create1(EPOLL_CLOEXEC);
    waker = epoll < 0 || wsfj_failpoint(WSFJ_AT_EPOLL) ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    error = errno;
    if (waker < 0) {
        if (epoll >= 0)
            close(epoll);
        epoll = -1;
        wsfj_say("no epoll (%s): tasks that wait for descriptors or times are looked after once a millisecond",
                 strerror(error));
    }
    wsfj_tsan_release(&opening);
    store_release(&set, epoll);
    store_release(&poked, waker);
}

/* ThreadSanitizer of the program sees the calls of the C library, but not what orders them behind the one that has made the
 * descriptor. */
static void tell_made(void)
{
    wsfj_tsan_acquire(&opening);
}

void wsfj_descriptor_open(void)
{
    uint32_t none = 0;

    while (load_acquire(&opening) != 2) {
        if (cas_acq_rel(&opening, &none, 1u)) {
            open_both();
            store_release(&opening, 2u);
        }
        none = 0;
    }
}

void wsfj_descriptor_close(void)
{
    if (set >= 0)
        close(set);
    if (poked >= 0)
        close(poked);
    set = poked = -1;
    store_relaxed(&opening, 0u);
    store_relaxed(&waits, (uint64_t)0);
}

/* Under the lock of the key's bucket: what its nodes wait for. */
static unsigned wanted(const struct wsfj_bucket *bucket, const void *key)
{
    unsigned events = 0;

    for (struct wsfj_node *node = NULL; (node = wsfj_table_next(bucket, key, node));)
        events |= wait_of(node)->events;
    return events;
}

int wsfj_descriptor_refuses(int fd, short events)
{
    return !events || events & ~(POLLIN | POLLOUT | POLLPRI | POLLRDHUP) ? EINVAL : fd < 0 ? EBADF : 0;
}

int wsfj_descriptor_poll(struct pollfd *fds, unsigned n)
{
    const struct timespec none = {0, 0};
    int ready = ppoll(fds, n, &none, NULL);

    for (unsigned i = 0; ready > 0 && i < n; i++)
        if (fds[i].revents & POLLNVAL)
            return EBADF;
    return ready > 0 ? 0 : ready == 0 ? ETIMEDOUT : errno;
}

/* Registers the descriptor for its next event. Returns an errno. */
static int arm(int fd, unsigned events)
{
    struct epoll_event e = {.events = events | EPOLLONESHOT, .data.fd = fd};

    if (set < 0) { /* without epoll: refuses what epoll would */
        int error = wsfj_descriptor_poll(&(struct pollfd){fd, (short)events, 0}, 1);

        return error == ETIMEDOUT ? 0 : error;
    }
    tell_made();
    if (epoll_ctl(set, EPOLL_CTL_MOD, fd, &e) == 0)
        return 0;
    return errno == ENOENT && epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0 ? 0 : errno;
}

static bool must_wait(struct wsfj_node *node)
{
    struct wsfj_descriptor_wait *wait = wait_of(node);
    const struct wsfj_bucket *bucket = wsfj_table_bucket(node->key); /* the caller has its lock */
    unsigned others = wanted(bucket, node->key);

    wait->error = others & wait->events ? EBUSY : arm(fd_of(node->key), others | wait->events);
    return !wait->error;
}

void wsfj_descriptor_node(struct wsfj_descriptor_wait *wait, int fd, short events)
{
    *wait =
        (struct wsfj_descriptor_wait){.node = {.key = key_of(fd), .must_wait = must_wait, .number = WSFJ_WAIT_FIRST},
                                      .events = (unsigned)(unsigned short)events};
}

void wsfj_descriptor_begin(void)
{
    (void)add_relaxed(&waits, 1);
}

void wsfj_descriptor_end(void)
{
    (void)add_relaxed(&waits, (uint64_t)0 - 1);
}

/* `came` has come for the descriptor: claims whom it concerns, and registers it again for the others. */
static void take(int fd, unsigned came, struct wsfj_woken *woken)
{
    const void *key = key_of(fd);
    struct wsfj_bucket *bucket = wsfj_table_lock(key);
    struct wsfj_node *node = wsfj_table_next(bucket, key, NULL), *next;
    unsigned rest;

    for (; node; node = next) {
        next = wsfj_table_next(bucket, key, node);
        if (came & (wait_of(node)->events | POLLERR | POLLHUP))
            (void)wsfj_table_claim(bucket, node, woken);
    }
    rest = wanted(bucket, key);
    if (rest)
        (void)arm(fd, rest);
    wsfj_table_unlock(bucket);
}

/* Without epoll: some descriptors that are waited for. With more than these, later ones come when earlier ones are gone. */
struct some {
    struct pollfd fds[MOST_WITHOUT_EPOLL];
    unsigned n;
};

static void add_to(const struct wsfj_node *node, void *arg)
{
    struct some *some = arg;

    if (node->must_wait == must_wait && some->n < MOST_WITHOUT_EPOLL)
        some->fds[some->n++] = (struct pollfd){
            fd_of(node->key), (short)((const struct wsfj_descriptor_wait *)(const void *)node)->events, 0};
}

static void look_without_epoll(struct wsfj_woken *woken)
{
    struct some some;

    some.n = 0;
    wsfj_table_visit(add_to, &some);
    if (!some.n || wsfj_descriptor_poll(some.fds, some.n) == ETIMEDOUT)
        return;
    for (unsigned i = 0; i < some.n; i++)
        if (some.fds[i].revents)
            take(some.fds[i].fd, (unsigned)some.fds[i].revents, woken);
}

void wsfj_descriptor_look(struct wsfj_woken *woken)
{
    int epoll = load_acquire(&set); /* another thread may be about to make it: the lookout, for a poll source */
    struct epoll_event events[BATCH];
    int n;

    if (!load_relaxed(&waits) && !load_relaxed(&found_ready))
        return;
    store_relaxed(&found_ready, 0u);
    if (epoll < 0) {
        look_without_epoll(woken);
        return;
    }
    tell_made();
    do {
        n = epoll_wait(epoll, events, BATCH, 0);
        for (int i = 0; i < n; i++)
            take(events[i].data.fd, events[i].events, woken);
    } while (n == BATCH);
}

void wsfj_descriptor_sleep(const struct timespec *most)
{
    struct pollfd fds[] = {{set, POLLIN, 0}, {poked, POLLIN, 0}};
    eventfd_t count;

    tell_made();
    if (ppoll(fds, 2, most, NULL) <= 0)
        return;
    if (fds[0].revents)
        store_relaxed(&found_ready, 1u);
    if (fds[1].revents)
        (void)eventfd_read(poked, &count);
}

void wsfj_descriptor_poke(void)
{
    tell_made();
    (void)eventfd_write(poked, 1);
}
