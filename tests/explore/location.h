/* SPDX-License-Identifier: MIT */
/* Locations and their messages, for memory.c. */
#ifndef TESTS_EXPLORE_LOCATION_H
#define TESTS_EXPLORE_LOCATION_H

#include "engine.h"

struct message {
    uint64_t value;
    bool carries; /* `view`: what its writer knew */
    struct view view;
};

struct location {
    const volatile void *p;
    size_t size;
    bool shared;                     /* learned from earlier executions */
    unsigned execution;              /* to which the members below belong */
    unsigned touched_by, written_by; /* bits */
    uint16_t n, last_seq;            /* messages; the last sequentially consistent one */
    struct message *message;
};

/* The location of an access by the current thread. Other threads may run before the access. */
struct location *location_access(const volatile void *p, size_t size, bool writes);

/* The newest message. It is also in memory, for plain reads and the final check. */
struct message *location_append(struct location *location, uint64_t value);

uint16_t location_index(const struct location *location);
unsigned location_count(void);
uint16_t location_newest(unsigned index);

/* What memory holds. */
uint64_t location_peek(const volatile void *p, size_t size);

#endif
