/* SPDX-License-Identifier: MIT */
/*
 * A trace as lines of text, one for each event, of all workers, in order of time. Events of one time stand in the order of
 * the workers and their slices, then of the file.
 */
#include "put.h"
#include "sentence.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT32_MAX

enum source { BEGIN, END, INSTANT, HALF };

/* An event: where the trace has it. */
struct entry {
    uint64_t at, order; /* `order`: among those of the same time */
    size_t place;       /* in the file */
    size_t index;       /* of the slice, instant or half */
    uint32_t lane;
    uint32_t name; /* of the task that a steal has brought */
    uint8_t source;
    bool has_beginning; /* an end of which the half before is the beginning */
};

/* Which task a stack has. */
struct place {
    uint32_t stack, name;
};

struct log {
    FILE *out;
    const struct view_trace *trace;
    struct entry *at;
    size_t count;
    struct place *places; /* ordered by stack */
    size_t num_places;
};

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare(x->at, y->at);

    if (!order)
        order = compare(x->order, y->order);
    return order ? order : compare(x->place, y->place);
}

static int compare_places(const void *a, const void *b)
{
    return compare(((const struct place *)a)->stack, ((const struct place *)b)->stack);
}

/* The first slice of a lane that does not begin before a time. */
static size_t slice_from(const struct view_trace *t, unsigned lane, uint64_t at)
{
    size_t low = t->first[lane], high = t->first[lane + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (t->slices.at[middle].from < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add(struct log *l, enum source source, size_t index, uint64_t at, unsigned lane, uint64_t order,
                size_t place)
{
    l->at[l->count++] = (struct entry){at, order, place, index, lane, UNKNOWN, (uint8_t)source, false};
}

/* Slices are in order of lane and time: 3 i is what comes before slice i, 3 i + 1 its beginning, 3 i + 2 its end. */
static void collect(struct log *l)
{
    const struct view_trace *t = l->trace;

    for (size_t i = 0; i < t->slices.count; i++) {
        const struct view_slice *s = &t->slices.at[i];

        add(l, BEGIN, i, s->from, s->lane, 3 * (uint64_t)i + 1, s->place);
        add(l, END, i, s->to, s->lane, 3 * (uint64_t)i + 2, s->place);
        if (s->what == VIEW_TASK)
            l->places[l->num_places++] = (struct place){s->stack, UNKNOWN};
    }
    for (size_t i = 0; i < t->instants.count; i++) {
        const struct view_instant *n = &t->instants.at[i];

        add(l, INSTANT, i, n->at, n->lane, 3 * (uint64_t)slice_from(t, n->lane, n->at), n->place);
    }
    for (size_t i = 0; i < t->halves.count; i++) {
        const struct view_half *h = &t->halves.at[i], *before = i ? h - 1 : h;

        if (h->kind == VIEW_FROM_STEAL || (h->kind == VIEW_FROM_RESUME && !h->is_end))
            continue; /* the steal, the yield or the waking is an event of its own */
        add(l, HALF, i, h->at, h->lane, 3 * (uint64_t)slice_from(t, h->lane, h->at), h->place);
        l->at[l->count - 1].has_beginning =
            h->is_end && !before->is_end && h->kind >= VIEW_REGION && before->kind == h->kind && before->id == h->id;
    }
}

/* A steal gets the name of the next task that its thief begins, if no other steal comes before that. */
static bool name_steals(struct log *l)
{
    uint32_t *next = malloc((l->trace->workers + 1) * sizeof *next);

    if (!next)
        return false;
    for (unsigned i = 0; i <= l->trace->workers; i++)
        next[i] = UNKNOWN;
    for (size_t i = l->count; i-- > 0;) {
        struct entry *e = &l->at[i];
        const struct view_slice *slice = e->source == BEGIN ? &l->trace->slices.at[e->index] : NULL;

        if (slice && slice->what == VIEW_TASK && slice->part == 0) {
            next[e->lane] = slice->name;
        } else if (e->source == INSTANT && l->trace->instants.at[e->index].event == VIEW_steal) {
            e->name = next[e->lane];
            next[e->lane] = UNKNOWN;
        }
    }
    free(next);
    return true;
}

static void drop_doubles(struct log *l)
{
    size_t kept = 0;

    qsort(l->places, l->num_places, sizeof *l->places, compare_places);
    for (size_t i = 0; i < l->num_places; i++) {
        if (!kept || l->places[kept - 1].stack != l->places[i].stack)
            l->places[kept++] = l->places[i];
    }
    l->num_places = kept;
}

static bool make(struct log *l)
{
    const struct view_trace *t = l->trace;

    l->at = malloc((2 * t->slices.count + t->instants.count + t->halves.count + 1) * sizeof *l->at);
    l->places = malloc((t->slices.count + 1) * sizeof *l->places);
    if (!l->at || !l->places)
        return false;
    collect(l);
    drop_doubles(l);
    qsort(l->at, l->count, sizeof *l->at, compare_entries);
    return name_steals(l);
}

static struct place *find_place(struct log *l, uint32_t stack)
{
    struct place wanted = {stack, UNKNOWN};

    return l->num_places ? bsearch(&wanted, l->places, l->num_places, sizeof wanted, compare_places) : NULL;
}

static const char *text_of(struct log *l, uint32_t name)
{
    return name == UNKNOWN ? NULL : l->trace->names.at[name].text;
}

/* What runs on the stack; NULL: not known. */
static const char *task_on(struct log *l, uint32_t stack)
{
    const struct place *place = find_place(l, stack);

    return text_of(l, place ? place->name : UNKNOWN);
}

static void open_line(struct log *l, const struct entry *e)
{
    fprintf(l->out, "[%s] ", view_moment(e->at).at);
    if (e->lane < l->trace->workers)
        fprintf(l->out, "worker %" PRIu32, e->lane);
    else
        fputs("another thread", l->out);
}

static void put_begin(struct log *l, const struct entry *e)
{
    const struct view_slice *s = &l->trace->slices.at[e->index];
    const char *where = l->trace->names.at[s->name].where;
    struct place *place = s->what == VIEW_TASK ? find_place(l, s->stack) : NULL;

    if (place)
        place->name = s->name;
    if (place && s->part > 0) /* the end of an arrow or of a blocking section is the event */
        return;
    open_line(l, e);
    switch ((enum view_what)s->what) {
    case VIEW_TASK:
        view_sentence(l->out, VIEW_task_begin, &(struct view_words){.stack = s->stack, .task = task_on(l, s->stack)});
        fputs(*where ? " (" : "", l->out);
        view_put_plain(l->out, where);
        fputs(*where ? ")\n" : "\n", l->out);
        break;
    case VIEW_SEARCH:
        view_sentence(l->out, VIEW_search, &(struct view_words){0});
        putc('\n', l->out);
        break;
    case VIEW_PARK:
    case VIEW_SURPLUS:
    case VIEW_WOKEN:
    case VIEW_WHATS:
        view_sentence(l->out, VIEW_park, &(struct view_words){0});
        fputs(s->what == VIEW_PARK ? "\n" : ", because it is surplus\n", l->out);
        break;
    }
}

/* A slice of sleep also ends with the trace, and where a caller of ws_run() serves the worker, whose own thread sleeps
 * on. */
static bool has_woken(const struct view_trace *t, const struct entry *e)
{
    const struct view_slice *next = &t->slices.at[e->index + 1];

    if (e->index + 1 == t->first[e->lane + 1])
        return e->at < t->recorded;
    return next->what != VIEW_TASK || next->from > e->at;
}

static void put_end(struct log *l, const struct entry *e)
{
    /* VIEW_OTHER: what follows is the event, or it is none */
    static const enum view_event events[VIEW_ENDS] = {
        [VIEW_END_OTHER] = VIEW_OTHER,       [VIEW_END_DONE] = VIEW_task_end, [VIEW_END_CHILDREN] = VIEW_suspend,
        [VIEW_END_GROUP] = VIEW_wait,        [VIEW_END_YIELD] = VIEW_yield,   [VIEW_END_BLOCK] = VIEW_OTHER,
        [VIEW_END_OF_TRACE] = VIEW_task_end,
    };
    const struct view_slice *s = &l->trace->slices.at[e->index];
    enum view_event event = s->what == VIEW_TASK ? events[s->end] : VIEW_OTHER;

    if ((s->what == VIEW_PARK || s->what == VIEW_SURPLUS) && has_woken(l->trace, e))
        event = VIEW_unpark;
    if (event == VIEW_OTHER)
        return;
    open_line(l, e);
    if (s->what == VIEW_TASK && s->end == VIEW_END_OF_TRACE) {
        fputs(" was still running ", l->out);
        view_put_plain(l->out, l->trace->names.at[s->name].text);
        fprintf(l->out, " on stack %" PRIu32, s->stack);
    } else {
        view_sentence(l->out, event,
                      &(struct view_words){.stack = s->stack, .task = task_on(l, s->stack), .children = s->children});
    }
    putc('\n', l->out);
}

static void put_instant(struct log *l, const struct entry *e)
{
    const struct view_instant *i = &l->trace->instants.at[e->index];
    const char *stolen = text_of(l, e->name);

    open_line(l, e);
    view_sentence(l->out, (enum view_event)i->event,
                  &(struct view_words){.numbers = i->numbers,
                                       .stack = i->numbers[0],
                                       .task = i->event == VIEW_runnable ? task_on(l, i->numbers[0]) : NULL,
                                       .name = l->trace->names.at[i->name].text,
                                       .stolen = i->event == VIEW_steal ? (stolen ? stolen : "a task") : NULL});
    if (i->event == VIEW_steal && i->numbers[1] != 1 && stolen) {
        fputs(", the first is ", l->out);
        view_put_plain(l->out, stolen);
    }
    putc('\n', l->out);
}

static void put_half(struct log *l, const struct entry *e)
{
    static const enum view_event events[VIEW_LINKS][2] = {[VIEW_FROM_RESUME] = {VIEW_resume, VIEW_resume},
                                                          [VIEW_REGION] = {VIEW_region_begin, VIEW_region_end},
                                                          [VIEW_BLOCKED] = {VIEW_block_begin, VIEW_block_end},
                                                          [VIEW_LOOP] = {VIEW_loop_begin, VIEW_loop_end}};
    const struct view_half *h = &l->trace->halves.at[e->index];
    uint32_t stack = (uint32_t)(h->id >> 32 & 0xfffffff);
    const struct view_slice *resumed =
        h->kind == VIEW_FROM_RESUME ? view_trace_slice_at(l->trace, h->lane, h->at) : NULL;

    open_line(l, e);
    view_sentence(l->out, events[h->kind][h->is_end],
                  &(struct view_words){.stack = stack,
                                       .task = resumed ? text_of(l, resumed->name) : task_on(l, stack),
                                       .name = h->kind == VIEW_LOOP ? text_of(l, h->name) : NULL});
    if (e->has_beginning)
        fprintf(l->out, h->kind == VIEW_BLOCKED ? " of %s" : " after %s", view_time((double)(h->at - h[-1].at)).at);
    putc('\n', l->out);
}

static void put_dropped(struct log *l)
{
    for (unsigned i = 0; i <= l->trace->workers; i++) {
        if (!l->trace->dropped[i])
            continue;
        open_line(l, &(struct entry){.lane = i});
        fprintf(l->out, " has lost its oldest events: %" PRIu64 "\n", l->trace->dropped[i]);
    }
}

bool view_show_log(FILE *out, const struct view_trace *t)
{
    static void (*const put[])(struct log * l, const struct entry *e) = {put_begin, put_end, put_instant, put_half};
    struct log l = {.out = out, .trace = t};
    bool ok = make(&l);

    if (ok)
        put_dropped(&l);
    for (size_t i = 0; ok && i < l.count && !ferror(out); i++)
        put[l.at[i].source](&l, &l.at[i]);
    if (ok)
        fprintf(out, "[%s] the trace ends\n", view_moment(t->length).at);
    free(l.at);
    free(l.places);
    return ok;
}
