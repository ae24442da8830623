/* SPDX-License-Identifier: MIT */
#include "sums.h"

#include <stdlib.h>

double view_length_bound(int i)
{
    double bound = 100; /* ns */

    for (; i > 1; i -= 2)
        bound *= 10;
    return i ? bound * 3 : bound;
}

static void count_slice(struct view_sums *s, const struct view_slice *slice)
{
    struct view_worker *w = &s->workers[slice->lane];
    struct view_kind *kind = &s->kinds[slice->name];
    uint64_t time = slice->to - slice->from;
    int length = 0;

    w->time[slice->what] += time;
    if (slice->what != VIEW_TASK) {
        w->idle[slice->what]++;
        return;
    }
    w->parts++;
    w->begun += slice->part == 0;
    w->ends[slice->end]++;
    s->resumed += slice->part > 0;
    kind->parts++;
    kind->begun += slice->part == 0;
    kind->time += time;
    kind->longest = time > kind->longest ? time : kind->longest;
    while (length < VIEW_LENGTHS - 1 && (double)time >= view_length_bound(length))
        length++;
    s->lengths[length]++;
}

static void count_instant(struct view_sums *s, const struct view_instant *i)
{
    s->workers[i->lane].events[i->event]++;
    if (i->event != VIEW_steal)
        return;
    s->workers[i->lane].stolen += i->numbers[1];
    s->workers[i->numbers[0]].robbed++;
    s->distances[i->distance]++;
}

static void count_spans(struct view_sums *s)
{
    const struct view_half *open = NULL;

    for (size_t i = 0; i < s->trace->halves.count; i++) {
        const struct view_half *half = &s->trace->halves.at[i];

        if (half->kind < VIEW_REGION || half->kind == VIEW_LOOP)
            continue;
        if (half->is_end) {
            s->regions += half->kind == VIEW_REGION;
            s->blocked += half->kind == VIEW_BLOCKED;
            if (half->kind == VIEW_BLOCKED && open && open->id == half->id)
                s->blocked_time += half->at - open->at;
        }
        open = half->is_end ? NULL : half;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static double median(uint64_t *numbers, size_t count)
{
    if (count == 0)
        return -1;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    return (double)numbers[count / 2];
}

static bool find_medians(struct view_sums *s)
{
    const struct view_trace *t = s->trace;
    size_t most = t->slices.count > t->halves.count ? t->slices.count : t->halves.count, n = 0;
    uint64_t *numbers = malloc((most + 1) * sizeof *numbers);

    if (!numbers)
        return false;
    for (size_t i = 0; i < t->halves.count; i++) {
        const struct view_half *half = &t->halves.at[i];
        const struct view_slice *slice =
            half->kind == VIEW_FROM_STEAL && half->is_end ? view_trace_slice_at(t, half->lane, half->at) : NULL;

        if (slice)
            numbers[n++] = slice->to - slice->from;
    }
    s->stolen_median = median(numbers, n);
    n = 0;
    for (size_t i = 0; i < t->slices.count; i++) {
        if (t->slices.at[i].what == VIEW_TASK)
            numbers[n++] = t->slices.at[i].to - t->slices.at[i].from;
    }
    s->part_median = median(numbers, n);
    free(numbers);
    return true;
}

static int compare_kinds(const void *a, const void *b)
{
    const struct view_kind *x = a, *y = b;

    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x->name < y->name ? -1 : 1;
}

/* Keeps only names of tasks, in order. */
static void order_kinds(struct view_sums *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->num_kinds; i++) {
        s->kinds[i].name = (uint32_t)i;
        s->kinds[i].alone = s->sweep.alone[i];
        if (s->kinds[i].parts)
            s->kinds[kept++] = s->kinds[i];
    }
    s->num_kinds = kept;
    qsort(s->kinds, kept, sizeof *s->kinds, compare_kinds);
}

static void add_up(struct view_sums *s)
{
    for (unsigned i = 0; i <= s->trace->workers; i++) {
        const struct view_worker *w = &s->workers[i];

        for (int j = 0; j < VIEW_WHATS; j++) {
            s->all.time[j] += w->time[j];
            s->all.idle[j] += w->idle[j];
        }
        for (int j = 0; j < VIEW_ENDS; j++)
            s->all.ends[j] += w->ends[j];
        for (int j = 0; j < VIEW_EVENTS; j++)
            s->all.events[j] += w->events[j];
        s->all.parts += w->parts;
        s->all.begun += w->begun;
        s->all.stolen += w->stolen;
        s->all.robbed += w->robbed;
    }
}

bool view_sums_make(struct view_sums *s, const struct view_trace *t)
{
    *s = (struct view_sums){.trace = t, .num_kinds = t->names.count};
    s->workers = calloc(t->workers + 1, sizeof *s->workers);
    s->kinds = calloc(t->names.count + 1, sizeof *s->kinds);
    if (!s->workers || !s->kinds || !view_sweep_make(&s->sweep, t)) {
        view_sums_free(s);
        return false;
    }
    for (size_t i = 0; i < t->slices.count; i++)
        count_slice(s, &t->slices.at[i]);
    for (size_t i = 0; i < t->instants.count; i++)
        count_instant(s, &t->instants.at[i]);
    count_spans(s);
    s->region_time = s->sweep.region;
    add_up(s);
    order_kinds(s);
    if (!find_medians(s)) {
        view_sums_free(s);
        return false;
    }
    return true;
}

void view_sums_free(struct view_sums *s)
{
    free(s->workers);
    free(s->kinds);
    view_sweep_free(&s->sweep);
}

struct view_text view_sums_worker(const struct view_sums *s, unsigned lane)
{
    const struct view_trace *t = s->trace;
    struct view_text name;
    size_t rank = t->ranks.count;

    while (rank > 0 && t->ranks.at[rank - 1].first > lane)
        rank--;
    if (rank > 0)
        snprintf(name.at, sizeof name.at, "%u:%u", t->ranks.at[rank - 1].number, lane - t->ranks.at[rank - 1].first);
    else
        snprintf(name.at, sizeof name.at, "%u", lane);
    return name;
}

double view_sums_used(const struct view_sums *s)
{
    double whole = (double)s->trace->length * s->trace->workers;

    return whole > 0 ? (double)s->all.time[VIEW_TASK] / whole : 0;
}

static struct view_text share(const struct view_trace *t, unsigned first, unsigned end)
{
    double sum = 0;

    for (unsigned i = first; t->cpu && i < end; i++)
        sum += (double)t->cpu[i];
    return t->cpu ? view_percent(sum, (double)t->recorded * (end - first)) : (struct view_text){"-"};
}

struct view_text view_sums_processor(const struct view_sums *s, unsigned worker)
{
    return share(s->trace, worker, worker + 1);
}

struct view_text view_sums_processors(const struct view_sums *s)
{
    return share(s->trace, 0, s->trace->workers);
}
