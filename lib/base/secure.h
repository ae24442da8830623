/* SPDX-License-Identifier: MIT */
/*
 * Processes with more rights than whoever has started them (set-uid, set-gid, file capabilities): nothing of the
 * environment is believed there. Our own variables are read by secure_getenv(); this is about others'.
 */
#ifndef WSFJ_BASE_SECURE_H
#define WSFJ_BASE_SECURE_H

#include "base/base.h"

/* True if hwloc must not be asked: it reads its HWLOC_* variables by getenv(), and HWLOC_PLUGINS_PATH names code that it
 * runs. */
bool wsfj_secure_hides_hwloc(void);

#endif
