/* SPDX-License-Identifier: MIT */
/*
 * A file in memory. JSON is read value by value, so that a large file is never in memory as a whole tree. The first
 * mistake is kept as one line, with its position. Neighbour: trace.c, which knows what the file should contain.
 */
#ifndef WSFJ_VIEW_SOURCE_H
#define WSFJ_VIEW_SOURCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct view_source {
    const char *name;
    char *bytes;
    size_t size, room, at; /* `at`: the next byte */
    char error[400];       /* a line without a newline; "": no mistake */
};

/* Reads a whole file; "-": stdin. */
bool view_source_read(struct view_source *source, const char *name);
void view_source_free(struct view_source *source);

/* Records a mistake at the position `at`, unless one was recorded before. Returns false. */
__attribute__((format(printf, 3, 4))) bool view_fail(struct view_source *source, size_t at, const char *format, ...);

/* Skips blanks. */
void view_source_skip(struct view_source *source);

/* Skips blanks. If this character is next, takes it and returns true. */
bool view_source_take(struct view_source *source, char sign);

/* Takes a JSON value. NULL: there is none, and the error is recorded. */
json_t *view_source_value(struct view_source *source);

#endif
