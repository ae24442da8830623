/* SPDX-License-Identifier: MIT */
/* The other half of loops.c: loops that another file declares, and loops of names that it has, too. */
#include "loops.h"

WS_LOOP(loops_far, long, i, unsigned char *, hits)
{
    loops_hit(&hits[i]);
}

WS_REDUCE(long, 0, WS_ADD, loops_far_sum, int, i, const int *, values)
{
    return values[i];
}
