/* SPDX-License-Identifier: MIT */
/* What is drawn of a worker's events, and how they are kept. Neighbour: trace_file.c. */
#include "observe/trace.h"

#include "../support/fib_task.h"
#include "../support/folder.h"
#include "../support/runtime.h"
#include "arch/arch.h"
#include "events.h"
#include "idle/idle_counts.h"
#include "observe/trace_ring.h"
#include "observe/trace_walk.h"
#include "worker/victim.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#define RECORDS 8 /* of a ring */

static struct wsfj_trace_record records[2][RECORDS];
static struct wsfj_trace_ring rings[2] = {{.mask = RECORDS - 1, .records = records[0]},
                                          {.mask = RECORDS - 1, .records = records[1]}};
/* Two nanoseconds a tick. */
static const struct wsfj_trace trace = {rings,         1, .start_ticks = 100, .start_ns = 1000, .end_ticks = 200,
                                        .end_ns = 1200};

struct event {
    uint64_t ticks;
    enum wsfj_event event;
    unsigned detail;
    uint32_t a, b, c;
};
#define E(ticks, event, detail, a, b, c)                                                                               \
    {                                                                                                                  \
        ticks, WSFJ_EVENT_##event, detail, a, b, c                                                                     \
    }

static void put(const struct event *e)
{
    struct wsfj_trace_ring *ring = &rings[0];

    ring->records[ring->next++ & ring->mask] =
        (struct wsfj_trace_record){e->ticks, (uint32_t)e->event | e->detail << 16, e->a, e->b, e->c};
}

/* A picture in words. */
static char drawn[4096];

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
    size_t used = strlen(drawn);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(drawn + used, sizeof drawn - used, format, arguments);
    va_end(arguments);
}

static void begin(const struct wsfj_trace *t)
{
    (void)t;
    drawn[0] = '\0';
}

static void lane(unsigned lane, const char *name)
{
    say("[%u %s] ", lane, name);
}

static void label(const struct wsfj_trace_label *l)
{
    say(" %s/%s", l->category, l->name);
    for (int i = 0; i < WSFJ_TRACE_FACTS && l->facts[i].key; i++) {
        if (l->facts[i].text)
            say(" %s=%s", l->facts[i].key, l->facts[i].text);
        else
            say(" %s=%llu", l->facts[i].key, (unsigned long long)l->facts[i].number);
    }
    say("; ");
}

static void slice(unsigned lane, uint64_t from, uint64_t to, const struct wsfj_trace_label *l)
{
    say("%u:%llu-%llu", lane, (unsigned long long)from, (unsigned long long)to);
    label(l);
}

static void instant(unsigned lane, uint64_t at, const struct wsfj_trace_label *l)
{
    say("%u:%llu", lane, (unsigned long long)at);
    label(l);
}

static void length(unsigned lane, uint64_t at, uint64_t tasks)
{
    say("%u:%llu length=%llu; ", lane, (unsigned long long)at, (unsigned long long)tasks);
}

static void arrow(unsigned lane, uint64_t at, uint64_t id, const char *name, bool is_end)
{
    say("%u:%llu %s %s %llx; ", lane, (unsigned long long)at, name, is_end ? "to" : "from", (unsigned long long)id);
}

static void span(unsigned lane, uint64_t at, uint64_t id, const struct wsfj_trace_label *label, bool is_end)
{
    say("%u:%llu %s/%s %s %llx; ", lane, (unsigned long long)at, label->category, label->name,
        is_end ? "ends" : "begins", (unsigned long long)id);
}

static void end(const struct wsfj_trace *t)
{
    (void)t;
}

static const struct wsfj_picture words = {begin, lane, slice, instant, length, arrow, span, end};

#define LANES "[0 worker 0] [1 other threads] "

/* Catches: an event that is drawn as another one, a slice that does not end, ends for a wrong reason or before its
 * beginning, wrong times, arrows whose ends do not meet, one steal with two arrows or two with one number. */
