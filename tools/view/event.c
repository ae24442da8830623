/* SPDX-License-Identifier: MIT */
#include "event.h"

#include "array.h"

#include <math.h>
#include <string.h>

#define MICROSECONDS_MOST 9e15 /* about the most that 64 bits of nanoseconds hold */

/* What the functions below pass to each other. */
struct reader {
    struct view_trace *trace;
    struct view_source *source;
    const json_t *event, *args;
    size_t place;
    unsigned lane;
};

#define FAIL(r, ...) view_fail((r)->source, (r)->place, __VA_ARGS__)

static bool no_memory(struct reader *r)
{
    return FAIL(r, "no memory for so many events");
}

bool view_event_time(struct view_source *source, const json_t *object, const char *key, size_t place, uint64_t *ns)
{
    const json_t *value = json_object_get(object, key);
    double us = json_number_value(value);

    if (!json_is_number(value))
        return view_fail(source, place, "%s is %s", key, value ? "not a number" : "missing");
    if (!(us >= 0) || us > MICROSECONDS_MOST)
        return view_fail(source, place, "%s is %g, which is no time", key, us);
    *ns = (uint64_t)us * 1000 + (uint64_t)llround((us - floor(us)) * 1000);
    return true;
}

/* The time of an event since the beginning of the trace. */
static bool take_moment(struct reader *r, uint64_t *at)
{
    uint64_t ns;

    if (!view_event_time(r->source, r->event, "ts", r->place, &ns))
        return false;
    if (ns < r->trace->start)
        return FAIL(r, "ts is before the trace begins");
    *at = ns - r->trace->start;
    return true;
}

static bool take_text(struct reader *r, const json_t *object, const char *key, const char **text)
{
    const json_t *value = json_object_get(object, key);

    *text = json_string_value(value);
    return *text || FAIL(r, "%s is %s", key, value ? "not a text" : "missing");
}

static bool take_whole(struct reader *r, const json_t *object, const char *key, int64_t least, int64_t most,
                       int64_t *number)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value))
        return FAIL(r, "%s is %s", key, value ? "not a whole number" : "missing");
    *number = json_integer_value(value);
    return (*number >= least && *number <= most) || FAIL(r, "%s is %lld, out of range", key, (long long)*number);
}

