/* SPDX-License-Identifier: MIT */
/* Parses the texts of settings. Each function returns false for an invalid text and then leaves *value unchanged. */
#ifndef WSFJ_CONFIG_PARSE_H
#define WSFJ_CONFIG_PARSE_H

#include "base/base.h"

/* Values of WSFJ_NUM_WORKERS that are not numbers. */
#define WSFJ_WORKERS_THREADS ((size_t)0)
#define WSFJ_WORKERS_CORES SIZE_MAX

/* Many more workers than processors are allowed; a million would be a mistake. */
#define WSFJ_WORKERS_MOST 4096
#define WSFJ_STACK_LEAST ((size_t)64 << 10) /* AVX-512 and SVE signal frames take several KiB */
#define WSFJ_STACK_MOST ((size_t)64 << 30)
#define WSFJ_SPIN_MOST_US 1000000000u
#define WSFJ_SPARES_MOST 4096
#define WSFJ_EVENTS_LEAST 1024
#define WSFJ_EVENTS_MOST ((size_t)1 << 24)
#define WSFJ_PERIOD_MOST_MS 86400000u
#define WSFJ_WATCHDOG_MOST_S 86400u

bool wsfj_parse_workers(const char *text, size_t *value);
bool wsfj_parse_size(const char *text, size_t *value);
bool wsfj_parse_wait(const char *text, uint64_t *ns);
bool wsfj_parse_flag(const char *text, bool *value);

/* Whether the file of a trace may have this name: the suffix, and something before it. */
#define WSFJ_TRACE_SUFFIX ".json"
bool wsfj_parse_trace(const char *name);

bool wsfj_parse_spares(const char *text, size_t *value);
/* Rounded up to a power of two. */
bool wsfj_parse_events(const char *text, size_t *value);
bool wsfj_parse_up_to(const char *text, uint64_t most, uint64_t *value);

/* The words of OMP_PROC_BIND, and none: true, false, or a list of primary, master, close, spread, of which the first
 * counts. */
bool wsfj_parse_bind(const char *text, enum ws_bind *value);

/* The OMP_* variables whose syntax differs. Threads: a list, the first number counts. Size: KiB if without suffix;
 * raised if too small. Words in any case. */
bool wsfj_parse_omp_threads(const char *text, size_t *value);
bool wsfj_parse_omp_size(const char *text, size_t *value);
bool wsfj_parse_omp_wait(const char *text, uint64_t *ns);
bool wsfj_parse_omp_display(const char *text, bool *value);

#endif