START_TEST(events_are_drawn)
{
    static const struct {
        struct event events[4];
        const char *expected;
    } cases[] = {
        {{{0}}, ""},
        {{E(110, task_begin, 0, 7, 0, 0), E(120, task_end, 0, 7, 0, 0)},
         "0:1020-1040 task/task stack=7 part=0 where= end=done; "},
        {{E(110, task_begin, 0, 7, 0, 0), E(120, suspend, 0, 7, 3, 0), E(130, resume, 0, 7, 0, 1)},
         "0:1020-1040 task/task stack=7 part=0 where= end=waits for children children=3; "
         "0:1060 resume to 2000000700000001; 0:1060-1200 task/task stack=7 part=1 where= end=end of trace; "},
        {{E(110, resume, 0, 7, 0, 2), E(120, wait, 0, 7, 0, 0), E(130, runnable, 0, 9, 0, 4)},
         "0:1020 resume to 2000000700000002; 0:1020-1040 task/task stack=7 part=2 where= end=waits; "
         "0:1060 event/runnable stack=9; 0:1060 resume from 2000000900000004; "},
        {{E(110, search, 0, 0, 0, 0), E(120, steal, WSFJ_TIER_NUMA, 1, 5, 6), E(130, task_begin, 0, 2, 0, 0),
          E(140, yield, 0, 2, 0, 1)},
         "0:1040 event/steal victim=1 distance=numa tasks=5 remaining=6; 1:1040 length=6; 0:1020-1060 "
         "search/searching; "
         "1:1040 steal from 1000000000000000; 0:1060 steal to 1000000000000000; "
         "0:1060-1080 task/task stack=2 part=0 where= end=yields; 0:1080 resume from 2000000200000001; "},
        {{E(110, search, 0, 0, 0, 0), E(120, park, 0, 0, 0, 0), E(130, unpark, 0, 0, 0, 0), E(140, park, 1, 0, 0, 0)},
         "0:1020-1040 search/searching; 0:1040-1060 park/parked; 0:1080-1200 park/surplus; "},
        {{E(110, resume, 0, 3, 0, 1), E(120, block_begin, 0, 3, 0, 0), E(130, block_end, 1, 3, 0, 2)},
         "0:1020 resume to 2000000300000001; 0:1020-1040 task/task stack=3 part=1 where= end=blocks; "
         "0:1040 span/blocked begins 4000000300000000; 0:1060 span/blocked ends 4000000300000000; "
         "0:1060-1200 task/task stack=3 part=2 where= end=end of trace; "},
        {{E(110, block_end, 0, 3, 0, 2)}, "0:1020 span/blocked ends 4000000300000000; "},
        {{E(110, expose_request, 0, 4, 0, 0), E(120, expose, 0, 5, 8, 0), E(130, expose_force, 0, 6, 0, 0),
          E(140, wake, 0, 7, 0, 0)},
         "0:1020 event/expose request victim=4; 0:1040 event/expose stack=5 tasks=8; 0:1040 length=8; 0:1060 "
         "event/expose force victim=6; "
         "0:1080 event/wake worker=7; "},
        {{E(110, overflow, 0, 128, 0, 0), E(120, global_queue_take, 0, 9, 0, 0), E(130, mark, 0, 0, 0, 0)},
         "0:1020 event/overflow tasks=128; 0:1040 event/global queue take tasks=9; 0:1060 mark/task; "},
        {{E(110, region_begin, 0, 2, 0, 0), E(120, region_end, 0, 2, 0, 0), E(90, mark, 0, 0, 0, 0)},
         "0:1020 span/region begins 3000000200000000; 0:1040 span/region ends 3000000200000000; 0:1000 mark/task; "},
        {{E(110, loop_begin, 0, 2, 0, 0), E(120, loop_end, 0, 2, 0, 0)},
         "0:1020 loop/task begins 5000000200000000; 0:1040 loop/task ends 5000000200000000; "},
        {{E(120, task_begin, 0, 7, 0, 0), E(110, task_end, 0, 7, 0, 0)},
         "0:1040-1040 task/task stack=7 part=0 where= end=done; "},
        {{E(110, steal, WSFJ_TIER_COUNT + WSFJ_TIER_NUMA, 1, 2, 0), E(110, task_begin, 0, 2, 0, 0),
          E(120, task_end, 0, 2, 0, 0), E(130, task_begin, 0, 3, 0, 0)},
         "0:1020 event/steal victim=1 distance=numa tasks=2 remaining=0; 1:1020 length=0; "
         "1:1020 steal from 1000000000000000; 0:1020 steal to 1000000000000000; "
         "0:1020-1040 task/task stack=2 part=0 where= end=done; "
         "0:1060-1200 task/task stack=3 part=0 where= end=end of trace; "},
        {{E(110, steal, 0, 1, 1, 0), E(110, task_begin, 0, 2, 0, 0), E(120, steal, 0, 1, 1, 0),
          E(120, task_begin, 0, 3, 0, 0)},
         "0:1020 event/steal victim=1 distance=core tasks=1 remaining=0; 1:1020 length=0; "
         "1:1020 steal from 1000000000000000; 0:1020 steal to 1000000000000000; "
         "0:1040 event/steal victim=1 distance=core tasks=1 remaining=0; 1:1040 length=0; "
         "0:1020-1040 task/task stack=2 part=0 where= end=; "
         "1:1040 steal from 1000000000000001; 0:1040 steal to 1000000000000001; "
         "0:1040-1200 task/task stack=3 part=0 where= end=end of trace; "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rings[0].next = 0;
        for (int j = 0; j < 4 && cases[i].events[j].ticks; j++)
            put(&cases[i].events[j]);
        wsfj_trace_walk(&trace, &words);
        ck_assert_int_eq(strncmp(drawn, LANES, sizeof LANES - 1), 0);
        ck_assert_msg(strcmp(drawn + sizeof LANES - 1, cases[i].expected) == 0, "case %zu: drawn %s\nexpected %s", i,
                      drawn, cases[i].expected);
    }
}
END_TEST

/* Catches: an event from before the start, by a clock that another processor reads, drawn in a far future. */
START_TEST(what_was_before_is_drawn_at_the_start)
{
    struct wsfj_trace slow = trace;

    slow.end_ticks = 300;
    slow.end_ns = 1100;
    rings[0].next = 0;
    put(&(struct event)E(90, wake, 0, 7, 0, 0));
    put(&(struct event)E(120, wake, 0, 7, 0, 0));
    wsfj_trace_walk(&slow, &words);
    ck_assert_str_eq(drawn, LANES "0:1000 event/wake worker=7; 0:1010 event/wake worker=7; ");
}
END_TEST

/* Catches: names of workers with too few digits. */
START_TEST(workers_have_names)
{
    struct wsfj_trace_ring many[12] = {{.mask = 0}};
    struct wsfj_trace crew = {many, 11, .end_ns = 1};

    wsfj_trace_walk(&crew, &words);
    ck_assert_str_eq(drawn, "[0 worker 0] [1 worker 1] [2 worker 2] [3 worker 3] [4 worker 4] [5 worker 5] [6 worker 6] "
                            "[7 worker 7] [8 worker 8] [9 worker 9] [10 worker 10] [11 other threads] ");
}
END_TEST

/* Catches: a task that was not run, drawn because a foreign thread has claimed a record and not written it yet. */
START_TEST(an_empty_slot_is_not_drawn)
{
    rings[0].next = 0;
    put(&(struct event){.ticks = 0});
    put(&(struct event)E(WSFJ_TRACE_BUSY, wake, 0, 8, 0, 0));
    put(&(struct event)E(110, wake, 0, 7, 0, 0));
    wsfj_trace_walk(&trace, &words);
    ck_assert_str_eq(drawn, LANES "0:1020 event/wake worker=7; ");
}
END_TEST

/* Catches: a ring that loses its newest records or tells the wrong number of lost ones; a record that is not written
 * whole, or that two threads write. */
START_TEST(the_newest_records_stay)
{
    rings[0].next = 0;
    for (unsigned i = 0; i < 2 * RECORDS + 3; i++)
        wsfj_trace_put(&rings[0], WSFJ_EVENT_expose_force, 0, i, 2, 3);
    ck_assert_uint_eq(wsfj_trace_kept(&rings[0]), RECORDS);
    ck_assert_uint_eq(wsfj_trace_dropped(&rings[0]), RECORDS + 3);
    for (unsigned i = 0; i < RECORDS; i++) {
        const struct wsfj_trace_record *r = &records[0][(RECORDS + 3 + i) % RECORDS];

        ck_assert_uint_eq(r->a, RECORDS + 3 + i);
        ck_assert_uint_eq(r->b, 2);
        ck_assert_uint_eq(r->c, 3);
        ck_assert_uint_gt(r->ticks, 0);
    }
    wsfj_trace_walk(&trace, &words);
    ck_assert_msg(strstr(drawn, "event/expose force victim=11; "), "the oldest of %u: %s", RECORDS, drawn);
    rings[0].next = 3;
    ck_assert_uint_eq(wsfj_trace_kept(&rings[0]), 3);
    ck_assert_uint_eq(wsfj_trace_dropped(&rings[0]), 0);
    rings[0].next = 0;
    wsfj_trace_put_shared(&rings[0], WSFJ_EVENT_mark, 1, 1, 2, 3);
    ck_assert_uint_eq(rings[0].next, 1);
    ck_assert_uint_eq(records[0][0].event, WSFJ_EVENT_mark | 1 << 16);
    records[0][1] = (struct wsfj_trace_record){.ticks = WSFJ_TRACE_BUSY, .event = WSFJ_EVENT_wake};
    wsfj_trace_put_shared(&rings[0], WSFJ_EVENT_mark, 1, 1, 2, 3);
    ck_assert_uint_eq(rings[0].next, 2);
    ck_assert_uint_eq(records[0][1].event, WSFJ_EVENT_wake); /* another thread writes it */
}
END_TEST

static int is_read;
static unsigned long seen, torn;

static void *write_on(void *ring)
{
    for (uint32_t n = 1; !__atomic_load_n(&is_read, __ATOMIC_RELAXED); n++)
        wsfj_trace_put(ring, WSFJ_EVENT_steal, 0, n, n, n);
    return NULL;
}

static void *write_shared(void *ring)
{
    for (uint32_t n = 1; !__atomic_load_n(&is_read, __ATOMIC_RELAXED); n++)
        wsfj_trace_put_shared(ring, WSFJ_EVENT_steal, 0, n, n, n);
    return NULL;
}

/* All that writers put is of one number: what has others is of two records. */
static void compare(unsigned lane, uint64_t at, const struct wsfj_trace_label *l)
{
    (void)lane;
    (void)at;
    seen++;
    torn += l->facts[0].number != l->facts[2].number || l->facts[2].number != l->facts[3].number;
}

static void no_begin(const struct wsfj_trace *t)
{
    (void)t;
}

static void no_lane(unsigned lane, const char *name)
{
    (void)lane;
    (void)name;
}

static void no_slice(unsigned lane, uint64_t from, uint64_t to, const struct wsfj_trace_label *l)
{
    (void)lane;
    (void)from;
    (void)to;
    (void)l;
}

static void no_length(unsigned lane, uint64_t at, uint64_t tasks)
{
    (void)lane;
    (void)at;
    (void)tasks;
}

static void no_arrow(unsigned lane, uint64_t at, uint64_t id, const char *name, bool is_end)
{
    (void)lane;
    (void)at;
    (void)id;
    (void)name;
    (void)is_end;
}

static void no_span(unsigned lane, uint64_t at, uint64_t id, const struct wsfj_trace_label *label, bool is_end)
{
    (void)lane;
    (void)at;
    (void)id;
    (void)label;
    (void)is_end;
}

static const struct wsfj_picture comparison = {no_begin,  no_lane,  no_slice, compare,
                                               no_length, no_arrow, no_span,  no_begin};

/* Catches: a record that is half of an old event and half of the new one that is written over it, in a trace that is
 * written while threads run. _i: by one thread, by two into the common ring. */
START_TEST(what_is_written_over_is_not_drawn)
{
    pthread_t writers[2];
    uint64_t until = wsfj_now() + 300000000u;

    rings[0].next = 0;
    for (int i = 0; i <= _i; i++)
        ck_assert_int_eq(pthread_create(&writers[i], NULL, _i ? write_shared : write_on, &rings[0]), 0);
    while (wsfj_now() < until)
        wsfj_trace_walk(&trace, &comparison);
    __atomic_store_n(&is_read, 1, __ATOMIC_RELAXED);
    for (int i = 0; i <= _i; i++)
        pthread_join(writers[i], NULL);
    ck_assert_msg(torn == 0, "%lu of %lu", torn, seen);
}
END_TEST

#define MOMENT(a, b, c)                                                                                                \
    {                                                                                                                  \
        a, b, c                                                                                                        \
    }
#define LANE                                                                                                           \
    {                                                                                                                  \
        "stack", "name", "children"                                                                                    \
    }
#define UNDRAWN LANE
#define ROW(name, recorded, counted, drawn, text) {#name, recorded, drawn, text},
static const struct row {
    const char *name;
    bool is_recorded;
    const char *keys[3], *text;
} rows[] = {WSFJ_EVENTS(ROW)};

static bool is_word_of(const struct row *row, const char *word, size_t length)
{
    bool has_stack = false, is_key = length == 4 && strncmp(word, "name", 4) == 0;

    for (int i = 0; i < 3 && row->keys[i]; i++) {
        has_stack |= strcmp(row->keys[i], "stack") == 0;
        is_key |= strlen(row->keys[i]) == length && strncmp(word, row->keys[i], length) == 0;
    }
    return is_key || (has_stack && length == 4 && strncmp(word, "task", 4) == 0);
}

/* Catches: an event without a text; a text with a word that the event does not have. */
START_TEST(each_row_has_its_text)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];

        ck_assert_msg(!row->is_recorded || (row->text && *row->text), "%s has no text", row->name);
        for (const char *at = row->text; at && (at = strchr(at, '{')); at++)
            ck_assert_msg(is_word_of(row, at + 1, strcspn(at + 1, "}")), "%s: %s", row->name, at);
    }
}
END_TEST

