/* SPDX-License-Identifier: MIT */
#include "sweep.h"

#include <stdlib.h>

/* What begins or ends: a slice of a task; a region; a task's wait between two slices; a woken worker's wait. */
enum { REGION = UINT32_MAX - 2, WAIT, WOKEN };
struct step {
    uint64_t at;
    uint32_t slice; /* or one of these */
    bool is_end;
};

struct steps {
    struct step *at;
    size_t count;
};

/* Ends come first: a slice that follows at once does not overlap. */
static int compare(const void *a, const void *b)
{
    const struct step *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (int)y->is_end - (int)x->is_end;
}

/* Adds the parts of a slice to the stretches that it touches. */
static void spread(struct view_sweep *w, const struct view_trace *t, const struct view_slice *slice)
{
    double stretch = (double)t->length / (int)VIEW_BUCKETS, from = (double)slice->from, to = (double)slice->to;
    int first = stretch > 0 ? (int)(from / stretch) : 0;

    for (int i = first; stretch > 0 && i < VIEW_BUCKETS && (double)i * stretch < to; i++) {
        double begin = from > i * stretch ? from : i * stretch;
        double end = to < (i + 1) * stretch ? to : (i + 1) * stretch;

        if (end > begin)
            w->bucket[i][slice->what] += (end - begin) / stretch;
    }
}

static void add(struct steps *steps, uint64_t from, uint64_t to, uint32_t slice)
{
    if (from >= to)
        return;
    steps->at[steps->count++] = (struct step){from, slice, false};
    steps->at[steps->count++] = (struct step){to, slice, true};
}

/* A region without an end lasts to the last moment, a region without a beginning lasts from the first. */
static void add_regions(struct steps *steps, const struct view_trace *t)
{
    const struct view_half *open = NULL;

    for (size_t i = 0; i < t->halves.count; i++) {
        const struct view_half *half = &t->halves.at[i];

        if (half->kind != VIEW_REGION)
            continue;
        if (open && (open->id != half->id || !half->is_end)) {
            add(steps, open->at, t->length, REGION);
            open = NULL;
        }
        if (!half->is_end)
            open = half;
        else
            add(steps, open ? open->at : 0, half->at, REGION);
        if (half->is_end)
            open = NULL;
    }
    if (open)
        add(steps, open->at, t->length, REGION);
}

static bool is_one_stack(const struct view_slice *x, const struct view_slice *y)
{
    return x->rank == y->rank && x->stack == y->stack;
}

/* Orders slices of tasks by rank and stack, then by time. */
static int compare_parts(const void *a, const void *b)
{
    const struct view_slice *x = *(const struct view_slice *const *)a, *y = *(const struct view_slice *const *)b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->part < y->part ? -1 : x->part > y->part;
}

/* A task that is not done waits from the end of a slice to the begin of its next one. False: no memory. */
static bool add_waits(struct steps *steps, const struct view_trace *t)
{
    const struct view_slice **parts = malloc((t->slices.count + 1) * sizeof *parts);
    size_t count = 0;

    if (!parts)
        return false;
    for (size_t i = 0; i < t->slices.count; i++) {
        if (t->slices.at[i].what == VIEW_TASK)
            parts[count++] = &t->slices.at[i];
    }
    qsort(parts, count, sizeof *parts, compare_parts);
    for (size_t i = 0; i < count; i++) {
        const struct view_slice *next = i + 1 < count && is_one_stack(parts[i], parts[i + 1]) ? parts[i + 1] : NULL;

        if (parts[i]->part > 0 && (i == 0 || !is_one_stack(parts[i - 1], parts[i])))
            add(steps, 0, parts[i]->from, WAIT);
        if (parts[i]->end != VIEW_END_DONE && parts[i]->end != VIEW_END_OF_TRACE)
            add(steps, parts[i]->to, next ? next->from : t->length, WAIT);
    }
    free(parts);
    return true;
}

/* The state of the sweep. */
struct state {
    uint64_t at, alone_since;
    unsigned running, regions, waits, woken;
    uint64_t slices; /* the sum of the running slices' numbers: with a single one, its number */
};

static void pass(struct view_sweep *w, const struct view_trace *t, struct state *s, uint64_t to)
{
    uint64_t time = to - s->at;

    w->running[s->running < t->workers ? s->running : t->workers] += time;
    if (s->regions)
        w->region += time;
    if (s->running && !s->regions)
        w->detached += time;
    if (!s->running) {
        w->idle_woken += s->woken ? time : 0;
        *(s->regions ? &w->idle_in_region
          : s->waits ? &w->idle_with_tasks
                     : &w->idle_outside) += s->regions || s->waits || !s->woken ? time : 0;
    }
    if (s->running == 1)
        w->alone[t->slices.at[s->slices].name] += time;
    s->at = to;
}

/* Ends a stretch in which at most one task ran. */
static void end_alone(struct view_sweep *w, const struct view_trace *t, const struct state *s, uint64_t to)
{
    if (to - s->alone_since <= w->longest_alone || s->running != 1)
        return;
    w->longest_alone = to - s->alone_since;
    w->longest_alone_at = s->alone_since;
    w->longest_alone_to = to;
    w->longest_alone_name = t->slices.at[s->slices].name;
}

static void move(struct view_sweep *w, const struct view_trace *t, struct state *s, const struct step *step)
{
    if (step->slice >= REGION) {
        *(step->slice == REGION ? &s->regions
          : step->slice == WAIT ? &s->waits
                                : &s->woken) += step->is_end ? UINT32_MAX : 1u;
        return;
    }
    if (s->running == 1)
        end_alone(w, t, s, step->at);
    s->running += step->is_end ? UINT32_MAX : 1u;
    s->slices += step->is_end ? (uint64_t)0 - step->slice : step->slice;
    s->alone_since = step->at;
}

bool view_sweep_make(struct view_sweep *w, const struct view_trace *t)
{
    struct steps steps = {malloc((6 * t->slices.count + 2 * t->halves.count + 1) * sizeof(struct step)), 0};
    struct state state = {.at = 0};

    w->running = calloc(t->workers + 1, sizeof *w->running);
    w->alone = calloc(t->names.count + 1, sizeof *w->alone);
    if (!steps.at || !w->running || !w->alone || !add_waits(&steps, t)) {
        free(steps.at);
        return false;
    }
    for (size_t i = 0; i < t->slices.count; i++) {
        if (t->slices.at[i].lane == t->workers)
            continue;
        spread(w, t, &t->slices.at[i]);
        if (t->slices.at[i].what == VIEW_TASK)
            add(&steps, t->slices.at[i].from, t->slices.at[i].to, (uint32_t)i);
        else if (t->slices.at[i].what == VIEW_WOKEN)
            add(&steps, t->slices.at[i].from, t->slices.at[i].to, WOKEN);
    }
    add_regions(&steps, t);
    qsort(steps.at, steps.count, sizeof *steps.at, compare);
    for (size_t i = 0; i < steps.count; i++) {
        pass(w, t, &state, steps.at[i].at);
        move(w, t, &state, &steps.at[i]);
    }
    pass(w, t, &state, t->length);
    free(steps.at);
    return true;
}

void view_sweep_free(struct view_sweep *w)
{
    free(w->running);
    free(w->alone);
}
