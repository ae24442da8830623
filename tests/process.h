/* SPDX-License-Identifier: MIT */
/* Something that may end its process, in one of its own: how that went, and what it said. */
#ifndef TESTS_PROCESS_H
#define TESTS_PROCESS_H

#include "run.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct outcome {
    int status;
    char text[4096]; /* what it wrote to stderr */
    int lines;
};

/* Runs `body(argument)` in a child; its value is the exit code. A child that hangs is killed by its alarm. */
static inline struct outcome in_child(int (*body)(long argument), long argument)
{
    struct outcome o = {0};
    size_t length = 0;
    int pipes[2];
    pid_t child;

    ck_assert_int_eq(pipe(pipes), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        alarm(TIMEOUT_S / 2);
        _exit(body(argument));
    }
    close(pipes[1]);
    for (ssize_t n = 1; n > 0 && length < sizeof o.text - 1; length += n > 0 ? (size_t)n : 0)
        n = read(pipes[0], o.text + length, sizeof o.text - 1 - length);
    close(pipes[0]);
    ck_assert_int_eq(waitpid(child, &o.status, 0), child);
    for (const char *c = o.text; *c; c++)
        o.lines += *c == '\n';
    return o;
}

static inline bool died_of(const struct outcome *o, int signal)
{
    return WIFSIGNALED(o->status) && WTERMSIG(o->status) == signal;
}

static inline void expect_exit(const struct outcome *o, int code)
{
    ck_assert_msg(WIFEXITED(o->status) && WEXITSTATUS(o->status) == code, "status %x, stderr: %s", (unsigned)o->status,
                  o->text);
}

static inline void expect_death(const struct outcome *o, int signal)
{
    ck_assert_msg(died_of(o, signal), "status %x, stderr: %s", (unsigned)o->status, o->text);
}

#endif
