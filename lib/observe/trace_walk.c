/* SPDX-License-Identifier: MIT */
#include "observe/trace_walk.h"

#include "observe/trace_drawn.h"
#include "observe/trace_names.h"
#include "machine/tier.h"

/* What a worker does between two events. */
enum state { NOTHING, TASK, SEARCH, PARK };

/* Where one lane stands. */
struct pen {
    const struct wsfj_trace *trace;
    const struct wsfj_picture *picture;
    unsigned lane;
    enum state state;
    uint64_t since;
    uint32_t stack, name, part; /* TASK */
    unsigned detail;            /* PARK: surplus */
    bool has_stolen;            /* the next task was stolen from the victim: */
    unsigned victim;
    uint64_t stolen_at, steals;
};

/* Kinds of arrows and spans, in the upper bits of their numbers. */
enum { FROM_STEAL = 1, FROM_RESUME, REGION, BLOCKED, LOOP };

static uint64_t id_of(uint64_t kind, uint64_t a, uint64_t b)
{
    return kind << 60 | (a & 0xfffffff) << 32 | (b & 0xffffffff);
}

static uint64_t time_of(const struct wsfj_trace *t, uint64_t ticks)
{
    uint64_t passed = t->end_ticks - t->start_ticks;
    double rate = passed ? (double)(t->end_ns - t->start_ns) / (double)passed : 1;

    return ticks < t->start_ticks ? t->start_ns : t->start_ns + (uint64_t)((double)(ticks - t->start_ticks) * rate);
}

/* Ends what the lane does. `how`: why a task stops running. */
static void stop(struct pen *pen, uint64_t at, const char *how, uint32_t children)
{
    const struct wsfj_trace_name *name = wsfj_trace_name(pen->name);
    enum state state = pen->state;
    uint64_t to = at > pen->since ? at : pen->since;

    pen->state = NOTHING;
    switch (state) {
    case TASK:
        pen->picture->slice(pen->lane, pen->since, to,
                            &(struct wsfj_trace_label){name->text,
                                                       "task",
                                                       {{"stack", NULL, pen->stack},
                                                        {"part", NULL, pen->part},
                                                        {"where", name->where, 0},
                                                        {"end", how, 0},
                                                        {children ? "children" : NULL, NULL, children}}});
        break;
    case SEARCH:
        pen->picture->slice(pen->lane, pen->since, to,
                            &(struct wsfj_trace_label){.name = "searching", .category = "search"});
        break;
    case PARK:
        pen->picture->slice(pen->lane, pen->since, to,
                            &(struct wsfj_trace_label){.name = pen->detail ? "surplus" : "parked", .category = "park"});
        break;
    case NOTHING: break;
    }
}

static void start(struct pen *pen, uint64_t at, enum state state)
{
    stop(pen, at, "", 0);
    pen->state = state;
    pen->since = at;
}

/* To where the fiber will resume. */
static void draw_resume(struct pen *pen, uint64_t at, const struct wsfj_trace_record *r)
{
    pen->picture->arrow(pen->lane, at, id_of(FROM_RESUME, r->a, r->c), "resume", false);
}

static void start_task(struct pen *pen, uint64_t at, const struct wsfj_trace_record *r, uint32_t part)
{
    start(pen, at, TASK);
    pen->stack = r->a;
    pen->name = r->b;
    pen->part = part;
}

/* A stolen task begins. Of several tasks stolen at once, only the first has an arrow. */
static void draw_steal(struct pen *pen, uint64_t at)
{
    uint64_t id = id_of(FROM_STEAL, pen->lane, pen->steals++);

    if (!pen->has_stolen)
        return;
    pen->has_stolen = false;
    pen->picture->arrow(pen->victim, pen->stolen_at, id, "steal", false);
    pen->picture->arrow(pen->lane, at, id, "steal", true);
}

static const struct wsfj_trace_label region = {.name = "region", .category = "span"};
static const struct wsfj_trace_label blocked = {.name = "blocked", .category = "span"};

/* Which events are moments, and what their numbers are called. */
static const struct moment {
    const char *name; /* with underscores */
    bool is_drawn;
    const char *keys[3];
} moments[] = {
#define ROW(name, recorded, counted, drawn, text) [WSFJ_EVENT_##name] = {#name, drawn},
    WSFJ_EVENTS(ROW)
#undef ROW
};

static void draw_moment(struct pen *pen, uint64_t at, const struct wsfj_trace_record *r, enum wsfj_event event,
                        unsigned detail)
{
    const struct moment *moment = &moments[event];
    const uint32_t numbers[] = {r->a, r->b, r->c};
    char name[32];
    struct wsfj_trace_label label = {name, "event", {{NULL, NULL, 0}}};
    unsigned facts = 0, end = 0;

    for (; end < sizeof name - 1 && moment->name[end]; end++)
        name[end] = moment->name[end] == '_' ? ' ' : moment->name[end];
    name[end] = '\0';
    for (unsigned i = 0; i < 3 && moment->keys[i]; i++) {
        label.facts[facts++] = (struct wsfj_trace_fact){moment->keys[i], NULL, numbers[i]};
        if (event == WSFJ_EVENT_steal && i == 0)
            label.facts[facts++] = (struct wsfj_trace_fact){"distance", wsfj_tier_names[detail % WSFJ_TIER_COUNT], 0};
    }
    pen->picture->instant(pen->lane, at, &label);
}

