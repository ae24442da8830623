/* SPDX-License-Identifier: MIT */
/* For tests of settings: an environment that tests fill, and the messages of a reading. */
#ifndef TESTS_UNIT_ENVIRONMENT_H
#define TESTS_UNIT_ENVIRONMENT_H

#include "config/settings.h"

#include "../support/run.h"
#include "../support/to_stderr.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const variables[] = {"WSFJ_NUM_WORKERS", "WSFJ_BIND",       "WSFJ_STACK_SIZE", "WSFJ_WAIT",
                                        "WSFJ_MEMBARRIER",  "WSFJ_DISPLAY",    "WSFJ_STATS",      "WSFJ_PLACES",
                                        "WSFJ_SPARES",      "WSFJ_OMP",        "WSFJ_CGROUP",     "WSFJ_SCHEDTRACE",
                                        "WSFJ_WATCHDOG",    "WSFJ_DUMP_SIGNAL"};
/* Names of files, and a number that takes none of the others' malformed values. */
static const char *const file_variables[] = {"WSFJ_TRACE", "WSFJ_TRACE_EVENTS", "WSFJ_RECORD"};
#define VARIABLES ((int)(sizeof variables / sizeof *variables))

static const char *const omp_variables[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND",   "OMP_STACKSIZE",
                                            "OMP_WAIT_POLICY", "OMP_DISPLAY_ENV", "OMP_PLACES"};
#define OMP_VARIABLES ((int)(sizeof omp_variables / sizeof *omp_variables))

static inline void clear_environment(void)
{
    for (int i = 0; i < VARIABLES; i++)
        unsetenv(variables[i]);
    for (size_t i = 0; i < sizeof file_variables / sizeof *file_variables; i++)
        unsetenv(file_variables[i]);
    for (int i = 0; i < OMP_VARIABLES; i++)
        unsetenv(omp_variables[i]);
    unsetenv("WSFJ_OF_THE_FUTURE");
}

/* What wsfj_settings_read() wrote to stderr. */
static char said[8192];

static inline int read_settings(const ws_config *config)
{
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO), error;

    ck_assert(file && before >= 0);
    fflush(stderr);
    ck_assert(make_stderr(fileno(file)));
    error = wsfj_settings_read(config);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    return error;
}

static inline unsigned lines_said(void)
{
    unsigned lines = 0;

    for (const char *c = said; *c; c++)
        lines += *c == '\n';
    return lines;
}

#endif
