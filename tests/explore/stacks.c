/* SPDX-License-Identifier: MIT */
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STACKS 4
#define CALL_STACK ((size_t)64 << 10)

struct wsfj_stack *explore_stack(unsigned n, enum wsfj_mode mode)
{
    static struct wsfj_stack *made[MOST_STACKS], fresh[MOST_STACKS];
    struct wsfj_stack *s;

    if (!made[n]) {
        made[n] = wsfj_stack_make(CALL_STACK, WSFJ_MODE_NORMAL);
        if (!made[n])
            abort();
        fresh[n] = *made[n];
    }
    s = made[n];
    memcpy(s, &fresh[n], sizeof *s);
    memset(s->bottom, 0, (EXPLORE_DESCRIPTORS + 1) * sizeof *s->bottom);
    s->deque.wsfj_mode = mode;
    if (mode == WSFJ_MODE_LOCKED)
        s->deque.wsfj_exposed = s->memory.last;
    explore_shared(s, sizeof *s);
    explore_shared(s->bottom, (EXPLORE_DESCRIPTORS + 1) * sizeof *s->bottom);
    return s;
}