static bool take_number(struct reader *r, const char *key, uint32_t *number)
{
    int64_t value = 0;

    if (!take_whole(r, r->args, key, 0, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

/* The index of a text in a list; -1 if it is not there. */
static int find(const char *text, const char *const *list, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(text, list[i]) == 0)
            return i;
    }
    return -1;
}

static bool name_of(struct reader *r, const char *text, const char *where, uint32_t *name)
{
    *name = view_names_find(&r->trace->names, text, where);
    return *name != UINT32_MAX || no_memory(r);
}

static bool read_metadata(struct reader *r, const char *name)
{
    bool is_name = strcmp(name, "thread_name") == 0;
    unsigned char bit = is_name ? 1 : 2;
    const char *text;
    int64_t order;

    if (!is_name && strcmp(name, "thread_sort_index") != 0)
        return FAIL(r, "unknown metadata %.40s", name);
    if (is_name ? !take_text(r, r->args, "name", &text) : !take_whole(r, r->args, "sort_index", 0, UINT32_MAX, &order))
        return false;
    if (r->trace->titled[r->lane] & bit)
        return FAIL(r, "a second %s of this tid", name);
    r->trace->titled[r->lane] |= bit;
    return true;
}

static bool read_slice(struct reader *r, const char *name)
{
    static const char *const categories[] = {"task", "search", "park"};
    struct view_slice slice = {.place = r->place, .lane = r->lane};
    const char *category, *where = "", *end;
    uint64_t length;
    int what;

    if (!take_moment(r, &slice.from) || !view_event_time(r->source, r->event, "dur", r->place, &length) ||
        !take_text(r, r->event, "cat", &category))
        return false;
    what = find(category, categories, 3);
    if (what < 0)
        return FAIL(r, "unknown category %.40s of a slice", category);
    slice.what = (uint8_t)(what == VIEW_PARK && strcmp(name, "surplus") == 0 ? VIEW_SURPLUS : what);
    slice.to = slice.from + length;
    if (what == VIEW_TASK) {
        if (!take_number(r, "stack", &slice.stack) || !take_number(r, "part", &slice.part) ||
            !take_text(r, r->args, "end", &end) ||
            (json_object_get(r->args, "children") && !take_number(r, "children", &slice.children)) ||
            (json_object_get(r->args, "where") && !take_text(r, r->args, "where", &where)))
            return false;
        what = find(end, view_end_names, VIEW_ENDS);
        slice.end = (uint8_t)(what < 0 ? VIEW_END_OTHER : what);
    }
    if (!name_of(r, name, where, &slice.name))
        return false;
    if (!VIEW_GROW(&r->trace->slices))
        return no_memory(r);
    r->trace->slices.at[r->trace->slices.count++] = slice;
    return true;
}

/* The moment of this name, which has blanks for underscores. */
static enum view_event find_moment(const char *text)
{
    for (int i = 0; i < VIEW_OTHER; i++) {
        const char *name = view_rows[i].name, *rest = text;

        for (; *name && (*rest == *name || (*rest == ' ' && *name == '_')); name++)
            rest++;
        if (view_rows[i].is_moment && !*name && !*rest)
            return (enum view_event)i;
    }
    return VIEW_OTHER;
}

/* Reads the numbers of an event. */
static bool read_facts(struct reader *r, struct view_instant *i)
{
    const char *const *keys = view_rows[i->event].keys;
    const char *distance;
    int d;

    for (int n = 0; n < 3 && keys[n]; n++) {
        if (!take_number(r, keys[n], &i->numbers[n]))
            return false;
        if (strcmp(keys[n], "victim") == 0 && i->numbers[n] >= r->trace->workers)
            return FAIL(r, "victim is no worker");
    }
    if (i->event != VIEW_steal)
        return true;
    if (!take_text(r, r->args, "distance", &distance))
        return false;
    d = find(distance, view_distance_names, VIEW_DISTANCES);
    i->distance = (uint8_t)d;
    return d >= 0 || FAIL(r, "distance is not core, cache, numa, package or machine");
}

static bool read_instant(struct reader *r, const char *name)
{
    struct view_instant instant = {.place = r->place, .lane = r->lane};
    const char *category, *scope;
    bool is_mark;

    if (!take_moment(r, &instant.at) || !take_text(r, r->event, "s", &scope) ||
        !take_text(r, r->event, "cat", &category))
        return false;
    if (strlen(scope) != 1 || !strchr("tpg", *scope))
        return FAIL(r, "s is none of t, p, g");
    is_mark = strcmp(category, "mark") == 0;
    if (!is_mark && strcmp(category, "event") != 0)
        return FAIL(r, "unknown category %.40s of an instant", category);
    instant.event = (uint8_t)(is_mark ? VIEW_mark : find_moment(name));
    if (!read_facts(r, &instant) || !name_of(r, name, "", &instant.name))
        return false;
    if (!VIEW_GROW(&r->trace->instants))
        return no_memory(r);
    r->trace->instants.at[r->trace->instants.count++] = instant;
    return true;
}

/* The length of a deque: only checked. It is for other viewers. */
static bool read_counter(struct reader *r)
{
    uint64_t at;
    const char *key;
    json_t *value;

    if (!take_moment(r, &at))
        return false;
    if (json_object_size(r->args) == 0)
        return FAIL(r, "a counter without a value in args");
    json_object_foreach((json_t *)r->args, key, value)
    {
        if (!json_is_number(value))
            return FAIL(r, "args: the counter's %.40s is not a number", key);
    }
    return true;
}

static bool read_half(struct reader *r, const char *name, const char *category, bool is_end)
{
    const json_t *id = json_object_get(r->event, "id");
    struct view_half half = {.place = r->place, .lane = r->lane, .is_end = is_end};
    const char *text, *given;
    int kind = find(name, view_link_names, VIEW_LOOP);
    char *rest;

    if (!take_moment(r, &half.at) || !take_text(r, r->event, "cat", &given))
        return false;
    if (strcmp(category, "span") == 0 && strcmp(given, "loop") == 0) { /* under its own name */
        kind = VIEW_LOOP;
        if (!name_of(r, name, "", &half.name))
            return false;
    } else if (kind < 0 || strcmp(given, category) != 0 || (kind >= VIEW_REGION) != (strcmp(category, "span") == 0))
        return FAIL(r, "unknown name %.40s of category %.40s", name, given);
    text = json_string_value(id);
    if (!text || *text < '0' || *text > '9' || (half.id = strtoull(text, &rest, 10), *rest))
        return FAIL(r, "id is %s", id ? "not a number in quotes" : "missing");
    half.kind = (uint8_t)kind;
    if (!VIEW_GROW(&r->trace->halves))
        return no_memory(r);
    r->trace->halves.at[r->trace->halves.count++] = half;
    return true;
}

static bool read_phase(struct reader *r, char phase, const char *name)
{
    switch (phase) {
    case 'M': return read_metadata(r, name);
    case 'X': return read_slice(r, name);
    case 'i': return read_instant(r, name);
    case 'C': return read_counter(r);
    case 's':
    case 'f': return read_half(r, name, "flow", phase == 'f');
    case 'b':
    case 'e': return read_half(r, name, "span", phase == 'e');
    default: return FAIL(r, "ph is %c, which is none of M X i C s f b e", phase);
    }
}

bool view_event_read(struct view_trace *trace, struct view_source *source, const json_t *event, size_t place)
{
    struct reader r = {trace, source, event, json_object_get(event, "args"), place, 0};
    const char *phase, *name;
    int64_t pid, tid;

    if (!json_is_object(event))
        return FAIL(&r, "an event is no object");
    if (!take_text(&r, event, "ph", &phase) || !take_text(&r, event, "name", &name) ||
        !take_whole(&r, event, "pid", 1, INT64_MAX, &pid) || !take_whole(&r, event, "tid", 1, trace->workers + 1, &tid))
        return false;
    if (strlen(phase) != 1)
        return FAIL(&r, "ph is not one character");
    if (r.args && !json_is_object(r.args))
        return FAIL(&r, "args is no object");
    if (trace->process && trace->process != pid)
        return FAIL(&r, "pid is not that of the events before");
    trace->process = pid;
    trace->events++;
    r.lane = (unsigned)tid - 1;
    return read_phase(&r, *phase, name);
}
