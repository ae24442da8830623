/* SPDX-License-Identifier: MIT */
/* What libwsfj-mpi's marks say (lib/mpi/trace_marks.h): which rank a trace is of, and the messages between ranks. */
#ifndef WSFJ_VIEW_MESSAGE_H
#define WSFJ_VIEW_MESSAGE_H

#include "trace.h"

struct view_job {
    unsigned rank, ranks, node; /* 0 ranks: the trace does not say */
    uint64_t zero;              /* when the rank left the barrier that all share, by its machine's clock */
};

struct view_job view_job_of(const struct view_trace *trace);

/* What has no arrow because the other end is missing. */
struct view_unmatched {
    size_t sends, receives;
};

/*
 * Finds the messages of a joined trace: the n-th from one rank to another with one tag is the n-th that is received there,
 * since MPI's messages do not overtake. Ranks that have lost events, or are not there, are left out. False: no memory.
 */
bool view_messages_find(struct view_trace *joined, struct view_unmatched *unmatched);

#endif
