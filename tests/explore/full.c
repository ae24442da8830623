/* SPDX-License-Identifier: MIT */
/* The join's program with deques that are full after one child. */
#define FULL
#include "join.c"
