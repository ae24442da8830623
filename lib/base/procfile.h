/* SPDX-License-Identifier: MIT */
/*
 * Small text files of the kernel's, /proc and /sys, read and taken apart. Nothing is allocated, nothing depends on the
 * locale; a signal handler that interrupts a call changes nothing. For cgroup.c and topology_sys.c.
 */
#ifndef WSFJ_BASE_PROCFILE_H
#define WSFJ_BASE_PROCFILE_H

#include "base/base.h"

#include <sys/types.h>

/* open and read, again if a signal handler came between. `flags` beside read only and close on exec. */
int wsfj_procfile_open(int directory, const char *path, int flags);
ssize_t wsfj_procfile_read(int fd, char *buffer, size_t room);

/* A file read line by line. Start with `fd` set and the rest 0. */
struct wsfj_procfile {
    int fd;
    size_t at, end;
    char chunk[1024];
};

/* The next line, without its newline; one of `room` bytes or more is passed over. False at the end. */
bool wsfj_procfile_line(struct wsfj_procfile *file, char *line, size_t room);

/* The next range of a list like "0-3,8", which is the rest of the file. False at its end and at what is none. */
bool wsfj_procfile_range(struct wsfj_procfile *file, unsigned *first, unsigned *last);

/* The decimal digits at *at, which goes behind them. False, and nothing changed, if there are none or too many. */
bool wsfj_procfile_number(const char **at, uint64_t *value);

/* Whether `item` is among the words of `list`, which commas divide. */
bool wsfj_procfile_lists(const char *list, const char *item);

/* In place: a backslash and three octal digits, as the kernel writes blanks in mountinfo, become the byte meant. */
void wsfj_procfile_unescape(char *text);

#endif
