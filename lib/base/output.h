/* SPDX-License-Identifier: MIT */
/*
 * All output of the library: stderr, and files whose names come from the environment (trace_file.c, out.c). Output
 * never ends the program: a failing write raises no signal, neither at the limit of a file's size nor on a pipe without
 * reader.
 */
#ifndef WSFJ_BASE_OUTPUT_H
#define WSFJ_BASE_OUTPUT_H

#include "base/base.h"

/*
 * Opens a file for writing: creates it, or truncates it if it is a regular file of this user with a single name and not
 * a symbolic link. So no other user can redirect the output in a folder that all may write. With `or_stream` also opens
 * a character device, and /dev/stdout and /dev/stderr mean the process's own streams. The descriptor's number is above
 * that of stderr, and it is closed on exec. On failure returns -1 and sets *why to the reason.
 */
int wsfj_output_open(const char *path, bool or_stream, const char **why);

/*
 * Descriptor 2, or -1 if it is not stderr: it was closed when the library was loaded, or it is now a file that the
 * program reads, too, and is not the file that it was then. Looked at for each line: no copy of it is kept, so it may
 * be closed and replaced at any time. Async-signal-safe; keeps errno.
 */
int wsfj_output_stderr(void);

/* Writes all bytes. Returns 0 or the error number of the write that failed. Async-signal-safe; keeps errno. */
int wsfj_output_write(int fd, const void *bytes, size_t size);

/* That error in words. Unlike strerror(), async-signal-safe. */
const char *wsfj_output_reason(int error);

#endif
