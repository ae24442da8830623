/* SPDX-License-Identifier: MIT */
/*
 * echo [N] - a server that sends back what it reads, asked by N clients (1000) that are all connected at once, while another
 * task keeps the workers busy. A task serves each connection and waits for it without a thread.
 */
#define _GNU_SOURCE /* accept4 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wsfj.h>

static ws_group tasks = WS_GROUP_INIT;
static atomic_bool ended;
static int fds[50000]; /* of the clients */

/* Only this function reads errno: after a wait, a task may be on a thread with another one. */
static __attribute__((noinline)) long result(long n)
{
    return n < 0 ? -errno : n;
}

/* Makes a call, and again after a wait for the descriptor where it would block. */
#define WAITING(n, fd, events, call) while ((n = result(call)) == -EAGAIN && !(n = -ws_wait_fd(fd, events, WS_FOREVER)))

static void serve(void *arg)
{
    int fd = (int)(intptr_t)arg;
    char text[256];
    long n, sent = 0;

    do {
        WAITING(n, fd, POLLIN, read(fd, text, sizeof text));
        for (long at = 0; at < n && sent >= 0; at += sent)
            WAITING(sent, fd, POLLOUT, send(fd, text + at, (size_t)(n - at), MSG_NOSIGNAL));
    } while (n > 0 && sent >= 0); /* the client has closed the connection, or it is broken */
    close(fd);
}

static void accept_all(void *arg)
{
    int server = (int)(intptr_t)arg;
    long fd;

    do {
        WAITING(fd, server, POLLIN, accept4(server, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (fd >= 0 && ws_group_submit(&tasks, serve, (void *)(intptr_t)fd))
            close((int)fd); /* no memory, and no answer for this client */
    } while (fd >= 0);      /* until main() shuts it down */
    close(server);
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

static void compute(void *value)
{
    ws_frame();
    do
        *(long *)value = ws_call(fib, 25);
    while (!ended);
}

/* All clients connect, then all ask, then all read. Returns how many got an answer. */
static long ask(long n, const struct sockaddr_in *address)
{
    char text[] = "hello", answer[sizeof text];
    long clients = 0, echoes = 0;

    while (clients < n && (fds[clients] = socket(AF_INET, SOCK_STREAM, 0)) >= 0 &&
           !connect(fds[clients], (void *)address, sizeof *address))
        clients++;
    for (long i = 0; i < clients; i++)
        (void)!send(fds[i], text, sizeof text, MSG_NOSIGNAL);
    for (long i = 0; i < clients; close(fds[i++]))
        echoes += recv(fds[i], answer, sizeof text, MSG_WAITALL) == sizeof text && !memcmp(answer, text, sizeof text);
    return echoes;
}

int main(int argc, char **argv)
{
    char *end = argc > 1 ? argv[1] : "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 1000, value = 0, echoes = 0;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    if (argc > 2 || *end || n < 1 || n > 50000)
        return fprintf(stderr, "usage: echo [N]: a number from 1 to 50000\n"), 2;
    if (n > sysconf(_SC_OPEN_MAX) / 2 - 10) /* a connection has two ends */
        fprintf(stderr, "echo: %ld clients only (ulimit -n)\n", n = sysconf(_SC_OPEN_MAX) / 2 - 10);
    if (bind(fd, (void *)&address, size) || listen(fd, SOMAXCONN) || getsockname(fd, (void *)&address, &size))
        return fprintf(stderr, "echo: %s\n", strerror(errno)), 1;
    if (!ws_group_submit(&tasks, compute, &value) && !ws_group_submit(&tasks, accept_all, (void *)(intptr_t)fd))
        echoes = ask(n, &address);
    ended = 1;
    shutdown(fd, SHUT_RDWR);
    ws_group_wait(&tasks);
    if (echoes < n)
        return fprintf(stderr, "echo: %ld of %ld clients got an answer\n", echoes, n), 1;
    printf("%ld clients got their answers; fib(25) is %ld\n", n, value);
    if (ferror(stdout) || fclose(stdout))
        return fprintf(stderr, "echo: standard output: %s\n", strerror(errno)), 1;
    return 0;
}
