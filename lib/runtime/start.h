/* SPDX-License-Identifier: MIT */
/*
 * Makes the workers from settings and machine, and starts them. For runtime.c, under the init lock.
 */
#ifndef WSFJ_RUNTIME_START_H
#define WSFJ_RUNTIME_START_H

#include "base/base.h"

/* 0, or a positive errno value: then everything is undone. */
int wsfj_start(const ws_config *config);

#endif
