/* SPDX-License-Identifier: MIT */
/* What each worker has recorded in a trace, read from its ring while no worker runs: whether the events fit together.
 * wsfj-view --check reads what is drawn of them, where an event that is missing may leave no gap. */
#ifndef TESTS_UNIT_EVENTS_H
#define TESTS_UNIT_EVENTS_H

#include "../support/run.h"
#include "observe/trace_ring.h"
#include "task/event.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <string.h>

#define EVENTS_STACKS 1024

/* Where one worker stands. */
struct events_lane {
    unsigned worker, at;
    uint64_t ticks, seen[WSFJ_EVENT_COUNT];
    uint32_t runs; /* the stack; 0: none */
    bool parked, stolen;
};

/* Of all workers, by stack: how often its fiber has begun less how often it has ended, and so on. */
static struct events_stack {
    int tasks, parts, regions, loops, blocked;
} events_stacks[EVENTS_STACKS];

#define EVENTS_MUST(lane, condition)                                                                                   \
    ck_assert_msg(condition, "worker %u, record %u, stack %u: not " #condition, (lane)->worker, (lane)->at,            \
                  (lane)->runs)

static inline void events_run(struct events_lane *l, uint32_t stack)
{
    EVENTS_MUST(l, l->runs == 0);
    EVENTS_MUST(l, stack > 0);
    l->runs = stack;
    events_stacks[stack].parts++;
}

static inline void events_stop(struct events_lane *l, uint32_t stack)
{
    EVENTS_MUST(l, l->runs == stack);
    l->runs = 0;
    events_stacks[stack].parts--;
}

/* A stolen task begins before its thief does anything else. */
static inline void events_change(struct events_lane *l, const struct wsfj_trace_record *r, enum wsfj_event event,
                                 unsigned detail)
{
    struct events_stack *s = &events_stacks[r->a];

    switch (event) {
    case WSFJ_EVENT_task_begin:
        EVENTS_MUST(l, r->b > 0); /* it has a name */
        l->stolen = false;
        events_run(l, r->a);
        s->tasks++;
        break;
    case WSFJ_EVENT_resume: events_run(l, r->a); break;
    case WSFJ_EVENT_block_end:
        s->blocked--;
        if (detail)
            events_run(l, r->a);
        EVENTS_MUST(l, l->runs == r->a);
        break;
    case WSFJ_EVENT_task_end:
        s->tasks--;
        events_stop(l, r->a);
        break;
    case WSFJ_EVENT_block_begin: s->blocked++; /* fall through */
    case WSFJ_EVENT_suspend:
    case WSFJ_EVENT_wait:
    case WSFJ_EVENT_yield: events_stop(l, r->a); break;
    case WSFJ_EVENT_region_begin: s->regions++; break;
    case WSFJ_EVENT_region_end: s->regions--; break;
    case WSFJ_EVENT_loop_begin: s->loops++; break;
    case WSFJ_EVENT_loop_end: s->loops--; break;
    default: break;
    }
}

static inline void events_read(struct events_lane *l, const struct wsfj_trace_record *r)
{
    enum wsfj_event event = (enum wsfj_event)(r->event & 0xffff);

    EVENTS_MUST(l, r->ticks >= l->ticks && event < WSFJ_EVENT_COUNT);
    l->ticks = r->ticks;
    l->seen[event]++;
    switch (event) {
    case WSFJ_EVENT_park:
    case WSFJ_EVENT_unpark:
        EVENTS_MUST(l, l->parked == (event == WSFJ_EVENT_unpark) || l->at == 0); /* a worker may begin asleep */
        EVENTS_MUST(l, !l->stolen && l->runs == 0);
        l->parked = event == WSFJ_EVENT_park;
        break;
    case WSFJ_EVENT_search: EVENTS_MUST(l, !l->stolen && l->runs == 0); break;
    case WSFJ_EVENT_steal: EVENTS_MUST(l, !l->stolen && l->runs == 0 && r->b > 0); l->stolen = true; /* fall through */
    case WSFJ_EVENT_expose_request:
    case WSFJ_EVENT_expose_force:
    case WSFJ_EVENT_wake: EVENTS_MUST(l, r->a < wsfj_num_workers); break;
    case WSFJ_EVENT_expose: EVENTS_MUST(l, r->a == l->runs); break; /* thieves may have taken all by then */
    case WSFJ_EVENT_overflow:
    case WSFJ_EVENT_global_queue_take: EVENTS_MUST(l, r->a > 0); break;
    case WSFJ_EVENT_mark: break;
    default:
        EVENTS_MUST(l, r->a < EVENTS_STACKS);
        EVENTS_MUST(l, !l->stolen || event == WSFJ_EVENT_task_begin);
        events_change(l, r, event, r->event >> 16);
    }
}

/* What is recorded is counted, and so often. A worker that was woken at once has not slept; one may begin asleep. */
static inline void events_count(const struct events_lane *l, const struct wsfj_log *log)
{
#define COLUMN(field, heading) true
#define FIELD(field) true
#define UNCOUNTED false
#define ROW(name, recorded, counted, drawn, text)                                                                      \
    if (recorded && counted && WSFJ_EVENT_##name != WSFJ_EVENT_park)                                                   \
        ck_assert_msg(l->seen[WSFJ_EVENT_##name] == log->count[WSFJ_EVENT_##name],                                     \
                      "worker %u: %s %llu times, %llu counted", l->worker, #name,                                      \
                      (unsigned long long)l->seen[WSFJ_EVENT_##name],                                                  \
                      (unsigned long long)log->count[WSFJ_EVENT_##name]);
    WSFJ_EVENTS(ROW)
#undef ROW
#undef UNCOUNTED
#undef FIELD
#undef COLUMN
}

/* Of all workers, while all sleep. Fills `seen` with how often there was each event. */
static inline void events_check(uint64_t *seen)
{
    memset(events_stacks, 0, sizeof events_stacks);
    for (unsigned w = 0; w < wsfj_num_workers; w++) {
        const struct wsfj_log *log = &wsfj_workers[w].log;
        struct events_lane lane = {.worker = w};

        ck_assert_uint_eq(wsfj_trace_dropped(log->ring), 0);
        for (; lane.at < log->ring->next; lane.at++)
            events_read(&lane, &log->ring->records[lane.at]);
        EVENTS_MUST(&lane, lane.runs == 0 && !lane.stolen);
        EVENTS_MUST(&lane, lane.parked || lane.at == 0);
        events_count(&lane, log);
        for (unsigned i = 0; i < WSFJ_EVENT_COUNT; i++)
            seen[i] += lane.seen[i];
    }
    for (unsigned s = 0; s < EVENTS_STACKS; s++) {
        const struct events_stack *at = &events_stacks[s];

        ck_assert_msg(!at->tasks && !at->parts && !at->regions && !at->loops && !at->blocked,
                      "stack %u: %d tasks, %d parts, %d regions, %d loops, %d blocked sections have no end", s,
                      at->tasks, at->parts, at->regions, at->loops, at->blocked);
    }
}

#endif
