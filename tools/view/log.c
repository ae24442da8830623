/* SPDX-License-Identifier: MIT */
/*
 * A trace as lines of text, one for each event, of all workers, in order of time. Events of one time stand in the order of
 * the workers and their slices, then of the file.
 */
#include "put.h"
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
        } else if (e->source == INSTANT && l->trace->instants.at[e->index].moment == VIEW_STEAL) {
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

static void put_name(struct log *l, uint32_t name)
{
    if (name == UNKNOWN)
        fputs("a task", l->out);
    else
        view_put_plain(l->out, l->trace->names.at[name].text);
}

/* "leaf on stack 3" */
static void put_task(struct log *l, uint32_t stack)
{
    const struct place *place = find_place(l, stack);

    put_name(l, place ? place->name : UNKNOWN);
    fprintf(l->out, " on stack %" PRIu32, stack);
}

static void open_line(struct log *l, const struct entry *e)
{
    fprintf(l->out, "[%s] ", view_moment(e->at).at);
    if (e->lane < l->trace->workers)
        fprintf(l->out, "worker %" PRIu32, e->lane);
    else
        fputs("another thread", l->out);
}

static void put_tasks(struct log *l, uint32_t n)
{
    fprintf(l->out, n == 1 ? "%" PRIu32 " task" : "%" PRIu32 " tasks", n);
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
        fputs(" began ", l->out);
        put_task(l, s->stack);
        if (*where)
            fputs(" (", l->out);
        view_put_plain(l->out, where);
        fputs(*where ? ")\n" : "\n", l->out);
        break;
    case VIEW_SEARCH: fputs(" began to look for work\n", l->out); break;
    case VIEW_PARK: fputs(" fell asleep\n", l->out); break;
    case VIEW_SURPLUS:
    case VIEW_WOKEN:
    case VIEW_WHATS: fputs(" fell asleep, because it is surplus\n", l->out); break;
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
    const struct view_slice *s = &l->trace->slices.at[e->index];
    enum view_end end = s->what == VIEW_TASK ? (enum view_end)s->end : VIEW_END_OTHER;

    if (s->what == VIEW_PARK || s->what == VIEW_SURPLUS) {
        if (!has_woken(l->trace, e))
            return;
        open_line(l, e);
        fputs(" woke up\n", l->out);
        return;
    }
    if (end == VIEW_END_OTHER || end == VIEW_END_BLOCK || end == VIEW_ENDS)
        return; /* what follows is the event */
    open_line(l, e);
    fputs(end == VIEW_END_DONE       ? " finished "
          : end == VIEW_END_OF_TRACE ? " was still running "
                                     : " suspended ",
          l->out);
    put_task(l, s->stack);
    if (end == VIEW_END_CHILDREN && s->children)
        fprintf(l->out, ": it waits for %" PRIu32 " %s", s->children, s->children == 1 ? "child" : "children");
    else if (end == VIEW_END_CHILDREN)
        fputs(": it waits for children", l->out);
    else if (end == VIEW_END_GROUP)
        fputs(": it waits for a group", l->out);
    else if (end == VIEW_END_YIELD)
        fputs(": it yields", l->out);
    putc('\n', l->out);
}

static void put_steal(struct log *l, const struct entry *e, const struct view_instant *i)
{
    fputs(" stole ", l->out);
    if (i->b == 1)
        put_name(l, e->name);
    else
        put_tasks(l, i->b);
    fprintf(l->out, " from worker %" PRIu32 " (%" PRIu32 " left)", i->a, i->c);
    if (i->b != 1 && e->name != UNKNOWN) {
        fputs(", the first is ", l->out);
        put_name(l, e->name);
    }
}

static void put_quoted(struct log *l, const char *text)
{
    putc('"', l->out);
    view_put_plain(l->out, text);
    putc('"', l->out);
}

static void put_instant(struct log *l, const struct entry *e)
{
    const struct view_instant *i = &l->trace->instants.at[e->index];
    const char *name = l->trace->names.at[i->name].text;

    open_line(l, e);
    switch ((enum view_moment)i->moment) {
    case VIEW_MARK:
        fputs(" set the mark ", l->out);
        put_quoted(l, name);
        break;
    case VIEW_STEAL: put_steal(l, e, i); break;
    case VIEW_RUNNABLE:
        fputs(" finished what ", l->out);
        put_task(l, i->a);
        fputs(" waits for", l->out);
        break;
    case VIEW_EXPOSE_REQUEST: fprintf(l->out, " asked worker %" PRIu32 " to make tasks public", i->a); break;
    case VIEW_EXPOSE:
        fprintf(l->out, " made tasks of stack %" PRIu32 " public (", i->a);
        put_tasks(l, i->b);
        fputs(" in its deque)", l->out);
        break;
    case VIEW_EXPOSE_FORCE: fprintf(l->out, " forced a task of worker %" PRIu32 " to be public", i->a); break;
    case VIEW_WAKE: fprintf(l->out, " woke worker %" PRIu32, i->a); break;
    case VIEW_OVERFLOW:
        fputs(" moved ", l->out);
        put_tasks(l, i->a);
        fputs(" to the global queue, because its run queue was full", l->out);
        break;
    case VIEW_GLOBAL_QUEUE_TAKE:
        fputs(" took ", l->out);
        put_tasks(l, i->a);
        fputs(" from the global queue", l->out);
        break;
    case VIEW_OTHER:
    case VIEW_MOMENTS:
        fputs(" recorded ", l->out);
        put_quoted(l, name);
        fputs(", an event that this wsfj-view does not know", l->out);
        break;
    }
    putc('\n', l->out);
}

static void put_half(struct log *l, const struct entry *e)
{
    static const char *const words[VIEW_LINKS][2] = {
        [VIEW_FROM_RESUME] = {" resumed ", " resumed "},
        [VIEW_REGION] = {" began a region (ws_run)", " ended a region (ws_run)"},
        [VIEW_BLOCKED] = {" lent its slot, because a blocking section began in ", " is back in "},
        [VIEW_LOOP] = {" began the loop ", " ended the loop "}};
    const struct view_half *h = &l->trace->halves.at[e->index];
    uint32_t stack = (uint32_t)(h->id >> 32 & 0xfffffff);
    const struct view_slice *resumed =
        h->kind == VIEW_FROM_RESUME ? view_trace_slice_at(l->trace, h->lane, h->at) : NULL;

    open_line(l, e);
    fputs(words[h->kind][h->is_end], l->out);
    if (resumed) {
        put_name(l, resumed->name);
        fprintf(l->out, " on stack %" PRIu32, stack);
    } else if (h->kind == VIEW_LOOP) {
        put_name(l, h->name);
        fprintf(l->out, " on stack %" PRIu32, stack);
    } else if (h->kind == VIEW_REGION) {
        fprintf(l->out, " on stack %" PRIu32, stack);
    } else {
        put_task(l, stack);
    }
    if (h->is_end && h->kind == VIEW_BLOCKED)
        fputs(" after a blocking section", l->out);
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
