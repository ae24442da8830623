/* SPDX-License-Identifier: MIT */
/*
 * wsfj-load PORT CONNECTIONS RATE SECONDS - asks an echo server on this machine, RATE times a second on one connection after the
 * other, whether or not earlier answers have come. Prints the echoes, and how long they took, as p50 and p99 in us, after
 * a second that does not count. One thread; the same for all servers.
 */
#include "harness/sample.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define SIZE 64   /* bytes of a request: its time, then zeros */
#define BATCH 256 /* events */

struct connection {
    int fd;
    size_t got; /* of the present answer */
    char answer[SIZE];
};

static double *took;
static size_t answers, most;
static uint64_t counts_from;

static void stop_if(int failed, const char *what)
{
    if (!failed)
        return;
    fprintf(stderr, "wsfj-load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void open_connection(struct connection *c, unsigned short port, int set)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    int one = 1;

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stop_if(c->fd < 0, "socket");
    stop_if(connect(c->fd, (struct sockaddr *)&address, sizeof address), "connect");
    stop_if(setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), "TCP_NODELAY");
    stop_if(epoll_ctl(set, EPOLL_CTL_ADD, c->fd, &event), "epoll_ctl");
}

static void ask(const struct connection *c)
{
    char request[SIZE] = {0};
    uint64_t now = sample_now();

    memcpy(request, &now, sizeof now);
    stop_if(send(c->fd, request, SIZE, MSG_NOSIGNAL) != SIZE, "send");
}

/* Takes what has come of answers. */
static void take(struct connection *c)
{
    ssize_t n;

    while ((n = recv(c->fd, c->answer + c->got, SIZE - c->got, MSG_DONTWAIT)) > 0) {
        uint64_t sent;

        c->got += (size_t)n;
        if (c->got < SIZE)
            continue;
        c->got = 0;
        memcpy(&sent, c->answer, sizeof sent);
        if (sent >= counts_from && answers < most)
            took[answers++] = (double)(sample_now() - sent) / 1e3;
    }
    stop_if(n == 0 || errno != EAGAIN, "recv");
}

static int open_timer(uint64_t period, int set)
{
    struct timespec each = {(time_t)(period / SECOND), (long)(period % SECOND)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

    stop_if(fd < 0 || timerfd_settime(fd, 0, &(struct itimerspec){each, each}, NULL), "timerfd");
    stop_if(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    return fd;
}

int main(int argc, char **argv)
{
    unsigned long port = argc == 5 ? strtoul(argv[1], NULL, 10) : 0;
    size_t n = argc == 5 ? strtoul(argv[2], NULL, 10) : 0, asked = 0;
    uint64_t rate = argc == 5 ? strtoul(argv[3], NULL, 10) : 0, seconds = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
    uint64_t start, end, now;
    int set = epoll_create1(EPOLL_CLOEXEC), timer;
    struct connection *all = calloc(n, sizeof *all);
    struct sample sample;

    if (port < 1 || port > 65535 || n < 1 || rate < 1 || rate > SECOND || seconds < 1 || seconds > 3600)
        return fprintf(stderr, "usage: wsfj-load PORT CONNECTIONS RATE SECONDS\n"), 2;
    most = rate * seconds;
    took = calloc(most, sizeof *took);
    stop_if(set < 0 || !all || !took, "start");
    for (size_t i = 0; i < n; i++)
        open_connection(&all[i], (unsigned short)port, set);
    timer = open_timer(SECOND / rate, set);
    start = sample_now();
    counts_from = start + SECOND;
    end = counts_from + seconds * SECOND;
    while ((now = sample_now()) < end + SECOND && (now < end || answers < most)) {
        struct epoll_event events[BATCH];
        int count = epoll_wait(set, events, BATCH, 100);

        for (int i = 0; i < count; i++) {
            uint64_t ticks;

            if (events[i].data.ptr)
                take(events[i].data.ptr);
            else
                (void)!read(timer, &ticks, sizeof ticks);
        }
        now = sample_now();
        while (asked < (now < end ? now - start : end - start) * rate / SECOND)
            ask(&all[asked++ % n]);
    }
    if (!answers)
        return fprintf(stderr, "wsfj-load: no answers\n"), 1;
    sample = sample_of(took, answers);
    printf("%zu %.1f %.1f\n", answers, sample.median, sample.p99);
    return 0;
}
