/* SPDX-License-Identifier: MIT */
/* The characters of a JSON trace: lib/observe/trace_json.c. Neighbours: trace.c, what is drawn; trace_file.c;
 * build/view.sh, whole traces. */
#include "../support/folder.h"

#include "observe/trace_file.h"
#include "observe/trace_format.h"
#include "observe/trace_ring.h"
#include "observe/trace_walk.h"

#include <string.h>
#include <unistd.h>

static char text[1 << 14];

/* The trace that `draw` makes, in `text`. */
static void drawn_by(void (*draw)(const struct wsfj_picture *picture))
{
    FILE *f;
    size_t n;

    folder_make();
    ck_assert(wsfj_trace_file_open(folder_path("drawn.json")));
    wsfj_trace_file_begin();
    draw(&wsfj_trace_json);
    wsfj_trace_file_end();
    wsfj_trace_file_close();
    f = fopen(folder_path("drawn.json"), "r");
    ck_assert_ptr_nonnull(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
}

static const struct {
    const char *name, *expected;
} names[] = {
    {"plain", "plain"},
    {"say \"a\"", "say \\\"a\\\""},
    {"back\\slash\\", "back\\\\slash\\\\"},
    {"a\nb\tc\x01", "a\\u000ab\\u0009c\\u0001"},
    {"\x1f \x7f~", "\\u001f \\u007f~"},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"}, /* UTF-8 stays */
    {"\xff\xc3", "\\u00ff\\u00c3"},
    {"\xc3(\x80", "\\u00c3(\\u0080"},
    {"", ""},
};
#define NAMES (sizeof names / sizeof *names)

static void draw_names(const struct wsfj_picture *picture)
{
    for (size_t i = 0; i < NAMES; i++)
        picture->instant(0, 1000, &(struct wsfj_trace_label){.name = names[i].name, .category = "c"});
}

/* Catches: a character of a name that ends the string, or that no reader of JSON accepts. */
START_TEST(names_are_escaped)
{
    drawn_by(draw_names);
    for (size_t i = 0; i < NAMES; i++) {
        char expected[200];

        snprintf(expected, sizeof expected, "\"name\":\"%s\",\"pid\":", names[i].expected);
        ck_assert_msg(strstr(text, expected) != NULL, "name %zu: %s\nexpected: %s", i, text, expected);
    }
}
END_TEST

static struct wsfj_trace_ring rings[2] = {
    {.mask = 7, .next = 10, .steals = 11, .steals_failed = 12, .cpu = 900, .delay = 70},
    {.mask = 7, .next = 3, .steals = 0, .steals_failed = 5, .cpu = 13}};
static const struct wsfj_trace trace = {rings, 1, .start_ns = 1002003, .end_ns = 4000999, .cpus = 6};

static void draw_all(const struct wsfj_picture *picture)
{
    const struct wsfj_trace_label label = {
        .name = "n", .category = "c", .facts = {{"count", NULL, 7}, {"where", "a\"b", 0}}};

    picture->begin(&trace);
    picture->lane(1, "lane");
    picture->slice(1, 1500, 2501, &label);
    picture->length(0, 3000, 9);
    picture->arrow(0, 10, UINT64_MAX, "go", false);
    picture->arrow(1, 20, UINT64_MAX, "go", true);
    picture->span(1, 30, 5, &label, false);
    picture->span(1, 40, 5, &label, true);
    picture->end(&trace);
}

/* Catches: a time that lacks a digit, an event without its lane or its comma, counts in a wrong place, arrows and spans
 * whose ends are swapped. */
START_TEST(every_event_is_whole)
{
    char expected[4000];
    long p = (long)getpid();

    drawn_by(draw_all);
    snprintf(expected, sizeof expected,
             "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"libwsfj %s\",\"format\":%d,\"workers\":1,"
             "\"from\":1002.003,\"to\":4000.999,\"dropped\":[2,0],\"steals\":[11,0],\"steals_failed\":[12,5],"
             "\"cpus\":6,\"cpu_ns\":[900,13],\"delay_ns\":[70,0]},\"traceEvents\":[\n"
             "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%ld,\"tid\":2,\"args\":{\"name\":\"lane\"}},\n"
             "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%ld,\"tid\":2,\"args\":{\"sort_index\":1}},\n"
             "{\"ph\":\"X\",\"name\":\"n\",\"pid\":%ld,\"tid\":2,\"ts\":1.500,\"dur\":1.001,\"cat\":\"c\","
             "\"args\":{\"count\":7,\"where\":\"a\\\"b\"}},\n"
             "{\"ph\":\"C\",\"name\":\"deque\",\"pid\":%ld,\"tid\":1,\"id\":0,\"ts\":3.000,\"args\":{\"tasks\":9}},\n"
             "{\"ph\":\"s\",\"name\":\"go\",\"pid\":%ld,\"tid\":1,\"cat\":\"flow\",\"id\":\"18446744073709551615\","
             "\"ts\":0.010},\n"
             "{\"ph\":\"f\",\"name\":\"go\",\"pid\":%ld,\"tid\":2,\"cat\":\"flow\",\"id\":\"18446744073709551615\","
             "\"ts\":0.020,\"bp\":\"e\"},\n"
             "{\"ph\":\"b\",\"name\":\"n\",\"pid\":%ld,\"tid\":2,\"cat\":\"c\",\"id\":\"5\",\"ts\":0.030},\n"
             "{\"ph\":\"e\",\"name\":\"n\",\"pid\":%ld,\"tid\":2,\"cat\":\"c\",\"id\":\"5\",\"ts\":0.040}\n]}\n",
             WSFJ_VERSION_STRING, WSFJ_TRACE_FORMAT, p, p, p, p, p, p, p, p);
    ck_assert_str_eq(text, expected);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("trace_json");

    if (folder_begin("json") != 0)
        return EXIT_FAILURE;
    tcase_add_test(tcase, names_are_escaped);
    tcase_add_test(tcase, every_event_is_whole);

    int status = run_case("trace_json", tcase);

    folder_end();
    return status;
}
