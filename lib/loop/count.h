/* SPDX-License-Identifier: MIT */
/* How long a loop is that has not begun: its ends are among the arguments of its task. */
#ifndef WSFJ_LOOP_COUNT_H
#define WSFJ_LOOP_COUNT_H

#include <stdint.h>

struct wsfj_loop_site;

/* The iterations of a loop whose task has these arguments. */
uint64_t wsfj_loop_count(const struct wsfj_loop_site *site, const char *args);

#endif
