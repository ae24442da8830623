/* SPDX-License-Identifier: MIT */
/* A page from its template: each line that is the name of a place, as "@title@\n", gives way to what belongs there. */
#ifndef WSFJ_VIEW_FILL_H
#define WSFJ_VIEW_FILL_H

#include <stdio.h>

struct view_place {
    const char *line; /* NULL: the end of the list */
    void (*put)(FILE *out, const void *what);
};

void view_fill(FILE *out, const char *const *page, const struct view_place *places, const void *what);

#endif
