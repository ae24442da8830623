/* SPDX-License-Identifier: MIT */
/*
 * Reads and parses the kernel's small text files under /proc and /sys. Allocates nothing, does not depend on the
 * locale, and repeats calls that a signal has interrupted.
 */
#ifndef WSFJ_BASE_PROCFILE_H
#define WSFJ_BASE_PROCFILE_H

#include "base/base.h"

#include <sys/types.h>

/* open() and read(), repeated on EINTR. `flags`: in addition to O_RDONLY and O_CLOEXEC. */
int wsfj_procfile_open(int directory, const char *path, int flags);
ssize_t wsfj_procfile_read(int fd, char *buffer, size_t room);

/* A file that is read line by line. Set `fd`, and the rest to 0. */
struct wsfj_procfile {
    int fd;
    size_t at, end;
    char chunk[1024];
};

/* The next line, without its newline. Skips lines of `room` bytes or more. False at the end of the file. */
bool wsfj_procfile_line(struct wsfj_procfile *file, char *line, size_t room);

/* The next range of a list like "0-3,8", which is the rest of the file. False at the end and at anything else. */
bool wsfj_procfile_range(struct wsfj_procfile *file, unsigned *first, unsigned *last);

/* Reads decimal digits and moves *at behind them. False, with nothing changed, if there are none or too many. */
bool wsfj_procfile_number(const char **at, uint64_t *value);

/* True if `item` is in the comma-separated list. */
bool wsfj_procfile_lists(const char *list, const char *item);

/* Replaces, in place, a backslash and three octal digits by that byte. In mountinfo the kernel writes blanks so. */
void wsfj_procfile_unescape(char *text);

#endif
