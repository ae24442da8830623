/* SPDX-License-Identifier: MIT */
/*
 * nursery COMMAND... - runs the commands at the same time. If one fails, the others are ended: it cancels the group of the tasks
 * that wait for them. The exit status is that of the first one that has failed, or 0.
 */
#define _GNU_SOURCE /* environ */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wsfj.h>

static ws_group nursery = WS_GROUP_INIT;
static const char *failed; /* written by the task that cancels the group */

/* Waits until the process has ended, without a thread. */
static int wait_for(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0), error;

    if (fd < 0)
        return ENOSYS; /* Linux 5.3 has it */
    error = ws_wait_fd(fd, POLLIN, WS_FOREVER);
    close(fd);
    return error;
}

static void run(void *command)
{
    char *const argv[] = {"sh", "-c", command, NULL};
    int status, code;
    pid_t pid;

    code = posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ);
    if (!code) {
        if (wait_for(pid))
            kill(pid, SIGTERM); /* ECANCELED: another one has failed */
        code = waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) ? 128 : WEXITSTATUS(status);
    }
    if (ws_group_cancel(&nursery, code)) /* 0 cancels nothing, nor does a second call */
        failed = command;
}

int main(int argc, char **argv)
{
    int code, error = 0;

    if (argc < 2)
        return fprintf(stderr, "usage: nursery COMMAND...\n"), 2;
    for (char **command = argv + 1; *command && !error; command++)
        error = ws_group_submit(&nursery, run, *command);
    ws_group_cancel(&nursery, error);
    code = ws_group_wait(&nursery);
    if (error)
        return fprintf(stderr, "nursery: %s\n", strerror(error)), 1;
    if (failed)
        printf("'%s' has failed with %d: the others were ended\n", failed, code);
    else
        printf("%d commands have succeeded\n", argc - 1);
    if (ferror(stdout) || fclose(stdout))
        return fprintf(stderr, "nursery: standard output: %s\n", strerror(errno)), 1;
    return code;
}
