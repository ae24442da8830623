/* SPDX-License-Identifier: MIT */
/* The machine, the settings and the workers in words: for WSFJ_DISPLAY=1 and for wsfj-info. */
#ifndef WSFJ_MACHINE_REPORT_H
#define WSFJ_MACHINE_REPORT_H

#include "base/base.h"

struct wsfj_placement;
struct wsfj_topology;

/* Writes one line; like wsfj_say(). */
typedef void wsfj_descriptor_fn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How much there is of what. */
void wsfj_report_machine(wsfj_descriptor_fn *line, const struct wsfj_topology *topology);

/* Each setting: its value and what has set it. */
void wsfj_report_settings(wsfj_descriptor_fn *line);

/* Each worker's processors, what they lie in, and how many others are how far. */
void wsfj_report_workers(wsfj_descriptor_fn *line, const struct wsfj_topology *topology, const struct wsfj_placement *layout);

#endif
