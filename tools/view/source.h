/* SPDX-License-Identifier: MIT */
/*
 * A file in memory, read from its front: JSON value by value, so that what is large is never there as a whole tree. The
 * first thing that is wrong is kept as one line, with its place. Neighbour: trace.c, who knows what should be in it.
 */
#ifndef WSFJ_VIEW_SOURCE_H
#define WSFJ_VIEW_SOURCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct view_source {
    const char *name;
    char *bytes;
    size_t size, room, at; /* `at`: what is next */
    char error[400];       /* a line without its end; "" if all is well */
};

/* The whole of a file, "-": of stdin. */
bool view_source_read(struct view_source *source, const char *name);
void view_source_free(struct view_source *source);

/* Keeps what is wrong with what begins at `at`, unless something else has been so before. Returns false. */
__attribute__((format(printf, 3, 4))) bool view_fail(struct view_source *source, size_t at, const char *format, ...);

/* Goes over blanks. */
void view_source_skip(struct view_source *source);

/* Goes over blanks; true if this character is next, which is then taken. */
bool view_source_take(struct view_source *source, char sign);

/* Takes a JSON value. NULL: there is none, which is an error. */
json_t *view_source_value(struct view_source *source);

#endif
