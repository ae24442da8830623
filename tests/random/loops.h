/* SPDX-License-Identifier: MIT */
/* A node of a random program whose children are the iterations of a loop or a reduction. For tasks.c. */
#ifndef TESTS_RANDOM_LOOPS_H
#define TESTS_RANDOM_LOOPS_H

#include "place.h"

#include <wsfj.h>

WS_DECLARE(uint64_t, program_loops, struct node, node, struct place *, own);

#endif
