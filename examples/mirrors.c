/* SPDX-License-Identifier: MIT */
/*
 * mirrors MS COMMAND... - what the first of the commands that succeeds prints, if that takes no longer than MS milliseconds:
 *     mirrors 5000 'curl -s https://a.example/file' 'curl -s https://b.example/file' 'curl -s https://c.example/file'
 * All run at the same time. The first one cancels the scope of the tasks that wait for the others.
 */
#define _GNU_SOURCE /* pipe2, environ */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wsfj.h>

static struct answer {
    char *text;
    size_t size;
} first; /* written by the task that cancels the scope */

/* Only this function reads errno: after a wait, a task may be on a thread with another one. */
static __attribute__((noinline)) long result(long n)
{
    return n < 0 ? -errno : n;
}

/* Starts a command. *out: the end of a pipe that it writes to. */
static int start(char *command, pid_t *pid, int *out)
{
    char *const argv[] = {"sh", "-c", command, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], error = (int)-result(pipe2(ends, O_CLOEXEC));

    if (error)
        return error;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    error = posix_spawn(pid, "/bin/sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error)
        close(ends[0]);
    *out = ends[0];
    return error;
}

/* Reads all that comes. Returns 0, ECANCELED or another errno. */
static int read_all(int fd, struct answer *a)
{
    long n = 1;

    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (n > 0) {
        char *more = realloc(a->text, a->size + 4096);

        if (!more)
            return ENOMEM;
        a->text = more;
        while ((n = result(read(fd, more + a->size, 4096))) == -EAGAIN && !(n = -ws_wait_fd(fd, POLLIN, WS_FOREVER)))
            ;
        a->size += n > 0 ? (size_t)n : 0;
    }
    return (int)-n;
}

static WS_TASK_VOID(try_command, char *, command, ws_scope *, s)
{
    struct answer own = {NULL, 0};
    int out, status = 1, error;
    pid_t pid;

    if (ws_cancelled() || start(command, &pid, &out))
        return;
    error = read_all(out, &own);
    close(out);
    if (error)
        kill(pid, SIGTERM);
    WS_BLOCKING
    {
        (void)waitpid(pid, &status, 0);
    }
    if (!error && status == 0 && ws_scope_cancel(s, EALREADY))
        first = own;
    else
        free(own.text);
}

static WS_TASK(int, first_of, char **, commands, uint64_t, until)
{
    ws_scope s;

    ws_scope_begin(&s);
    ws_scope_deadline(&s, until);
    for (; *commands; commands++)
        ws_spawn(try_command, *commands, &s);
    return ws_scope_end(&s);
}

int main(int argc, char **argv)
{
    char *end = argc > 2 ? argv[1] : "x";
    long ms = argc > 2 ? strtol(argv[1], &end, 10) : 0;
    int error, code = 0;

    if (*end || ms < 1 || ms > 1000000)
        return fprintf(stderr, "usage: mirrors MS COMMAND...\n"), 2;
    error = ws_run(first_of, &code, argv + 2, ws_now() + (uint64_t)ms * 1000000);
    if (error || code != EALREADY)
        return fprintf(stderr, "mirrors: %s\n", error ? strerror(error) : code ? "too late" : "none succeeds"), 1;
    fwrite(first.text, 1, first.size, stdout);
    free(first.text);
    if (ferror(stdout) || fclose(stdout))
        return fprintf(stderr, "mirrors: standard output: %s\n", strerror(errno)), 1;
    return 0;
}
