/* SPDX-License-Identifier: MIT */
#include "task/event.h"

struct wsfj_log wsfj_foreign_log;
