/* SPDX-License-Identifier: MIT */
/*
 * The settings in force: API beats WSFJ_* beats OMP_* beats default. One table (settings.c) has every variable with its
 * default and its range; a value that makes no sense costs one line on stderr and is not used. What texts mean is in
 * parse.c and places.c.
 */
#ifndef WSFJ_CONFIG_SETTINGS_H
#define WSFJ_CONFIG_SETTINGS_H

#include "base/base.h"
#include "config/parse.h"
#include "config/places.h"

/* What can be set from outside the program: first how to run, after WSFJ_SET_OMP what to show. */
enum wsfj_setting {
    WSFJ_SET_WORKERS,
    WSFJ_SET_PLACES,
    WSFJ_SET_BIND,
    WSFJ_SET_VICTIM,
    WSFJ_SET_WAKE,
    WSFJ_SET_STACK,
    WSFJ_SET_WAIT,
    WSFJ_SET_SPARES,
    WSFJ_SET_MEMBARRIER,
    WSFJ_SET_CGROUP,
    WSFJ_SET_OMP,
    WSFJ_SET_DISPLAY,
    WSFJ_SET_STATS,
    WSFJ_SET_TRACE,
    WSFJ_SET_TRACE_EVENTS,
    WSFJ_SET_SCHEDTRACE,
    WSFJ_SET_DUMP_SIGNAL,
    WSFJ_SET_WATCHDOG,
    WSFJ_SETTINGS
};

/* Where a setting comes from. */
enum wsfj_origin { WSFJ_FROM_DEFAULT, WSFJ_FROM_OMP, WSFJ_FROM_ENVIRONMENT, WSFJ_FROM_API };

struct wsfj_settings {
    size_t num_workers; /* or WSFJ_WORKERS_THREADS, WSFJ_WORKERS_CORES */
    struct wsfj_places places;
    enum ws_bind bind;
    enum ws_victim victim;
    enum ws_wake wake;
    size_t stack_size; /* bytes, a multiple of the page size */
    uint64_t spin_ns;  /* or WSFJ_FOREVER */
    size_t max_stacks;
    size_t max_pending; /* detached tasks in the global queue */
    size_t max_spares;
    int (*poll)(void *arg);
    void *poll_arg;
    const char *trace;   /* the name of its file; NULL: none */
    size_t trace_events; /* of each worker, a power of two */
    uint64_t schedtrace; /* milliseconds; 0: no */
    uint64_t watchdog;   /* seconds; 0: no */
    int dump_signal;     /* 0: none */
    bool membarrier, cgroup, omp, display, stats;
    enum wsfj_origin from[WSFJ_SETTINGS];
};

extern struct wsfj_settings wsfj_settings;

/* Fills wsfj_settings. `config` may be NULL. 0; EINVAL for an impossible `config` (one line names the field); ENOMEM if
 * there is no memory for what it says. */
int wsfj_settings_read(const ws_config *config);

/* The name of the WSFJ_* variable. */
const char *wsfj_settings_name(enum wsfj_setting setting);

/* What has set it, in words. */
const char *wsfj_settings_origin(enum wsfj_setting setting);

#endif
