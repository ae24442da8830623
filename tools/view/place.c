/* SPDX-License-Identifier: MIT */
#include "place.h"

#include "put.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool view_say(const char *format, ...)
{
    va_list arguments;

    fputs("wsfj-view: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    putc('\n', stderr);
    return false;
}

/* Whether both can be of one job, and are not of one rank. */
static bool go_together(const struct view_place *a, const struct view_place *b)
{
    const struct view_trace *x = &a->part->trace, *y = &b->part->trace;

    if (x->process == y->process && x->start == y->start)
        return view_say("%s and %s are the same trace", a->part->name, b->part->name);
    if (!a->job.ranks || !b->job.ranks)
        return true;
    if (a->job.ranks != b->job.ranks)
        return view_say("%s is of a job of %u rank%s, %s of %u", a->part->name, a->job.ranks, VIEW_S(a->job.ranks),
                        b->part->name, b->job.ranks);
    return a->job.rank != b->job.rank ||
           view_say("%s and %s are both of rank %u", a->part->name, b->part->name, a->job.rank);
}

/* Traces that do not say their rank are taken as ranks of one node, in the order in which they are given. */
static void number(struct view_place *places, size_t count)
{
    const struct view_place *unknown = NULL;

    for (size_t i = 0; i < count && !unknown; i++)
        unknown = places[i].job.ranks ? NULL : &places[i];
    if (!unknown)
        return;
    (void)view_say(
        "%s has no mark of ws_mpi_init(): ranks are numbered as the files are given, and times are those of the "
        "machine's clock",
        unknown->part->name);
    for (size_t i = 0; i < count; i++)
        places[i].job = (struct view_job){.rank = (unsigned)i, .ranks = (unsigned)count};
}

static int compare_ranks(const void *a, const void *b)
{
    const struct view_place *x = a, *y = b;

    return x->job.rank < y->job.rank ? -1 : x->job.rank > y->job.rank;
}

/* The ranks of a node have one clock. Its zero is when the first of them has left the barrier. */
static uint64_t zero_of_node(const struct view_place *places, size_t count, unsigned node)
{
    uint64_t zero = UINT64_MAX;

    for (size_t i = 0; i < count; i++)
        if (places[i].job.node == node && places[i].job.zero < zero)
            zero = places[i].job.zero;
    return zero;
}

void view_align(struct view_place *places, size_t count)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < count; i++) {
        places[i].start = (int64_t)(places[i].part->trace.start - zero_of_node(places, count, places[i].job.node));
        first = places[i].start < first ? places[i].start : first;
    }
    for (size_t i = 0; i < count; i++)
        places[i].shift = (uint64_t)(places[i].start - first);
}

bool view_place(struct view_place *places, struct view_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct view_place){.part = &parts[i], .job = view_job_of(&parts[i].trace)};
        for (size_t j = 0; j < i; j++)
            if (!go_together(&places[j], &places[i]))
                return false;
    }
    number(places, count);
    qsort(places, count, sizeof *places, compare_ranks);
    return true;
}
