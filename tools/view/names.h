/* SPDX-License-Identifier: MIT */
/* Numbers for texts that occur often: each pair of a name and its place in the source is stored once. */
#ifndef WSFJ_VIEW_NAMES_H
#define WSFJ_VIEW_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view_name {
    char *text, *where; /* "": not known */
};

struct view_names {
    struct view_name *at;
    size_t count, room;
    uint32_t *slots; /* a hash table of numbers + 1 */
    size_t num_slots;
};

/* The number of the pair, which is added if it is new. UINT32_MAX: no memory. */
uint32_t view_names_find(struct view_names *names, const char *text, const char *where);
void view_names_free(struct view_names *names);

#endif
