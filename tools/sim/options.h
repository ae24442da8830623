/* SPDX-License-Identifier: MIT */
/* The options of wsfj-sim and of programs that link libwsfj-sim.a. options.c has one table of them. */
#ifndef TOOLS_SIM_OPTIONS_H
#define TOOLS_SIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum sim_format { SIM_FORMAT_TABLE, SIM_FORMAT_CSV, SIM_FORMAT_JSON };

struct sim_options {
    const char *machine; /* NULL: a flat one */
    unsigned workers;    /* 0: as many as the machine has room for */
    uint64_t seed;
    bool atomics;             /* --points=atomics */
    uint64_t quota, period;   /* nanoseconds; 0: no quota */
    bool quiet;               /* no line about the run */
    bool report;              /* all figures of the run */
    enum sim_format format;   /* of the report and of sweeps */
    unsigned runs;            /* of each point, with seeds that follow each other; 0: one, and no sweep */
    const char *trace, *plot; /* files; NULL: none */
    uint64_t unit;            /* nanoseconds, of what workloads call a unit */
};

extern struct sim_options sim_options;

/* Reads the options and takes them out of argv, up to `--`, or up to the first word that is none unless they may stand
 * `anywhere`. What is left are argv[0] and the other words in their order. On an error one line, exit 2. */
void sim_options_read(int *argc, char **argv, const char *usage, bool anywhere);

/* An option that a sweep may vary; sets it. */
bool sim_option_varies(const char *name);
void sim_option_set(const char *name, const char *value);

/* What --calibrate calls; NULL: this program cannot. */
extern void (*sim_calibrator)(FILE *file);

/* For the handlers of options. */
uint64_t sim_option_number(const char *option, const char *text, uint64_t least, uint64_t most);

#endif
