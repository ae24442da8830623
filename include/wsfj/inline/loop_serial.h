/* SPDX-License-Identifier: MIT */
/* The serial elision of the loops: the plain loop. */
#ifndef WSFJ_LOOP_SERIAL_H
#define WSFJ_LOOP_SERIAL_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop_args.h"
#include "serial.h"

#define WSFJ_EACH_FRAME
#define WSFJ_EACH_CALL(f, args) wsfj_body_1_##f args
#define WSFJ_LOOP_WHERE
#define WSFJ_LOOP_HERE
#define WSFJ_EACH_VALUE(R, f, names) return wsfj_body_1_##f(wsfj_lo WSFJ_UN names)
#define WSFJ_LOOP_FUNCTION static WSFJ_UNUSED

#define WSFJ_EACH_PASS

#define WSFJ_LOOP_TASKS(grain, list, names, params, f, I, run)                                                         \
    WS_TASK_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list){run} WSFJ_NOTHING

#define ws_for(...) ws_run(__VA_ARGS__)

#endif
