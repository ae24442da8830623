/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>

/* Beyond 2^52 ns, 52 days, the numbers of the file are not exact to the nanosecond. */
static uint64_t blur(const struct view_trace *t, uint64_t at)
{
    return (t->start + at) >> 51;
}

static bool lanes_have_names(const struct view_trace *t, struct view_source *s)
{
    for (unsigned lane = 0; lane <= t->workers; lane++) {
        if (t->titled[lane] != 3)
            return view_fail(s, s->size, "tid %u has no thread_%s", lane + 1,
                             t->titled[lane] & 1 ? "sort_index" : "name");
    }
    return true;
}

static bool slices_do_not_overlap(const struct view_trace *t, struct view_source *s)
{
    for (size_t i = 1; i < t->slices.count; i++) {
        const struct view_slice *a = &t->slices.at[i - 1], *b = &t->slices.at[i];

        if (a->lane == b->lane && b->from + blur(t, b->from) < a->to)
            return view_fail(s, b->place, "slice %s of tid %u begins %" PRIu64 " ns before the one before ends",
                             t->names.at[b->name].text, b->lane + 1, a->to - b->from);
    }
    return true;
}

/* Orders the parts of all tasks: by stack, then by time. */
static int compare_parts(const void *a, const void *b)
{
    const struct view_slice *x = *(const struct view_slice *const *)a, *y = *(const struct view_slice *const *)b;

    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

struct parts {
    const struct view_slice **at;
    size_t count;
};

static bool collect_parts(const struct view_trace *t, struct parts *parts)
{
    *parts = (struct parts){malloc((t->slices.count + 1) * sizeof *parts->at), 0};
    if (!parts->at)
        return false;
    for (size_t i = 0; i < t->slices.count; i++) {
        if (t->slices.at[i].what == VIEW_TASK)
            parts->at[parts->count++] = &t->slices.at[i];
    }
    qsort(parts->at, parts->count, sizeof *parts->at, compare_parts);
    return true;
}

/* The part of the task on `stack` that ran before the time `at`, or NULL. */
static const struct view_slice *part_before(const struct parts *parts, uint32_t stack, uint64_t at)
{
    size_t low = 0, high = parts->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct view_slice *slice = parts->at[middle];

        if (slice->stack < stack || (slice->stack == stack && slice->from < at))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && parts->at[low - 1]->stack == stack ? parts->at[low - 1] : NULL;
}

/* A resumed task has no arrow from another one if it had yielded or blocked, or if what it waited for was done
 * meanwhile. But it must have run before. */
static bool resumes_by_itself(const struct parts *parts, const struct view_half *end)
{
    const struct view_slice *before = part_before(parts, (uint32_t)(end->id >> 32 & 0xfffffff), end->at);

    return before && before->end != VIEW_END_DONE && before->to <= end->at;
}

/* Halves are in order of time: a beginning, an end, a beginning ... Any of them may be among the dropped events. */
static bool halves_are_pairs(const struct view_trace *t, struct view_source *s, const struct parts *parts)
{
    const struct view_half *open = NULL;

    for (size_t i = 0; i <= t->halves.count; i++) {
        const struct view_half *half = i < t->halves.count ? &t->halves.at[i] : NULL;

        if (open && (!half || half->kind != open->kind || half->id != open->id)) {
            if (open->kind == VIEW_FROM_STEAL)
                return view_fail(s, open->place, "a steal that does not arrive (id %" PRIu64 ")", open->id);
            open = NULL; /* it had not ended when the trace ended */
        }
        if (!half)
            break;
        if (half->kind == VIEW_LOOP)
            continue; /* loops of one name may be nested */
        if (!half->is_end) {
            if (open && !t->dropped_all)
                return view_fail(s, half->place, "a second beginning of %s %" PRIu64 ", the first has no end",
                                 view_link_names[half->kind], half->id);
            open = half;
            continue;
        }
        if (!open && half->kind == VIEW_FROM_STEAL)
            return view_fail(s, half->place, "a steal without a beginning (id %" PRIu64 ")", half->id);
        if (!open && !t->dropped_all && !(half->kind == VIEW_FROM_RESUME && resumes_by_itself(parts, half)))
            return view_fail(s, half->place, "an end of %s %" PRIu64 " without a beginning",
                             view_link_names[half->kind], half->id);
        open = NULL;
    }
    return true;
}

/* An arrow must end where a slice begins. */
static bool arrows_end_at_slices(const struct view_trace *t, struct view_source *s)
{
    for (size_t i = 0; i < t->halves.count; i++) {
        const struct view_half *half = &t->halves.at[i];

        if (half->kind <= VIEW_FROM_RESUME && half->is_end && !view_trace_slice_at(t, half->lane, half->at))
            return view_fail(s, half->place, "an arrow ends where no slice of tid %u begins", half->lane + 1);
    }
    return true;
}

bool view_check(const struct view_trace *t, struct view_source *s)
{
    struct parts parts;
    bool ok = lanes_have_names(t, s) && slices_do_not_overlap(t, s) && arrows_end_at_slices(t, s);

    if (!ok)
        return false;
    if (!collect_parts(t, &parts))
        return view_fail(s, 0, "no memory to check it");
    ok = halves_are_pairs(t, s, &parts);
    free(parts.at);
    return ok;
}