/* Draws an event that changes what the lane does. False: the event is none of these. */
static bool draw_change(struct pen *pen, uint64_t at, const struct wsfj_trace_record *r, enum wsfj_event event,
                        unsigned detail)
{
    switch (event) {
    case WSFJ_EVENT_task_begin:
        start_task(pen, at, r, 0);
        draw_steal(pen, at);
        return true;
    case WSFJ_EVENT_resume:
        start_task(pen, at, r, r->c);
        pen->picture->arrow(pen->lane, at, id_of(FROM_RESUME, r->a, r->c), "resume", true);
        return true;
    case WSFJ_EVENT_task_end: stop(pen, at, "done", 0); return true;
    case WSFJ_EVENT_suspend: stop(pen, at, "waits for children", r->b); return true;
    case WSFJ_EVENT_wait: stop(pen, at, "waits", 0); return true;
    case WSFJ_EVENT_yield:
        stop(pen, at, "yields", 0);
        draw_resume(pen, at, r);
        return true;
    case WSFJ_EVENT_block_begin:
        stop(pen, at, "blocks", 0);
        pen->picture->span(pen->lane, at, id_of(BLOCKED, r->a, 0), &blocked, false);
        return true;
    case WSFJ_EVENT_block_end:
        pen->picture->span(pen->lane, at, id_of(BLOCKED, r->a, 0), &blocked, true);
        if (detail) /* the slot is still its own */
            start_task(pen, at, r, r->c);
        return true;
    case WSFJ_EVENT_search: start(pen, at, SEARCH); return true;
    case WSFJ_EVENT_park:
        start(pen, at, PARK);
        pen->detail = detail;
        return true;
    case WSFJ_EVENT_unpark: stop(pen, at, "", 0); return true;
    default: return false;
    }
}

static void draw(struct pen *pen, const struct wsfj_trace_record *r)
{
    uint32_t what = load_relaxed(&r->event);
    enum wsfj_event event = (enum wsfj_event)(what & 0xffff);
    unsigned detail = what >> 16;
    uint64_t ticks = load_relaxed(&r->ticks), at = time_of(pen->trace, ticks);

    if (ticks <= WSFJ_TRACE_BUSY) /* a record that a thread is writing, or has claimed */
        return;
    if (draw_change(pen, at, r, event, detail))
        return;
    switch (event) {
    case WSFJ_EVENT_steal:
        pen->has_stolen = true;
        pen->victim = r->a;
        pen->stolen_at = at;
        draw_moment(pen, at, r, event, detail);
        pen->picture->length(r->a, at, r->c);
        break;
    case WSFJ_EVENT_runnable:
        draw_moment(pen, at, r, event, detail);
        draw_resume(pen, at, r);
        break;
    case WSFJ_EVENT_expose:
        draw_moment(pen, at, r, event, detail);
        pen->picture->length(pen->lane, at, r->b);
        break;
    case WSFJ_EVENT_region_begin: pen->picture->span(pen->lane, at, id_of(REGION, r->a, 0), &region, false); break;
    case WSFJ_EVENT_region_end: pen->picture->span(pen->lane, at, id_of(REGION, r->a, 0), &region, true); break;
    case WSFJ_EVENT_loop_begin:
    case WSFJ_EVENT_loop_end:
        pen->picture->span(pen->lane, at, id_of(LOOP, r->a, r->b),
                           &(struct wsfj_trace_label){.name = wsfj_trace_name(r->b)->text, .category = "loop"},
                           event == WSFJ_EVENT_loop_end);
        break;
    case WSFJ_EVENT_mark:
        pen->picture->instant(pen->lane, at,
                              &(struct wsfj_trace_label){.name = wsfj_trace_name(r->b)->text, .category = "mark"});
        break;
    default:
        if (event < WSFJ_EVENT_COUNT && moments[event].is_drawn)
            draw_moment(pen, at, r, event, detail);
    }
}

static void walk_lane(const struct wsfj_trace *t, const struct wsfj_picture *picture, unsigned lane)
{
    const struct wsfj_trace_ring *ring = &t->rings[lane];
    struct pen pen = {.trace = t, .picture = picture, .lane = lane};
    uint64_t end = load_acquire(&ring->next);

    for (uint64_t i = end - wsfj_trace_kept(ring); i < end; i++) {
        const struct wsfj_trace_record *r = &ring->records[i & ring->mask];
        uint64_t ticks = load_acquire(&r->ticks); /* before the rest, which is read before the ticks are read again */
        struct wsfj_trace_record copy = {ticks, load_acquire(&r->event), load_acquire(&r->a), load_acquire(&r->b),
                                         load_acquire(&r->c)};

        /* Else its writer has overwritten the record meanwhile, or is about to. */
        if (load_relaxed(&r->ticks) == ticks && load_acquire(&ring->next) - i <= ring->mask + 1)
            draw(&pen, &copy);
    }
    stop(&pen, t->end_ns, "end of trace", 0);
}

void wsfj_trace_walk(const struct wsfj_trace *t, const struct wsfj_picture *picture)
{
    char name[] = "worker ....";

    picture->begin(t);
    for (unsigned i = 0; i <= t->workers; i++) {
        char *end = name + sizeof "worker " - 1;

        for (unsigned scale = i < 10 ? 1 : i < 100 ? 10 : i < 1000 ? 100 : 1000; scale > 0; scale /= 10)
            *end++ = (char)('0' + i / scale % 10);
        *end = '\0';
        picture->lane(i, i < t->workers ? name : "other threads");
    }
    for (unsigned i = 0; i <= t->workers; i++)
        walk_lane(t, picture, i);
    picture->end(t);
}
