/* SPDX-License-Identifier: MIT */
/* Makes a page from its template: replaces each line that is a name like "@title@\n". */
#ifndef WSFJ_VIEW_FILL_H
#define WSFJ_VIEW_FILL_H

#include <stdio.h>

struct view_place {
    const char *line; /* NULL: the end of the list */
    void (*put)(FILE *out, const void *what);
};

void view_fill(FILE *out, const char *const *page, const struct view_place *places, const void *what);

#endif
