/* SPDX-License-Identifier: MIT */
/* An echo server, a task for each connection; beside it perhaps tasks that compute and never end. */
#define _GNU_SOURCE
#include "harness/sample.h"
#include "waits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wsfj.h>

#define FIB 24            /* one call of it takes less than a millisecond */
#define FIB_CALLS 150049u /* how many it makes */

static atomic_uint_least64_t echoes, fibs;

/* Only this function reads errno: after a wait, a task may be on a thread with another one. */
static __attribute__((noinline)) ssize_t result(ssize_t n)
{
    return n < 0 ? -errno : n;
}

/* As recv(2), send(2) and accept4(2), for a task: waits where these would block. An error is -errno. */
static ssize_t receive(int fd, void *to, size_t size)
{
    ssize_t n;

    while ((n = result(recv(fd, to, size, 0))) == -EAGAIN)
        waits_check("ws_wait_fd", ws_wait_fd(fd, POLLIN, WS_FOREVER));
    return n;
}

static ssize_t send_some(int fd, const void *from, size_t size)
{
    ssize_t n;

    while ((n = result(send(fd, from, size, MSG_NOSIGNAL))) == -EAGAIN)
        waits_check("ws_wait_fd", ws_wait_fd(fd, POLLOUT, WS_FOREVER));
    return n;
}

static int accept_one(int listener)
{
    ssize_t fd;

    while ((fd = result(accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC))) == -EAGAIN)
        waits_check("ws_wait_fd", ws_wait_fd(listener, POLLIN, WS_FOREVER));
    waits_check("accept4", fd < 0 ? (int)-fd : 0);
    return (int)fd;
}

static void serve(void *arg)
{
    int fd = (int)(intptr_t)arg, one = 1;
    char buffer[512];
    ssize_t n;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* as Go does */
    while ((n = receive(fd, buffer, sizeof buffer)) > 0) {
        for (ssize_t sent = 0, now; sent < n; sent += now) {
            now = send_some(fd, buffer + sent, (size_t)(n - sent));
            if (now < 0)
                goto end;
        }
        atomic_fetch_add_explicit(&echoes, 1, memory_order_relaxed);
    }
end:
    close(fd);
}

static void accept_all(void *arg)
{
    for (;;)
        waits_check("ws_submit", ws_submit(serve, (void *)(intptr_t)accept_one((int)(intptr_t)arg)));
}

static WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static void compute(void *unused)
{
    ws_frame();
    (void)unused;
    for (;;) {
        (void)ws_call(fib, FIB);
        atomic_fetch_add_explicit(&fibs, 1, memory_order_relaxed);
    }
}

static int open_listener(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) || listen(fd, 4096) ||
        getsockname(fd, (struct sockaddr *)&address, &size))
        waits_check("listen", errno);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

void waits_echo(int with_fib)
{
    uint64_t start, fibs_before;
    double cpu;

    waits_check("ws_init", ws_init(NULL));
    waits_check("ws_submit", ws_submit(accept_all, (void *)(intptr_t)open_listener()));
    for (size_t i = 0; with_fib && i < ws_num_workers(); i++)
        waits_check("ws_submit", ws_submit(compute, NULL));
    (void)!getchar(); /* the load begins */
    start = sample_now();
    cpu = waits_cpu();
    fibs_before = fibs;
    while (getchar() != EOF)
        ;
    printf("%llu %.3f %.3f\n", (unsigned long long)echoes, waits_cpu() - cpu,
           (double)(fibs - fibs_before) * FIB_CALLS * 1e3 / (double)(sample_now() - start));
    fflush(stdout);
    _exit(0); /* tasks still wait and compute */
}
