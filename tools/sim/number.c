/* SPDX-License-Identifier: MIT */
/* Numbers for addresses, in the order in which they are first asked for: they do not depend on where memory lies. */
#include "calls.h"
#include "fail.h"

#include <stdint.h>
#include <stdlib.h>

struct numbered {
    const void *address; /* NULL: free */
    size_t number;
};

static struct numbered *table; /* by address */
static size_t room, used;      /* room: a power of two */

static struct numbered *slot_of(const void *address)
{
    size_t i = (size_t)((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);

    while (table[i].address && table[i].address != address)
        i = (i + 1) & (room - 1);
    return &table[i];
}

static void grow(void)
{
    struct numbered *before = table;
    size_t n = room;

    room = room ? 2 * room : 4096;
    table = sim_new(room, sizeof *table);
    for (size_t i = 0; i < n; i++)
        if (before[i].address)
            *slot_of(before[i].address) = before[i];
    free(before);
}

size_t engine_number(const void *address)
{
    struct numbered *n;

    if (2 * used >= room)
        grow();
    n = slot_of(address);
    if (!n->address)
        *n = (struct numbered){address, used++};
    return n->number;
}
