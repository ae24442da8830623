/* SPDX-License-Identifier: MIT */
/*
 * The settings in force: API beats environment beats default. One table (settings.c) has every variable with its
 * default and its range; a value that makes no sense costs one line on stderr and is not used.
 */
#ifndef WSFJ_SETTINGS_H
#define WSFJ_SETTINGS_H

#include "base.h"

#define WSFJ_FOREVER UINT64_MAX

/* What WSFJ_NUM_WORKERS asks for when it is not a number. */
#define WSFJ_WORKERS_THREADS ((size_t)0)
#define WSFJ_WORKERS_CORES SIZE_MAX

struct wsfj_settings {
    size_t num_workers; /* or one of the two above */
    enum ws_bind bind;
    size_t stack_size; /* bytes, a multiple of the page size */
    uint64_t spin_ns;  /* or WSFJ_FOREVER */
    size_t max_stacks;
    size_t max_pending; /* detached tasks in the global queue */
    bool membarrier, cgroup, display, stats;
    bool bind_asked; /* somebody has chosen `bind` */
};

extern struct wsfj_settings wsfj_settings;

/* Fills wsfj_settings. `config` may be NULL. 0, or EINVAL for an impossible `config` (one line names the field). */
int wsfj_settings_read(const ws_config *config);

/* The parsers, for tests: false if the text makes no sense; then *value is unchanged. */
bool wsfj_parse_workers(const char *text, size_t *value);
bool wsfj_parse_bind(const char *text, enum ws_bind *value);
bool wsfj_parse_size(const char *text, size_t *value);
bool wsfj_parse_wait(const char *text, uint64_t *ns);
bool wsfj_parse_flag(const char *text, bool *value);

#endif
