/* SPDX-License-Identifier: MIT */
/* A node of a random program whose children are submitted by members of scopes. For tasks.c. */
#ifndef TESTS_RANDOM_SCOPES_H
#define TESTS_RANDOM_SCOPES_H

#include "place.h"

#include <wsfj.h>

WS_DECLARE(uint64_t, program_scopes, struct node, node, struct place *, own);

#endif
