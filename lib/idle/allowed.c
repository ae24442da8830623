/* SPDX-License-Identifier: MIT */
#include "idle/allowed.h"

unsigned wsfj_cpu_limit_allowed;
