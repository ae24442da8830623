/* SPDX-License-Identifier: MIT */
/* The clock that watches loops which are predicted to be short: a searching worker keeps it; else it is the kernel's. */
#ifndef WSFJ_IDLE_LOOP_CLOCK_H
#define WSFJ_IDLE_LOOP_CLOCK_H

#include <stdint.h>

/* A searching worker makes the time (wsfj_now()) known, so that short loops need not read a clock. */
void wsfj_loop_show_time(uint64_t now);

#endif
