/* SPDX-License-Identifier: MIT */
/* A file that takes what is written to stderr, and is read by the test. */
#ifndef TESTS_SUPPORT_TO_STDERR_H
#define TESTS_SUPPORT_TO_STDERR_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Makes the open file stderr, for writing only: the library prints nothing into a file that is also read (lib/base/output.h).
 * So the two descriptors have positions of their own. */
static inline bool make_stderr(int file)
{
    char name[64];
    int fd;
    bool done;

    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    fd = open(name, O_WRONLY | O_CLOEXEC);
    done = fd >= 0 && dup2(fd, STDERR_FILENO) == STDERR_FILENO;
    if (fd >= 0)
        close(fd);
    return done;
}

#endif
