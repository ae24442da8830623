/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include "event.h"
#include "observe/trace_drawn.h"
#include "observe/trace_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const view_end_names[VIEW_ENDS] = {"other",  "done",   "waits for children", "waits",
                                               "yields", "blocks", "end of trace"};
const char *const view_distance_names[VIEW_DISTANCES] = {"core", "cache", "numa", "package", "machine"};
const char *const view_link_names[VIEW_LINKS] = {"steal", "resume", "region", "blocked", "loop"};

#define COLUMN(field, heading) #field
#define FIELD(field) #field
#define UNCOUNTED NULL
#define ROW(name, recorded, counted, drawn, text) {#name, recorded ? counted : NULL, drawn, text},
const struct view_row view_rows[VIEW_EVENTS] = {WSFJ_EVENTS(
    ROW){"other", NULL, true, {NULL, NULL, NULL}, "recorded \"{name}\", an event that this wsfj-view does not know"}};
#undef ROW
#undef UNCOUNTED
#undef FIELD
#undef COLUMN

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Equal slices: in the order of the file. */
static int compare_slices(const void *a, const void *b)
{
    const struct view_slice *x = a, *y = b;
    int order = compare(x->lane, y->lane);

    if (!order)
        order = compare(x->from, y->from);
    if (!order)
        order = compare(x->to, y->to);
    return order ? order : compare(x->place, y->place);
}

static int compare_halves(const void *a, const void *b)
{
    const struct view_half *x = a, *y = b;
    int order = compare(x->kind, y->kind);

    if (!order)
        order = compare(x->id, y->id);
    if (!order)
        order = compare(x->at, y->at);
    if (!order && x->kind <= VIEW_FROM_RESUME)
        order = compare(x->is_end, y->is_end);
    return order ? order : compare(x->place, y->place);
}

/* Refuses other formats: their names mean something else. The first format did not state its version. */
static bool check_format(struct view_source *s, const json_t *header, size_t place)
{
    const json_t *format = json_object_get(header, "format");
    long long version = format ? json_integer_value(format) : 1;

    if (format && !json_is_integer(format))
        return view_fail(s, place, "otherData: format is not a whole number");
    if (version < WSFJ_TRACE_FORMAT)
        return view_fail(s, place, "a trace of an older libwsfj (format %lld, not %d): record it again", version,
                         WSFJ_TRACE_FORMAT);
    return version == WSFJ_TRACE_FORMAT ||
           view_fail(s, place,
                     "a trace of a newer libwsfj (format %lld, not %d): record it again, or take its wsfj-view",
                     version, WSFJ_TRACE_FORMAT);
}

/* A list of a number for each lane; NULL if something is wrong. */
static uint64_t *read_list(const struct view_trace *t, struct view_source *s, const json_t *list, const char *key,
                           size_t place)
{
    uint64_t *numbers = NULL;

    if (json_array_size(list) != t->workers + 1)
        (void)view_fail(s, place, "otherData: %s has not one number for each tid", key);
    else if (!(numbers = calloc(t->workers + 1, sizeof *numbers)))
        (void)view_fail(s, place, "no memory for so many workers");
    for (unsigned i = 0; numbers && i <= t->workers; i++) {
        const json_t *number = json_array_get(list, i);

        if (!json_is_integer(number) || json_integer_value(number) < 0) {
            (void)view_fail(s, place, "otherData: %s has something that is no whole number", key);
            free(numbers);
            return NULL;
        }
        numbers[i] = (uint64_t)json_integer_value(number);
    }
    return numbers;
}

/* Lists that a trace need not have. */
static bool read_counters(struct view_trace *t, struct view_source *s, const json_t *header, size_t place)
{
    const json_t *steals = json_object_get(header, "steals"), *failed = json_object_get(header, "steals_failed");
    const json_t *cpu = json_object_get(header, "cpu_ns"), *delay = json_object_get(header, "delay_ns");
    const json_t *cpus = json_object_get(header, "cpus");

    if (cpus && (!json_is_integer(cpus) || json_integer_value(cpus) < 0 || json_integer_value(cpus) > UINT32_MAX))
        return view_fail(s, place, "otherData: cpus is no number of processors");
    t->cpus = (unsigned)json_integer_value(cpus);
    if (steals && !(t->steals = read_list(t, s, steals, "steals", place)))
        return false;
    if (failed && !(t->steals_failed = read_list(t, s, failed, "steals_failed", place)))
        return false;
    if (delay && !(t->delay = read_list(t, s, delay, "delay_ns", place)))
        return false;
    return !cpu || (t->cpu = read_list(t, s, cpu, "cpu_ns", place)) != NULL;
}

/* {"producer":"libwsfj 1.2.3","format":4,"workers":2,"from":us,"to":us,"dropped":[0,0,0],"steals":[...], ...} */
static bool read_header(struct view_trace *t, struct view_source *s, const json_t *header, size_t place)
{
    const char *producer = json_string_value(json_object_get(header, "producer"));
    const json_t *workers = json_object_get(header, "workers"), *dropped = json_object_get(header, "dropped");
    uint64_t end;

    if (!producer || strncmp(producer, "libwsfj ", 8) != 0)
        return view_fail(s, place, "not a trace of libwsfj: otherData names no such producer");
    if (!check_format(s, header, place))
        return false;
    snprintf(t->producer, sizeof t->producer, "%s", producer);
    if (!json_is_integer(workers) || json_integer_value(workers) < 1 || json_integer_value(workers) > VIEW_WORKERS_MOST)
        return view_fail(s, place, "otherData: workers is no number from 1 to %d", VIEW_WORKERS_MOST);
    t->workers = (unsigned)json_integer_value(workers);
    if (!view_event_time(s, header, "from", place, &t->start) || !view_event_time(s, header, "to", place, &end))
        return false;
    if (end < t->start)
        return view_fail(s, place, "otherData: the trace ends before it begins");
    t->recorded = t->length = end - t->start;
    t->dropped = read_list(t, s, dropped, "dropped", place);
    if (!t->dropped || !read_counters(t, s, header, place))
        return false;
    t->titled = calloc(t->workers + 1, 1);
    t->first = calloc(t->workers + 2, sizeof *t->first);
    if (!t->titled || !t->first)
        return view_fail(s, place, "no memory for so many workers");
    for (unsigned i = 0; i <= t->workers; i++)
        t->dropped_all += t->dropped[i];
    return true;
}

