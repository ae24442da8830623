/* SPDX-License-Identifier: MIT */
/*
 * Opens, fills and closes the file of a trace. All but opening and closing is safe in signal handlers: one buffer, no
 * stdio, no malloc.
 */
#ifndef WSFJ_OBSERVE_TRACE_FILE_H
#define WSFJ_OBSERVE_TRACE_FILE_H

#include "base/base.h"

/* Creates the file. "%p" in it becomes the process number, and from the second start of the
 * runtime on ".2" and so on comes before the suffix. output.h says which existing files are overwritten. If the file
 * cannot be opened, prints one line and returns false. */
bool wsfj_trace_file_open(const char *name);
void wsfj_trace_file_close(void);

/* Empties the file. */
void wsfj_trace_file_begin(void);
void wsfj_trace_file_end(void);

/* In the child of a fork: the file is the parent's. */
void wsfj_trace_file_forget(void);

void wsfj_put_bytes(const void *bytes, size_t size);
void wsfj_put_text(const char *text);
void wsfj_put_number(uint64_t number);

#endif
