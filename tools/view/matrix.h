/* SPDX-License-Identifier: MIT */
/* How often each worker has stolen from each other. If there are many, several share a row. */
#ifndef WSFJ_VIEW_MATRIX_H
#define WSFJ_VIEW_MATRIX_H

#include "trace.h"

enum { VIEW_MATRIX_MOST = 64 };

struct view_matrix {
    unsigned size, each;                               /* rows; workers in each */
    uint64_t cell[VIEW_MATRIX_MOST][VIEW_MATRIX_MOST]; /* [thief][victim] */
    uint64_t most;
};

void view_matrix_make(struct view_matrix *matrix, const struct view_trace *trace);

#endif
