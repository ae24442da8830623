/* SPDX-License-Identifier: MIT */
/*
 * The settings in force: the API beats WSFJ_*, which beats OMP_*, which beats the default. A table in settings.c has
 * every variable with its default and its range. An invalid value is ignored, with a one-line warning. parse.c and
 * places.c parse the texts.
 */
#ifndef WSFJ_CONFIG_SETTINGS_H
#define WSFJ_CONFIG_SETTINGS_H

#include "base/base.h"
#include "config/parse.h"
#include "config/places.h"

/* Settings with an environment variable. Up to WSFJ_SET_OMP: how to run; the rest: what to show. */
enum wsfj_setting {
    WSFJ_SET_WORKERS,
    WSFJ_SET_PLACES,
    WSFJ_SET_BIND,
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
    WSFJ_SET_RECORD,
    WSFJ_SET_SCHEDTRACE,
    WSFJ_SET_DUMP_SIGNAL,
    WSFJ_SET_WATCHDOG,
    WSFJ_SETTINGS
};

/* What has set a setting. */
enum wsfj_origin { WSFJ_FROM_DEFAULT, WSFJ_FROM_OMP, WSFJ_FROM_ENVIRONMENT, WSFJ_FROM_API };

struct wsfj_settings {
    size_t num_workers; /* or WSFJ_WORKERS_THREADS, WSFJ_WORKERS_CORES */
    struct wsfj_places places;
    enum ws_bind bind;
    size_t stack_size; /* bytes, a multiple of the page size */
    uint64_t spin_ns;  /* or WSFJ_FOREVER */
    size_t max_stacks;
    size_t max_pending; /* detached tasks in the global queue */
    size_t max_spares;
    int (*poll)(void *arg);
    void *poll_arg;
    const char *trace;   /* the name of the trace's file; NULL: no trace */
    const char *record;  /* the name of the file for the graph of a profiled program; NULL: none */
    size_t trace_events; /* room for each worker's; a power of two */
    uint64_t schedtrace; /* period in milliseconds; 0: off */
    uint64_t watchdog;   /* seconds; 0: off */
    int dump_signal;     /* 0: none */
    bool membarrier, cgroup, omp, display, stats;
    enum wsfj_origin from[WSFJ_SETTINGS];
};

extern struct wsfj_settings wsfj_settings;

/* Fills wsfj_settings. `config` may be NULL. Returns 0; EINVAL for an invalid `config` (one line on stderr names the
 * field); ENOMEM if there is no memory for its places. */
int wsfj_settings_read(const ws_config *config);

/* The name of the WSFJ_* variable. */
const char *wsfj_settings_name(enum wsfj_setting setting);

/* What has set the setting, in words. */
const char *wsfj_settings_origin(enum wsfj_setting setting);

#endif
