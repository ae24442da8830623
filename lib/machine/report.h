/* SPDX-License-Identifier: MIT */
/* Describes the machine, the settings and the workers, for WSFJ_DISPLAY=1 and wsfj-info. */
#ifndef WSFJ_MACHINE_REPORT_H
#define WSFJ_MACHINE_REPORT_H

#include "base/base.h"

struct wsfj_placement;
struct wsfj_topology;

/* Writes one line; like wsfj_say(). */
typedef void wsfj_report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Numbers of packages, nodes, caches, cores and CPUs. */
void wsfj_report_machine(wsfj_report_line *line, const struct wsfj_topology *topology);

/* Each setting: its value and its origin. */
void wsfj_report_settings(wsfj_report_line *line);

/* How many of the requested places are of no use; nothing if all are. */
void wsfj_report_places(wsfj_report_line *line, const struct wsfj_placement *placement);

/* Each worker: its CPUs, what they lie in, and the number of other workers at each distance. */
void wsfj_report_workers(wsfj_report_line *line, const struct wsfj_topology *topology,
                         const struct wsfj_placement *placement);

#endif
