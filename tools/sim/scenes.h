/* SPDX-License-Identifier: MIT */
/*
 * Small programs of bench/micro whose time shows what a steal, an exposure or a suspension costs. The same files are
 * compiled with the library (wsfj-calibrate) and for virtual time (calibrate_scenes.c).
 */
#ifndef TOOLS_SIM_SCENES_H
#define TOOLS_SIM_SCENES_H

/* What a scene takes, in nanoseconds: the 10th percentile, as other work may disturb most. Negative: not measured. */
double scene_measure(const char *name);

#endif
