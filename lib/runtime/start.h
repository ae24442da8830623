/* SPDX-License-Identifier: MIT */
/*
 * From settings and machine to workers that search. Called by runtime.c, one thread at a time.
 */
#ifndef WSFJ_RUNTIME_START_H
#define WSFJ_RUNTIME_START_H

#include "base/base.h"

/* 0, or a positive errno value: then nothing is left of it. */
int wsfj_start(const ws_config *config);

#endif
