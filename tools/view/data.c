/* SPDX-License-Identifier: MIT */
#include "data.h"

#include "put.h"

#include <inttypes.h>

#define IDLE_NAMES 4 /* before the names of the trace */
#define MESSAGE 2    /* a kind of arrow */

static void put_names(FILE *out, const struct view_trace *t)
{
    fprintf(out, "\"names\":[[\"searching\",\"\"],[\"parked\",\"\"],[\"surplus\",\"\"],[\"woken\",\"\"]");
    for (size_t i = 0; i < t->names.count; i++) {
        fprintf(out, ",\n[");
        view_put_json(out, t->names.at[i].text);
        putc(',', out);
        view_put_json(out, t->names.at[i].where);
        putc(']', out);
    }
    fprintf(out, "],\n");
}

static void put_list(FILE *out, const char *key, const char *const *list, int count)
{
    fprintf(out, "\"%s\":[", key);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", list[i]);
    fprintf(out, "],\n");
}

/* Each row's text, and what its numbers are called. */
static void put_rows(FILE *out)
{
    fprintf(out, "\"mark\":%d,\n\"rows\":[", VIEW_mark);
    for (int i = 0; i < VIEW_EVENTS; i++) {
        fprintf(out, i ? ",\n[" : "[");
        view_put_json(out, view_rows[i].text ? view_rows[i].text : "");
        for (int n = 0; n < 3 && view_rows[i].keys[n]; n++)
            fprintf(out, ",\"%s\"", view_rows[i].keys[n]);
        putc(']', out);
    }
    fprintf(out, "],\n");
}

static void put_lane(FILE *out, const struct view_trace *t, unsigned lane)
{
    uint64_t last = 0;

    fprintf(out, "%s[", lane ? ",\n" : "");
    for (size_t i = t->first[lane]; i < t->first[lane + 1]; i++) {
        const struct view_slice *s = &t->slices.at[i];
        uint64_t from = s->from > last ? s->from : last, to = s->to > from ? s->to : from;

        fprintf(out, "%s%" PRIu64 ",%" PRIu64 ",", i > t->first[lane] ? "," : "", from - last, to - from);
        if (s->what == VIEW_TASK)
            fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%u", s->name + IDLE_NAMES, s->stack, s->part, s->end);
        else
            fprintf(out, "%d", s->what - VIEW_SEARCH);
        last = to;
    }
    putc(']', out);
}

/* In the page's numbers all other threads of rank n are lane `workers` + n. */
static uint32_t lane_of(const struct view_trace *t, uint32_t lane, uint32_t rank)
{
    return lane < t->workers ? lane : t->workers + rank;
}

static void put_events(FILE *out, const struct view_trace *t)
{
    fprintf(out, "\"events\":[");
    for (size_t i = 0; i < t->instants.count; i++) {
        const struct view_instant *e = &t->instants.at[i];

        uint32_t victim = e->event == VIEW_steal ? view_first_lane(t, e->rank) : 0; /* by its number in its rank */

        fprintf(out, "%s%" PRIu32 ",%" PRIu64 ",%u,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, i ? ",\n" : "",
                lane_of(t, e->lane, e->rank), e->at, e->event, e->numbers[0] - victim, e->numbers[1], e->numbers[2],
                e->name + IDLE_NAMES);
    }
    fprintf(out, "],\n");
}

static void put_messages(FILE *out, const struct view_trace *t)
{
    fprintf(out, "\"messages\":[");
    for (size_t i = 0; i < t->messages.count; i++) {
        const struct view_message *m = &t->messages.at[i];

        fprintf(out, "%s%d,%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64, i ? ",\n" : "", MESSAGE,
                lane_of(t, m->lane, m->rank), m->sent, lane_of(t, m->goal, m->goal_rank), m->received);
    }
    fprintf(out, "],\n\"ranks\":[");
    for (size_t i = 0; i < t->ranks.count; i++)
        fprintf(out, "%s%u,%u", i ? "," : "", t->ranks.at[i].number, t->ranks.at[i].first);
    fprintf(out, "],\n");
}

/* Puts both ends of all pairs of the kinds `first` to `last`. */
static void put_pairs(FILE *out, const struct view_trace *t, int first, int last, bool is_arrow)
{
    const struct view_half *open = NULL;
    bool any = false;

    for (size_t i = 0; i < t->halves.count; i++) {
        const struct view_half *half = &t->halves.at[i];

        if (half->kind < first || half->kind > last)
            continue;
        if (half->is_end && open && open->kind == half->kind && open->id == half->id) {
            fprintf(out, any ? ",\n" : "");
            if (is_arrow)
                fprintf(out, "%u,%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64, half->kind,
                        lane_of(t, open->lane, open->rank), open->at, lane_of(t, half->lane, half->rank), half->at);
            else
                fprintf(out, "%" PRIu64 ",%" PRIu64, open->at, half->at);
            any = true;
        }
        open = half->is_end ? NULL : half;
    }
}

void view_put_data(FILE *out, const struct view_sums *s)
{
    const struct view_trace *t = s->trace;

    fprintf(out, "{\"length\":%" PRIu64 ",\"workers\":%u,\n", t->length, t->workers);
    put_names(out, t);
    put_list(out, "ends", view_end_names, VIEW_ENDS);
    put_rows(out);
    fprintf(out, "\"lanes\":[");
    for (unsigned lane = 0; lane <= t->workers; lane++)
        put_lane(out, t, lane);
    fprintf(out, "],\n");
    put_events(out, t);
    put_messages(out, t);
    fprintf(out, "\"arrows\":[");
    put_pairs(out, t, VIEW_FROM_STEAL, VIEW_FROM_RESUME, true);
    fprintf(out, "],\n\"regions\":[");
    put_pairs(out, t, VIEW_REGION, VIEW_REGION, false);
    fprintf(out, "]}\n");
}
