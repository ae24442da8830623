/* SPDX-License-Identifier: MIT */
/* Runs a program with its output in a pipe and a limit of time. */
#define _GNU_SOURCE
#include "outcome.h"

#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Each run reads the same input: a file from where it begins, or nothing. */
static void add_input(posix_spawn_file_actions_t *actions)
{
    static int told;

    if (lseek(0, 0, SEEK_SET) == 0)
        return;
    if (!isatty(0) && fcntl(0, F_GETFD) >= 0 && !told++)
        say("the standard input cannot be read again: the runs read nothing; give it as a file");
    (void)posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
}

static pid_t start(char **program, int out, int errors)
{
    posix_spawn_file_actions_t actions;
    int error;
    pid_t pid;

    if (posix_spawn_file_actions_init(&actions) != 0)
        die("no memory");
    add_input(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, out, 1);
    if (errors >= 0)
        (void)posix_spawn_file_actions_adddup2(&actions, errors, 2);
    error = posix_spawnp(&pid, program[0], &actions, NULL, program, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error)
        die("%s cannot be run: %s", program[0], strerror(error));
    return pid;
}

/* What is in the pipe. @return 0: nothing comes any more */
static int read_some(struct outcome *o, int from, size_t most)
{
    char bytes[1 << 16];
    ssize_t n = read(from, bytes, sizeof bytes);
    size_t kept;

    if (n <= 0)
        return n < 0 && errno == EINTR;
    kept = o->n_kept + (size_t)n <= most ? (size_t)n : most - o->n_kept;
    if (kept) {
        o->out = realloc(o->out, o->n_kept + kept);
        if (!o->out)
            die("no memory for the output of a run");
        memcpy(o->out + o->n_kept, bytes, kept);
    }
    o->n_kept += kept;
    o->n_out += (size_t)n;
    return 1;
}

/* Until the process has ended, and the pipe is empty. */
static void watch(struct outcome *o, pid_t pid, int from, unsigned seconds, size_t most)
{
    const long long until = now_ms() + 1000LL * seconds;
    struct pollfd fds[2] = {{from, POLLIN, 0}, {(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0}};

    if (fds[1].fd < 0)
        die("the kernel has no pidfd_open(): %s", strerror(errno));
    for (;;) {
        const long long left = until - now_ms();
        const int n = poll(fds, 2, left > 0 ? (int)left : 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0) {
            o->is_late = 1;
            (void)kill(pid, SIGKILL);
            break;
        }
        if (fds[0].revents && !read_some(o, from, most))
            fds[0].fd = -1;
        else if (fds[1].revents && !fds[0].revents)
            break;
    }
    (void)close(fds[1].fd);
    while (waitpid(pid, &o->status, 0) < 0)
        if (errno != EINTR)
            die("a run is lost: %s", strerror(errno));
}

/* The last line, if it is the library's. */
static void keep_last_line(struct outcome *o, int errors)
{
    static const char begin[] = "wsfj-race: ";
    const off_t size = lseek(errors, 0, SEEK_END);
    const off_t at = size > (off_t)sizeof o->said - 1 ? size - (off_t)sizeof o->said + 1 : 0;
    const ssize_t n = pread(errors, o->said, sizeof o->said - 1, at);
    char *line;

    o->said[n > 0 ? n : 0] = 0;
    if (n > 0 && o->said[n - 1] == '\n')
        o->said[n - 1] = 0;
    line = strrchr(o->said, '\n');
    line = line ? line + 1 : o->said;
    if (strncmp(line, begin, sizeof begin - 1) != 0) {
        o->said[0] = 0;
        return;
    }
    line += sizeof begin - 1;
    if (strncmp(line, "seed ", 5) == 0 && strchr(line, ':'))
        line = strchr(line, ':') + 2;
    memmove(o->said, line, strlen(line) + 1);
}

void outcome_of(struct outcome *o, char **program, const char *schedule, unsigned seconds, size_t most, int tells)
{
    int ends[2], errors = tells ? -1 : memfd_create("wsfj-race", MFD_CLOEXEC);
    pid_t pid;

    memset(o, 0, sizeof *o);
    o->seconds = seconds;
    if (pipe2(ends, O_CLOEXEC) != 0 || (errors < 0 && !tells))
        die("no pipe or no file for the output of a run: %s", strerror(errno));
    if (setenv("WSFJ_RACE_SCHEDULE", schedule, 1) != 0)
        die("no memory");
    pid = start(program, ends[1], errors);
    (void)close(ends[1]);
    watch(o, pid, ends[0], seconds, most);
    (void)close(ends[0]);
    if (errors >= 0) {
        keep_last_line(o, errors);
        (void)close(errors);
    }
}

static void say_status(char *text, size_t size, int status)
{
    if (WIFEXITED(status))
        (void)snprintf(text, size, "exit status %d", WEXITSTATUS(status));
    else
        (void)snprintf(text, size, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* The line of the output that has byte `at`, in quotes. */
static void say_line(char *text, size_t size, const struct outcome *o, size_t at)
{
    size_t begin = at, n = 0;

    if (at >= o->n_kept) {
        (void)snprintf(text, size, "missing");
        return;
    }
    while (begin && o->out[begin - 1] != '\n')
        begin--;
    text[n++] = '"';
    for (; begin < o->n_kept && o->out[begin] != '\n' && n + 5 < size; begin++)
        text[n++] = isprint((unsigned char)o->out[begin]) ? o->out[begin] : '?';
    (void)strcpy(text + n, begin < o->n_kept && o->out[begin] != '\n' ? "...\"" : "\"");
}

int outcome_differs(const struct outcome *o, const struct outcome *serial, char *text, size_t size)
{
    char is[80], was[80];
    size_t at = 0, line = 1;

    if (o->is_late || o->status != serial->status) {
        say_status(is, sizeof is, o->status);
        say_status(was, sizeof was, serial->status);
        if (o->is_late)
            (void)snprintf(text, size, "has not ended after %u s (WSFJ_RACE_LIMIT=SECONDS allows more)", o->seconds);
        else if (o->said[0])
            (void)snprintf(text, size, "%s", o->said);
        else
            (void)snprintf(text, size, "%s, serially %s", is, was);
        return 1;
    }
    while (at < o->n_kept && at < serial->n_kept && o->out[at] == serial->out[at])
        line += o->out[at++] == '\n';
    if (at == serial->n_kept && o->n_out == serial->n_out)
        return 0;
    say_line(is, sizeof is, o, at);
    say_line(was, sizeof was, serial, at);
    (void)snprintf(text, size, "line %zu of the output is %s, serially %s", line, is, was);
    return 1;
}
