/* SPDX-License-Identifier: MIT */
/* Loops: what the scheduler does for them. Their own half is include/wsfj/inline/loop_drive.h. */
#ifndef WSFJ_CORE_LOOP_H
#define WSFJ_CORE_LOOP_H

#include <stdint.h>

/* A searching worker makes the time (wsfj_now()) known, so that short loops need not read a clock. */
void wsfj_loop_show_time(uint64_t now);

#endif
