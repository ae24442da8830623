/* SPDX-License-Identifier: MIT */
/*
 * Turns events into slices, instants, arrows and spans. A lane is a worker, or all other threads together. Neighbours:
 * trace_json.c, which draws them. All of it is safe in signal handlers.
 */
#ifndef WSFJ_OBSERVE_TRACE_WALK_H
#define WSFJ_OBSERVE_TRACE_WALK_H

#include "observe/trace_ring.h"

/* A fact beside a name: the text, or the number if the text is NULL. A NULL `key` ends a list. */
struct wsfj_trace_fact {
    const char *key, *text;
    uint64_t number;
};
#define WSFJ_TRACE_FACTS 5

struct wsfj_trace_label {
    const char *name, *category;
    struct wsfj_trace_fact facts[WSFJ_TRACE_FACTS];
};

/* A way to draw. Times are nanoseconds of CLOCK_MONOTONIC. Each lane's slices come in the order of their times; the
 * rest comes in any order. */
struct wsfj_picture {
    void (*begin)(const struct wsfj_trace *trace);
    void (*lane)(unsigned lane, const char *name);
    void (*slice)(unsigned lane, uint64_t from, uint64_t to, const struct wsfj_trace_label *label);
    void (*instant)(unsigned lane, uint64_t at, const struct wsfj_trace_label *label);
    void (*length)(unsigned lane, uint64_t at, uint64_t tasks); /* of the deque of the stack that the worker runs */
    void (*arrow)(unsigned lane, uint64_t at, uint64_t id, const char *name, bool is_end);
    void (*span)(unsigned lane, uint64_t at, uint64_t id, const struct wsfj_trace_label *label,
                 bool is_end); /* not bound to a lane */
    void (*end)(const struct wsfj_trace *trace);
};

extern const struct wsfj_picture wsfj_trace_json;

void wsfj_trace_walk(const struct wsfj_trace *trace, const struct wsfj_picture *picture);

#endif
