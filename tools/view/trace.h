/* SPDX-License-Identifier: MIT */
/*
 * A trace of the library (WSFJ_TRACE=file.json) in memory: what lib/observe/trace_walk.c has drawn, as numbers.
 * Neighbours: event.c, which reads an event; check.c, which checks that they fit together; sums.c, which counts them.
 */
#ifndef WSFJ_VIEW_TRACE_H
#define WSFJ_VIEW_TRACE_H

#include "names.h"
#include "source.h"
#include "task/event_rows.h"

#define VIEW_WORKERS_MOST 4096

/* VIEW_WOKEN: another worker has woken it, and it does not run yet (woken.c). */
enum view_what { VIEW_TASK, VIEW_SEARCH, VIEW_PARK, VIEW_SURPLUS, VIEW_WOKEN, VIEW_WHATS };

/* Why a task's slice ends. */
enum view_end {
    VIEW_END_OTHER,
    VIEW_END_DONE,
    VIEW_END_CHILDREN,
    VIEW_END_GROUP,
    VIEW_END_YIELD,
    VIEW_END_BLOCK,
    VIEW_END_OF_TRACE,
    VIEW_ENDS
};
extern const char *const view_end_names[VIEW_ENDS];

/* The events of the library, by the texts of their rows. VIEW_OTHER: none that this wsfj-view knows. */
#define VIEW_NUMBER(name, recorded, counted, drawn, text) VIEW_##name,
enum view_event { WSFJ_EVENTS(VIEW_NUMBER) VIEW_OTHER, VIEW_EVENTS };
#undef VIEW_NUMBER

struct view_row {
    const char *name;    /* with underscores */
    const char *field;   /* of struct ws_stats; NULL: not counted, or not recorded */
    bool is_moment;      /* else slices, arrows and spans show it */
    const char *keys[3]; /* of its numbers; NULL: not so many */
    const char *text;    /* sentence.h */
};
extern const struct view_row view_rows[VIEW_EVENTS];

enum { VIEW_DISTANCES = 5 };
extern const char *const view_distance_names[VIEW_DISTANCES];

/* Times are nanoseconds since the trace began; `place` is the position in the file. */
struct view_slice {
    uint64_t from, to;
    size_t place;
    uint32_t lane, name, stack, part; /* the latter three of a task */
    uint32_t children;                /* that it waits for */
    uint8_t what, end;
    uint16_t rank; /* an index of view_trace.ranks; 0 in a trace of one process */
};

struct view_instant {
    uint64_t at;
    size_t place;
    uint32_t lane, name; /* of a mark, or of another event */
    uint8_t event, distance;
    uint16_t rank;
    uint32_t numbers[3]; /* as the event's keys say */
};

/* One end of an arrow, a region, or a time in which a task was blocked. */
struct view_half {
    uint64_t at, id;
    size_t place;
    uint32_t lane;
    uint32_t name; /* of a loop */
    uint8_t kind;
    bool is_end;
    uint16_t rank;
};
enum view_link { VIEW_FROM_STEAL, VIEW_FROM_RESUME, VIEW_REGION, VIEW_BLOCKED, VIEW_LOOP, VIEW_LINKS };
extern const char *const view_link_names[VIEW_LINKS];

/* A process of an MPI job, in a trace that was joined from several (join.c). */
struct view_rank {
    unsigned number; /* of MPI */
    unsigned first;  /* its first worker's lane */
    bool has_lost;   /* events were dropped */
};

/* From one rank to another; the ranks are indices of view_trace.ranks. */
struct view_message {
    uint64_t sent, received;
    uint32_t lane, goal;
    uint32_t rank, goal_rank;
};

#define VIEW_LIST(type)                                                                                                \
    struct {                                                                                                           \
        struct type *at;                                                                                               \
        size_t count, room;                                                                                            \
    }

struct view_trace {
    char producer[64];
    unsigned cpus;     /* that the program could use; 0: not known */
    unsigned workers;  /* lane `workers` is all other threads */
    uint64_t start;    /* nanoseconds of the machine's clock */
    uint64_t recorded; /* when the recording ended */
    uint64_t length;   /* of what is recorded: events may be later */
    uint64_t *dropped; /* events of each lane */
    uint64_t dropped_all;
    uint64_t *steals, *steals_failed; /* of each lane, dropped ones too; NULL: not known */
    uint64_t *cpu;                    /* nanoseconds of a processor that each lane's threads used; NULL: not known */
    uint64_t *delay;       /* and in which they waited for one, also after they were woken; NULL: not known */
    uint64_t cut;          /* so much of the beginning is left out (window.c) */
    unsigned char *titled; /* lanes that have a name: bit 0; an order: bit 1 */
    size_t events;
    int64_t process;
    struct view_names names;
    VIEW_LIST(view_slice) slices; /* once all are read, ordered by lane and time */
    VIEW_LIST(view_instant) instants;
    VIEW_LIST(view_half) halves; /* ordered by kind, id, time */
    size_t *first;               /* where each lane's slices begin, and one more */
    VIEW_LIST(view_rank) ranks;  /* in order; none: it is a trace of one process */
    VIEW_LIST(view_message) messages;
};

/* Reads the trace, and checks each event by itself. False: source->error says what is wrong. */
bool view_trace_read(struct view_trace *trace, struct view_source *source);
void view_trace_free(struct view_trace *trace);

/* Puts slices and halves in order, finds the length, and where each lane begins. */
void view_trace_order(struct view_trace *trace);

/* The first lane of an event's rank. */
static inline unsigned view_first_lane(const struct view_trace *trace, unsigned rank)
{
    return trace->ranks.count ? trace->ranks.at[rank].first : 0;
}

/* The worker's slice that begins at this moment, or NULL. */
const struct view_slice *view_trace_slice_at(const struct view_trace *trace, unsigned lane, uint64_t from);

#endif
