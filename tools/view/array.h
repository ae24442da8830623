/* SPDX-License-Identifier: MIT */
/* Arrays that grow: structures with the members at (a pointer), count and room. */
#ifndef WSFJ_VIEW_ARRAY_H
#define WSFJ_VIEW_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Makes room for one more element. `array` points to the pointer. False: no memory, and nothing has changed. */
static inline bool view_grow(void *array, size_t count, size_t *room, size_t size)
{
    void **at = array, *more;
    size_t wanted = *room ? *room + *room / 2 : 64;

    if (count < *room)
        return true;
    more = wanted > (size_t)-1 / 2 / size ? NULL : realloc(*at, wanted * size);
    if (!more)
        return false;
    *at = more;
    *room = wanted;
    return true;
}

#define VIEW_GROW(list) view_grow(&(list)->at, (list)->count, &(list)->room, sizeof *(list)->at)

#endif
