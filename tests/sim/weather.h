/* SPDX-License-Identifier: MIT */
/* What the machine does to a random program in virtual time, all drawn from the program's seed. */
#ifndef TESTS_SIM_WEATHER_H
#define TESTS_SIM_WEATHER_H

#include "../campaigns/soak/setup.h"

struct weather {
    struct setup setup;  /* of the runtime */
    const char *machine; /* NULL: a CPU for each worker */
    const char *fails;   /* WSFJ_CHAOS_FAIL */
    unsigned quota;      /* per cent of a CPU; 0: none */
    unsigned one_in;     /* points, and one is disturbed; 0: none */
    unsigned longest;    /* for up to 2 to the power of this many ns */
    unsigned starts, programs;
    bool atomics, changes; /* each access is a point; masks and quota change all the time */
    bool refuses;          /* calls fail so that ws_init() and ws_run() may return ENOMEM */
};

void weather_draw(struct weather *weather, unsigned seed);

/* In the process of the run, before virtual time begins: machine, costs, and what fails. */
void weather_begin(const struct weather *weather, unsigned seed);

/* In virtual time: starts and ends a thread that changes masks and quota. */
void weather_change(const struct weather *weather);
void weather_settle(const struct weather *weather);

void weather_print(const struct weather *weather, unsigned seed);

#endif
