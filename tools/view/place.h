/* SPDX-License-Identifier: MIT */
/* Where the traces of an MPI job stand among each other: which rank each is of, and when it begins. */
#ifndef WSFJ_VIEW_PLACE_H
#define WSFJ_VIEW_PLACE_H

#include "join.h"
#include "message.h"

/* A part with what places it in the whole. */
struct view_place {
    struct view_part *part;
    struct view_job job;
    int64_t start;  /* of the trace, from the common zero */
    uint64_t shift; /* of its times */
};

/* One line on stderr, with "wsfj-view: " before it. Returns false. */
__attribute__((format(printf, 1, 2))) bool view_say(const char *format, ...);

/* Finds the ranks of all parts, and puts the places into their order. False: a line says why they are not of one job. */
bool view_place(struct view_place *places, struct view_part *parts, size_t count);

/* Finds how much later than the first trace each begins. */
void view_align(struct view_place *places, size_t count);

#endif
