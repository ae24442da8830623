/* SPDX-License-Identifier: MIT */
/*
 * Opens and writes everything that the library writes: stderr, and files whose names come from the environment
 * (trace_file.c, out.c). No diagnostic ends the program: a failing write raises no signal, neither at the limit of a
 * file's size nor on a pipe that nobody reads.
 */
#ifndef WSFJ_BASE_OUTPUT_H
#define WSFJ_BASE_OUTPUT_H

#include "base/base.h"

/*
 * Opens a file to write it anew: creates it, or empties it if it is a regular file of this user with a single name and no
 * symbolic link. So nobody can redirect the output in a folder like /tmp. With `or_stream` also opens a character device;
 * /dev/stdout and /dev/stderr then mean the process's present streams. The descriptor's number is above that of stderr, and
 * it is closed on exec. On failure returns -1, and *why says why.
 */
int wsfj_output_open(const char *path, bool or_stream, const char **why);

/* Writes all bytes. Returns 0, or the error number of the write that failed. Safe in signal handlers; keeps errno. */
int wsfj_output_write(int fd, const void *bytes, size_t size);

/* That error in words. Unlike strerror() safe in signal handlers. */
const char *wsfj_output_reason(int error);

#endif
