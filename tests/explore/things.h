/* SPDX-License-Identifier: MIT */
/* For programs about the objects of wsfj/wait.h: their memory is checked for races, and becomes something else. */
#ifndef TESTS_EXPLORE_THINGS_H
#define TESTS_EXPLORE_THINGS_H

#include "explore.h"

/* In setup: nobody waits, and threads serve no worker. */
void things_start(void);

/* In setup: an object of the program, and its bucket of the wait table. */
void things_share(void *object, size_t size);

/* The memory is something else from here on. */
void things_reuse(void *object, size_t size);

/* At the end: nothing is left in the wait table for the object. */
void things_forgotten(const void *object);

#endif
