/* SPDX-License-Identifier: MIT */
#include "fill.h"

#include <string.h>

void view_fill(FILE *out, const char *const *page, const struct view_place *places, const void *what)
{
    for (; *page; page++) {
        const struct view_place *place = places;

        while (place->line && strcmp(*page, place->line) != 0)
            place++;
        if (place->line)
            place->put(out, what);
        else
            fputs(*page, out);
    }
}