static bool read_events(struct view_trace *t, struct view_source *s)
{
    if (!view_source_take(s, '['))
        return view_fail(s, s->at, "traceEvents is no list");
    if (view_source_take(s, ']'))
        return true;
    do {
        size_t place;
        json_t *event;
        bool ok;

        view_source_skip(s);
        place = s->at;
        event = view_source_value(s);
        ok = event && view_event_read(t, s, event, place);
        json_decref(event);
        if (!ok)
            return false;
    } while (view_source_take(s, ','));
    return view_source_take(s, ']') ||
           view_fail(s, s->at, s->at == s->size ? "the file ends here, cut short" : "no comma between events");
}

/* Reads a key of the outermost object, and its value. */
static bool read_member(struct view_trace *t, struct view_source *s, bool *has_events)
{
    json_t *key = view_source_value(s), *value = NULL;
    const char *name = json_string_value(key);
    size_t place = s->at;
    bool ok = name || view_fail(s, place, "no JSON: a key that is no text");

    ok = ok && (view_source_take(s, ':') || view_fail(s, s->at, "no JSON: ':' expected"));
    if (ok && strcmp(name, "traceEvents") == 0) {
        if (!t->workers || *has_events)
            ok = view_fail(s, place,
                           *has_events ? "a second traceEvents"
                                       : "not a trace of libwsfj: no otherData before traceEvents");
        *has_events = true;
        ok = ok && read_events(t, s);
    } else if (ok) {
        value = view_source_value(s);
        ok = value != NULL;
        if (ok && strcmp(name, "otherData") == 0)
            ok = t->workers ? view_fail(s, place, "a second otherData") : read_header(t, s, value, place);
    }
    json_decref(value);
    json_decref(key);
    return ok;
}

void view_trace_order(struct view_trace *t)
{
    memset(t->first, 0, (t->workers + 2) * sizeof *t->first);
    if (t->slices.count)
        qsort(t->slices.at, t->slices.count, sizeof *t->slices.at, compare_slices);
    if (t->halves.count)
        qsort(t->halves.at, t->halves.count, sizeof *t->halves.at, compare_halves);
    for (size_t i = 0; i < t->slices.count; i++) {
        const struct view_slice *slice = &t->slices.at[i];

        t->first[slice->lane + 1] = i + 1;
        t->length = slice->to > t->length ? slice->to : t->length;
    }
    for (size_t i = 0; i < t->instants.count; i++)
        t->length = t->instants.at[i].at > t->length ? t->instants.at[i].at : t->length;
    for (size_t i = 0; i < t->halves.count; i++)
        t->length = t->halves.at[i].at > t->length ? t->halves.at[i].at : t->length;
    for (unsigned lane = 0; lane <= t->workers; lane++) /* lanes without slices */
        t->first[lane + 1] = t->first[lane + 1] > t->first[lane] ? t->first[lane + 1] : t->first[lane];
}

bool view_trace_read(struct view_trace *t, struct view_source *s)
{
    bool has_events = false;

    *t = (struct view_trace){.workers = 0};
    if (!view_source_take(s, '{'))
        return view_fail(s, s->at, "not a trace: no JSON object");
    if (view_source_take(s, '}'))
        return view_fail(s, s->at, "not a trace: no traceEvents");
    do {
        if (!read_member(t, s, &has_events))
            return false;
    } while (view_source_take(s, ','));
    if (!view_source_take(s, '}'))
        return view_fail(s, s->at, s->at == s->size ? "the file ends here, cut short" : "no JSON: ',' or '}' expected");
    view_source_skip(s);
    if (s->at != s->size)
        return view_fail(s, s->at, "something stands behind the trace");
    if (!has_events)
        return view_fail(s, s->size, "not a trace: no traceEvents");
    view_trace_order(t);
    return true;
}

void view_trace_free(struct view_trace *t)
{
    free(t->dropped);
    free(t->steals);
    free(t->steals_failed);
    free(t->cpu);
    free(t->delay);
    free(t->titled);
    free(t->first);
    free(t->slices.at);
    free(t->instants.at);
    free(t->halves.at);
    free(t->ranks.at);
    free(t->messages.at);
    view_names_free(&t->names);
}

const struct view_slice *view_trace_slice_at(const struct view_trace *t, unsigned lane, uint64_t from)
{
    size_t low = t->first[lane], high = t->first[lane + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (t->slices.at[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < t->first[lane + 1] && t->slices.at[low].from == from && t->slices.at[low].what != VIEW_TASK)
        low++; /* skip a slice without length */
    return low < t->first[lane + 1] && t->slices.at[low].from == from ? &t->slices.at[low] : NULL;
}