static void item(void *arg)
{
    (void)arg;
}

static WS_LOOP(divided, long, i)
{
    take_time(i);
}

/* Something of each kind of event. */
static WS_TASK_VOID(all_kinds, long, items)
{
    ws_group group = WS_GROUP_INIT;
    long result;

    ws_spawn(fib, &result, 16);
    for (long i = 0; i < items; i++)
        (void)ws_group_submit(&group, item, NULL);
    ws_yield();
    ws_blocking_begin();
    ws_blocking_end();
    (void)ws_group_wait(&group);
    ws_sync();
    ws_for(divided, 0, 1000);
}

static void wait_until_all_sleep(void)
{
    while (wsfj_idle_counts().sleeping < (int64_t)wsfj_num_workers || wsfj_idle_counts().searching > 0)
        sched_yield();
}

/* Catches: an event that is missing on one of the paths that have it, comes twice, is recorded and not counted, or is of
 * another stack. With guests of sleepers, and of searchers in a phase. */
START_TEST(what_a_run_records_fits_together)
{
    uint64_t events[WSFJ_EVENT_COUNT] = {0};

    ck_assert_int_eq(folder_begin("events"), 0);
    folder_make();
    setenv("WSFJ_TRACE", folder_path("events.json"), 1);
    start_runtime((size_t)_i + 1, 0, 0);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(ws_run(all_kinds, i ? 10 : 600), 0);
        wait_until_all_sleep();
    }
    ck_assert_int_eq(ws_phase_begin(), 0);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(ws_run(all_kinds, 1), 0);
    ck_assert_int_eq(ws_phase_end(), 0);
    wait_until_all_sleep();
    events_check(events);
    ck_assert_uint_eq(events[WSFJ_EVENT_region_end], 25);
    ck_assert_uint_ge(events[WSFJ_EVENT_task_end], 25 + 660);
    ck_assert_uint_ge(events[WSFJ_EVENT_yield], 25);
    ck_assert_uint_ge(events[WSFJ_EVENT_block_begin], 25);
    ck_assert(events[WSFJ_EVENT_loop_begin] > 0 && events[WSFJ_EVENT_park] > 0 && events[WSFJ_EVENT_search] > 0);
    stop_runtime();
    folder_end();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("trace");

    tcase_add_test(tcase, events_are_drawn);
    tcase_add_test(tcase, what_was_before_is_drawn_at_the_start);
    tcase_add_test(tcase, workers_have_names);
    tcase_add_test(tcase, an_empty_slot_is_not_drawn);
    tcase_add_test(tcase, the_newest_records_stay);
    tcase_add_loop_test(tcase, what_is_written_over_is_not_drawn, 0, 2);
    tcase_add_test(tcase, each_row_has_its_text);
    tcase_add_loop_test(tcase, what_a_run_records_fits_together, 0, 3);
    return run_case("trace", tcase);
}
