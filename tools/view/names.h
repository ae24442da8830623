/* SPDX-License-Identifier: MIT */
/* Texts that occur often, by number: each pair of a name and where it stands once. */
#ifndef WSFJ_VIEW_NAMES_H
#define WSFJ_VIEW_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view_name {
    char *text, *where; /* "": nowhere */
};

struct view_names {
    struct view_name *at;
    size_t count, room;
    uint32_t *slots; /* a hash table of numbers + 1 */
    size_t num_slots;
};

/* The number of the pair, which is made if it is new. UINT32_MAX: no memory. */
uint32_t view_names_find(struct view_names *names, const char *text, const char *where);
void view_names_free(struct view_names *names);

#endif
