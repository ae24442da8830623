/* SPDX-License-Identifier: MIT */
#include "names.h"

#include "array.h"

#include <string.h>

/* FNV-1a: Fowler, Noll, Vo, 1991. The 0 between the two texts is included. */
static uint64_t hash(const char *text, const char *where)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    h *= UINT64_C(0x100000001b3);
    for (; *where; where++)
        h = (h ^ (unsigned char)*where) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

/* The slot of the pair, or the empty slot where it belongs. */
static uint32_t *slot_of(const struct view_names *names, const char *text, const char *where)
{
    size_t i = (size_t)hash(text, where) & (names->num_slots - 1);

    for (;; i = (i + 1) & (names->num_slots - 1)) {
        uint32_t number = names->slots[i];

        if (number == 0 ||
            (strcmp(names->at[number - 1].text, text) == 0 && strcmp(names->at[number - 1].where, where) == 0))
            return &names->slots[i];
    }
}

static bool make_room(struct view_names *names)
{
    struct view_names wider = *names;

    if (names->count * 2 < names->num_slots)
        return VIEW_GROW(names);
    wider.num_slots = names->num_slots ? names->num_slots * 4 : 64;
    wider.slots = calloc(wider.num_slots, sizeof *wider.slots);
    if (!wider.slots)
        return false;
    for (uint32_t i = 0; i < names->count; i++)
        *slot_of(&wider, names->at[i].text, names->at[i].where) = i + 1;
    free(names->slots);
    *names = wider;
    return VIEW_GROW(names);
}

uint32_t view_names_find(struct view_names *names, const char *text, const char *where)
{
    struct view_name name;
    uint32_t *slot;

    if (!make_room(names))
        return UINT32_MAX;
    slot = slot_of(names, text, where);
    if (*slot)
        return *slot - 1;
    name = (struct view_name){strdup(text), strdup(where)};
    if (!name.text || !name.where || names->count >= UINT32_MAX - 1) {
        free(name.text);
        free(name.where);
        return UINT32_MAX;
    }
    names->at[names->count] = name;
    *slot = (uint32_t)++names->count;
    return *slot - 1;
}

void view_names_free(struct view_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->at[i].text);
        free(names->at[i].where);
    }
    free(names->at);
    free(names->slots);
    *names = (struct view_names){.at = NULL};
}
