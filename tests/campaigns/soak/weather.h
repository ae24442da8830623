/* SPDX-License-Identifier: MIT */
/* The storms: what the system does to a process. Neighbour: storms.c. */
#ifndef TESTS_CAMPAIGNS_SOAK_WEATHER_H
#define TESTS_CAMPAIGNS_SOAK_WEATHER_H

#include "setup.h"

#include <sys/types.h>

struct storm {
    const char *name;
    unsigned programs;                                  /* 0: not in this build */
    void (*begin)(void);                                /* in the process, before the first start; or NULL */
    void (*change)(struct setup *setup, unsigned seed); /* before each start; or NULL */
    void (*disturb)(pid_t child);                       /* from outside, all the time; or NULL */
    bool is_shortage;
    bool strikes; /* counts in page->strikes */
};

extern const struct storm storms[];
extern const int num_storms;

#endif
