/* SPDX-License-Identifier: MIT */
/* What is drawn of a worker's events, the names in it, and the file it goes to. */
#include "trace.h"

#include "../process.h"
#include "trace_file.h"
#include "trace_names.h"
#include "trace_ring.h"
#include "trace_walk.h"
#include "victim.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#define RECORDS 8 /* of a ring */

static struct wsfj_trace_record records[2][RECORDS];
static struct wsfj_trace_ring rings[2] = {{.mask = RECORDS - 1, .records = records[0]},
                                          {.mask = RECORDS - 1, .records = records[1]}};
/* Two nanoseconds a tick. */
static const struct wsfj_trace trace = {rings, 1, .start_ticks = 100, .start_ns = 1000, .end_ticks = 200, .end_ns = 1200};

static void put(uint64_t ticks, enum wsfj_event event, unsigned detail, uint32_t a, uint32_t b, uint32_t c)
{
    struct wsfj_trace_ring *ring = &rings[0];

    ring->records[ring->next++ & ring->mask] = (struct wsfj_trace_record){ticks, (uint32_t)event | detail << 16, a, b, c};
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

static void span(unsigned lane, uint64_t at, uint64_t id, const char *name, bool is_end)
{
    say("%u:%llu %s %s %llx; ", lane, (unsigned long long)at, name, is_end ? "ends" : "begins", (unsigned long long)id);
}

static void end(const struct wsfj_trace *t)
{
    (void)t;
}

static const struct wsfj_picture words = {begin, lane, slice, instant, length, arrow, span, end};

#define LANES "[0 worker 0] [1 other threads] "

/* Catches: an event that is drawn as another one, a slice that does not end or ends for a wrong reason, wrong times, arrows
 * whose ends do not meet. */
START_TEST(events_are_drawn)
{
    static const struct {
        struct {
            uint64_t ticks;
            enum wsfj_event event;
            unsigned detail;
            uint32_t a, b, c;
        } events[4];
        const char *expected;
    } cases[] = {
        {{{0}}, ""},
        {{{110, WSFJ_EVENT_task_begin, 0, 7, 0, 0}, {120, WSFJ_EVENT_task_end, 0, 7, 0, 0}},
         "0:1020-1040 task/task stack=7 part=0 where= end=done; "},
        {{{110, WSFJ_EVENT_task_begin, 0, 7, 0, 0}, {120, WSFJ_EVENT_suspend, 0, 7, 3, 0}, {130, WSFJ_EVENT_go_on, 0, 7, 0, 1}},
         "0:1020-1040 task/task stack=7 part=0 where= end=waits for children children=3; 0:1060 resume to 2000000700000001; "
         "0:1060-1200 task/task stack=7 part=1 where= end=end of trace; "},
        {{{110, WSFJ_EVENT_go_on, 0, 7, 0, 2}, {120, WSFJ_EVENT_wait, 0, 7, 0, 0}, {130, WSFJ_EVENT_resume, 0, 9, 0, 4}},
         "0:1020 resume to 2000000700000002; 0:1020-1040 task/task stack=7 part=2 where= end=waits for a group; "
         "0:1060 event/resume stack=9; 0:1060 resume from 2000000900000004; "},
        {{{110, WSFJ_EVENT_search, 0, 0, 0, 0}, {120, WSFJ_EVENT_steal, WSFJ_TIER_NUMA, 1, 5, 6}, {130, WSFJ_EVENT_task_begin, 0, 2, 0, 0},
          {140, WSFJ_EVENT_yield, 0, 2, 0, 0}},
         "0:1040 event/steal victim=1 distance=numa tasks=5 left=6; 1:1040 length=6; 0:1020-1060 search/searching; "
         "1:1040 steal from 1000000000000000; 0:1060 steal to 1000000000000000; "
         "0:1060-1080 task/task stack=2 part=0 where= end=yields; "},
        {{{110, WSFJ_EVENT_search, 0, 0, 0, 0}, {120, WSFJ_EVENT_park, 0, 0, 0, 0}, {130, WSFJ_EVENT_unpark, 0, 0, 0, 0},
          {140, WSFJ_EVENT_park, 1, 0, 0, 0}},
         "0:1020-1040 search/searching; 0:1040-1060 park/parked; 0:1080-1200 park/surplus; "},
        {{{110, WSFJ_EVENT_go_on, 0, 3, 0, 1}, {120, WSFJ_EVENT_block_begin, 0, 3, 0, 0}, {130, WSFJ_EVENT_block_end, 1, 3, 0, 2}},
         "0:1020 resume to 2000000300000001; 0:1020-1040 task/task stack=3 part=1 where= end=blocks; "
         "0:1040 blocked begins 4000000300000000; 0:1060 blocked ends 4000000300000000; "
         "0:1060-1200 task/task stack=3 part=2 where= end=end of trace; "},
        {{{110, WSFJ_EVENT_block_end, 0, 3, 0, 2}}, "0:1020 blocked ends 4000000300000000; "},
        {{{110, WSFJ_EVENT_ask, 0, 4, 0, 0}, {120, WSFJ_EVENT_answer, 0, 5, 8, 0}, {130, WSFJ_EVENT_force, 0, 6, 0, 0}, {140, WSFJ_EVENT_wake, 0, 7, 0, 0}},
         "0:1020 event/ask victim=4; 0:1040 event/answer stack=5 tasks=8; 0:1040 length=8; 0:1060 event/force victim=6; "
         "0:1080 event/wake worker=7; "},
        {{{110, WSFJ_EVENT_overflow, 0, 128, 0, 0}, {120, WSFJ_EVENT_global_take, 0, 9, 0, 0}, {130, WSFJ_EVENT_mark, 0, 0, 0, 0}},
         "0:1020 event/overflow tasks=128; 0:1040 event/global take tasks=9; 0:1060 mark/task; "},
        {{{110, WSFJ_EVENT_region_begin, 0, 2, 0, 0}, {120, WSFJ_EVENT_region_end, 0, 2, 0, 0}, {90, WSFJ_EVENT_mark, 0, 0, 0, 0}},
         "0:1020 region begins 3000000200000000; 0:1040 region ends 3000000200000000; 0:1000 mark/task; "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rings[0].next = 0;
        for (int j = 0; j < 4 && cases[i].events[j].ticks; j++)
            put(cases[i].events[j].ticks, cases[i].events[j].event, cases[i].events[j].detail, cases[i].events[j].a,
                cases[i].events[j].b, cases[i].events[j].c);
        wsfj_trace_walk(&trace, &words);
        ck_assert_msg(strncmp(drawn, LANES, sizeof LANES - 1) == 0 && strcmp(drawn + sizeof LANES - 1, cases[i].expected) == 0,
                      "case %zu: drawn %s\nexpected %s", i, drawn, cases[i].expected);
    }
}
END_TEST

/* Catches: a task that nobody has run, drawn where a foreign thread has taken a slot and not written to it yet. */
START_TEST(an_empty_slot_is_not_drawn)
{
    rings[0].next = 0;
    put(0, 0, 0, 0, 0, 0);
    put(110, WSFJ_EVENT_wake, 0, 7, 0, 0);
    wsfj_trace_walk(&trace, &words);
    ck_assert_str_eq(drawn, LANES "0:1020 event/wake worker=7; ");
}
END_TEST

/* Catches: a ring that loses its newest records or tells the wrong number of lost ones; a record that is not written whole. */
START_TEST(the_newest_records_stay)
{
    rings[0].next = 0;
    for (unsigned i = 0; i < 2 * RECORDS + 3; i++)
        wsfj_trace_put(&rings[0], WSFJ_EVENT_force, 0, i, 2, 3);
    ck_assert_uint_eq(wsfj_trace_kept(&rings[0]), RECORDS);
    ck_assert_uint_eq(wsfj_trace_dropped(&rings[0]), RECORDS + 3);
    for (unsigned i = 0; i < RECORDS; i++) {
        const struct wsfj_trace_record *r = &records[0][(RECORDS + 3 + i) % RECORDS];

        ck_assert_uint_eq(r->a, RECORDS + 3 + i);
        ck_assert_uint_eq(r->b, 2);
        ck_assert_uint_eq(r->c, 3);
        ck_assert_uint_gt(r->ticks, 0);
    }
    rings[0].next = 3;
    ck_assert_uint_eq(wsfj_trace_kept(&rings[0]), 3);
    ck_assert_uint_eq(wsfj_trace_dropped(&rings[0]), 0);
    rings[0].next = 0;
    wsfj_trace_put_shared(&rings[0], WSFJ_EVENT_mark, 1, 1, 2, 3);
    ck_assert_uint_eq(rings[0].next, 1);
    ck_assert_uint_eq(records[0][0].event, WSFJ_EVENT_mark | 1 << 16);
}
END_TEST

static void some_function(void *arg)
{
    (void)arg;
}

/* Catches: a name that is made twice, mixed up, cut without an end, or read from memory that is gone; a full table that
 * writes on. */
START_TEST(names_are_copied)
{
    static char text[200];
    static char many[5000];
    struct wsfj_kind kind = {.name = "sort", .file = "/some/where/sort.c", .line = 12};
    uint32_t index;

    ck_assert(wsfj_trace_names_start());
    ck_assert_str_eq(wsfj_trace_name(0)->text, "task");
    index = wsfj_trace_name_of_kind(&kind);
    ck_assert_uint_eq(index, 1);
    ck_assert_uint_eq(wsfj_trace_name_of_kind(&kind), 1);
    kind.name = NULL; /* unloaded */
    ck_assert_str_eq(wsfj_trace_name(1)->text, "sort");
    ck_assert_str_eq(wsfj_trace_name(1)->where, "sort.c:12");
    memset(text, 'x', sizeof text - 1);
    index = wsfj_trace_name_of_text(text);
    ck_assert_uint_eq(index, 2);
    ck_assert_uint_eq(strlen(wsfj_trace_name(2)->text), 95);
    ck_assert_str_eq(wsfj_trace_name(2)->where, "");
    ck_assert_uint_eq(wsfj_trace_name_of_function(some_function), 3);
    ck_assert_str_eq(wsfj_trace_name(3)->text, "some_function"); /* it is static */
    for (size_t i = 0; i < sizeof many; i++)
        index = wsfj_trace_name_of_text(&many[i]);
    ck_assert_uint_eq(index, 0);
    ck_assert_str_eq(wsfj_trace_name(4096)->text, "task");
    wsfj_trace_names_stop();
    ck_assert_str_eq(wsfj_trace_name(1)->text, "task");
}
END_TEST

static char folder[] = "/tmp/wsfj-trace-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool is_there(const char *name)
{
    struct stat status;

    return lstat(in_folder(name), &status) == 0;
}

static void write_one(void)
{
    ck_assert_ptr_nonnull(wsfj_trace_file_begin());
    wsfj_put_text("text ");
    wsfj_put_number(UINT64_MAX);
    wsfj_put_text(" ");
    wsfj_put_number(0);
    wsfj_trace_file_end();
    wsfj_trace_file_close();
}

static void check_content(const char *name, const char *expected)
{
    char text[100] = "";
    FILE *f = fopen(in_folder(name), "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fread(text, 1, sizeof text - 1, f), strlen(expected));
    ck_assert_str_eq(text, expected);
    fclose(f);
}

/* One of them, in a process that has not opened any. */
static int open_name(long which)
{
    static const char *const names[] = {"soft.json", "hard.json", "pipe.json", "no/such.json"};

    return wsfj_trace_file_open(in_folder(names[which]));
}

static void check_refused(long which, const char *why)
{
    struct outcome o = in_child(open_name, which);

    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, 1);
    ck_assert_msg(strstr(o.text, "WSFJ_TRACE=") && strstr(o.text, why), "%s", o.text);
}

/* Catches: a link, a pipe or another name of a file that is followed and written to; old contents that stay; names of a
 * second run that are the first one's. */
START_TEST(the_file_is_ours)
{
    char own[128];
    FILE *f;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert(wsfj_trace_file_knows("a.json") && wsfj_trace_file_knows("a.pftrace"));
    ck_assert(!wsfj_trace_file_knows(".json") && !wsfj_trace_file_knows("a.jsonx") && !wsfj_trace_file_knows(""));

    f = fopen(in_folder("old.json"), "w");
    for (int i = 0; i < 1000; i++)
        fputs("old ", f);
    fclose(f);
    /* Before this process has opened one: a child's first one has no number. */
    ck_assert_int_eq(symlink("victim", in_folder("soft.json")), 0);
    ck_assert_int_eq(mkfifo(in_folder("pipe.json"), 0600), 0);
    f = fopen(in_folder("precious"), "w");
    fputs("precious", f);
    fclose(f);
    snprintf(own, sizeof own, "%s", in_folder("precious"));
    ck_assert_int_eq(link(own, in_folder("hard.json")), 0);
    check_refused(0, "symbolic link");
    check_refused(1, "second name");
    check_refused(2, "No such device or address"); /* nobody reads it */
    check_refused(3, "No such file");
    ck_assert(!is_there("victim"));
    check_content("precious", "precious");

    ck_assert(wsfj_trace_file_open(in_folder("old.json")));
    check_content("old.json", "");
    write_one();
    check_content("old.json", "text 18446744073709551615 0");
    ck_assert(wsfj_trace_file_open(in_folder("old.json")));
    write_one();
    check_content("old.2.json", "text 18446744073709551615 0");
    ck_assert(wsfj_trace_file_open(in_folder("run-%p-.pftrace")));
    write_one();
    snprintf(own, sizeof own, "run-%ld-.3.pftrace", (long)getpid());
    check_content(own, "text 18446744073709551615 0");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("trace");

    tcase_add_test(tcase, events_are_drawn);
    tcase_add_test(tcase, an_empty_slot_is_not_drawn);
    tcase_add_test(tcase, the_newest_records_stay);
    tcase_add_test(tcase, names_are_copied);
    tcase_add_test(tcase, the_file_is_ours);
    return run_case("trace", tcase);
}
