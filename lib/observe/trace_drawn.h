/* SPDX-License-Identifier: MIT */
/*
 * What a row of event_rows.h says in its column `drawn`, as initializers of two members: whether the event is a moment, and
 * what its numbers are called. For the tables of trace_walk.c and of wsfj-view.
 */
#ifndef WSFJ_OBSERVE_TRACE_DRAWN_H
#define WSFJ_OBSERVE_TRACE_DRAWN_H

#define MOMENT(a, b, c)                                                                                                \
    true,                                                                                                              \
    {                                                                                                                  \
        a, b, c                                                                                                        \
    }
#define LANE                                                                                                           \
    false,                                                                                                             \
    {                                                                                                                  \
        NULL, NULL, NULL                                                                                               \
    }
#define UNDRAWN LANE

#endif
