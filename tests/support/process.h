/* SPDX-License-Identifier: MIT */
/* Code that may end its process, run in a child: its exit status and its output. */
#ifndef TESTS_SUPPORT_PROCESS_H
#define TESTS_SUPPORT_PROCESS_H

#include "run.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A fault; not at address 0, which UndefinedBehaviorSanitizer checks. */
static inline void touch_nothing(void)
{
    volatile char *volatile nowhere = (volatile char *)1;

    *nowhere = 1;
}

struct outcome {
    int status;
    char text[16384]; /* its stderr */
    int lines;
};

struct child {
    pid_t pid;
    int read_end;
};

/* Forks. True in the child: its stderr goes to the parent. */
static inline bool begin_child(struct child *child)
{
    int pipes[2];

    ck_assert_int_eq(pipe(pipes), 0);
    child->pid = fork();
    ck_assert_int_ge(child->pid, 0);
    if (child->pid == 0) {
        sigset_t none;

        sigemptyset(&none);
        pthread_sigmask(SIG_SETMASK, &none, NULL); /* a worker's mask blocks nearly all */
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
    }
    close(pipes[1]);
    child->read_end = pipes[0];
    return child->pid == 0;
}

/* qemu-user prints a line of its own for each death. */
static inline void drop_line_of_emulator(char *text)
{
    static const char start[] = "qemu: uncaught target signal";
    char *line = strstr(text, start), *end = line ? strchr(line, '\n') : NULL;

    if (end)
        memmove(line, end + 1, strlen(end + 1) + 1);
}

static inline struct outcome end_child(const struct child *child)
{
    struct outcome o = {0};
    size_t length = 0;

    for (ssize_t n = 1; n > 0 && length<sizeof o.text - 1; length += n> 0 ? (size_t)n : 0)
        n = read(child->read_end, o.text + length, sizeof o.text - 1 - length);
    for (char rest[512]; read(child->read_end, rest, sizeof rest) > 0;)
        ; /* a full pipe would block it */
    close(child->read_end);
    ck_assert_int_eq(waitpid(child->pid, &o.status, 0), child->pid);
    drop_line_of_emulator(o.text);
    for (const char *c = o.text; *c; c++)
        o.lines += *c == '\n';
    return o;
}

/* Runs `body(argument)` in a child; its value is the exit code. */
static inline struct outcome in_child(int (*body)(long argument), long argument)
{
    struct child child;

    if (begin_child(&child))
        _exit(body(argument));
    return end_child(&child);
}

static inline bool died_of(const struct outcome *o, int signal)
{
    return WIFSIGNALED(o->status) && WTERMSIG(o->status) == signal;
}

static inline void expect_exit(const struct outcome *o, int code)
{
    ck_assert_msg(WIFEXITED(o->status) && WEXITSTATUS(o->status) == code, "status %x, stderr: %.1500s",
                  (unsigned)o->status, o->text);
}

static inline void expect_death(const struct outcome *o, int signal)
{
    ck_assert_msg(died_of(o, signal), "status %x, stderr: %.1500s", (unsigned)o->status, o->text);
}

#endif
