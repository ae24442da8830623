/* SPDX-License-Identifier: MIT */
/* The syntax of OMP_PLACES: lib/config/places.h. */
#include "config/places.h"

#include "../support/resources.h"
#include "../support/run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wsfj_places places;

/* The list as "0,1 2,3". */
static const char *in_words(void)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0, start = 0; i < places.count; start = places.end[i++])
        for (unsigned j = start; j < places.end[i]; j++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u",
                                     j > start ? ","
                                     : i       ? " "
                                               : "",
                                     places.cpu[j]);
    return text;
}

static const struct {
    const char *text, *list;
} lists[] = {
    {"{0}", "0"},
    {"{0,1}", "0,1"},
    {"{1,0}", "0,1"},
    {"{0,0}", "0"},
    {"{0:4}", "0,1,2,3"},
    {"{0:3:2}", "0,2,4"},
    {"{6:3:-2}", "2,4,6"},
    {"{0,4:2,9}", "0,4,5,9"},
    {"{0},{1}", "0 1"},
    {"{1},{0}", "1 0"},
    {"{0},{0}", "0 0"},
    {"{0,1},{2:4}:3:4", "0,1 2,3,4,5 6,7,8,9 10,11,12,13"},
    {"{0:4}:2:4", "0,1,2,3 4,5,6,7"},
    {"{0:2}:2", "0,1 1,2"},
    {"{8,9}:3:-4", "8,9 4,5 0,1"},
    {"{3}:2:0", "3 3"},
    {"{0:8,!3}", "0,1,2,4,5,6,7"},
    {"{!3,0:4}", "0,1,2,3"},
    {"{0:2},{4:2},!{0:2}", "4,5"},
    {"{0}:4,!{2}", "0 1 3"},
    {"{0},!{0,1}", "0"},
    {"{0},{1,!1}", "0"},
    {"5", "5"},
    {"0,1,2", "0 1 2"},
    {"0:3:2", "0 2 4"},
    {"0:4,!2", "0 1 3"},
    {" { 0 , 1 : 2 } : 2 : 4 , ! { 9 } ", "0,1,2 4,5,6"},
    {"{65535}", "65535"},
    {"{00012}", "12"},
};
#define LISTS ((int)(sizeof lists / sizeof *lists))

/* Catches: a length taken for an end; a stride forgotten or of the wrong sign; an exclusion without effect; blanks
 * refused. */
START_TEST(lists_are_places_of_processors)
{
    ck_assert_msg(wsfj_places_parse(lists[_i].text, &places), "%s", lists[_i].text);
    ck_assert_int_eq(places.what, WSFJ_PLACES_LIST);
    ck_assert_msg(strcmp(in_words(), lists[_i].list) == 0, "%s: %s", lists[_i].text, in_words());
    wsfj_places_free(&places);
}
END_TEST

/* Catches: a name taken for another; "(n)" ignored; case that matters. */
START_TEST(names_may_have_a_number)
{
    static const struct {
        const char *text;
        enum wsfj_places_what what;
        unsigned most;
    } names[] = {{"threads", WSFJ_PLACES_THREADS, 0},     {"cores", WSFJ_PLACES_CORES, 0},
                 {"ll_caches", WSFJ_PLACES_LL_CACHES, 0}, {"numa_domains", WSFJ_PLACES_NUMA_DOMAINS, 0},
                 {"sockets", WSFJ_PLACES_SOCKETS, 0},     {"Cores", WSFJ_PLACES_CORES, 0},
                 {"SOCKETS(2)", WSFJ_PLACES_SOCKETS, 2},  {" threads ( 16 ) ", WSFJ_PLACES_THREADS, 16},
                 {"cores(1)", WSFJ_PLACES_CORES, 1}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_msg(wsfj_places_parse(names[i].text, &places), "%s", names[i].text);
        ck_assert_int_eq(places.what, names[i].what);
        ck_assert_uint_eq(places.most, names[i].most);
    }
    wsfj_places_free(&places);
}
END_TEST

static const char *const nonsense[] = {"",
                                       " ",
                                       "{",
                                       "}",
                                       "{}",
                                       "{0",
                                       "0}",
                                       "{0}}",
                                       "{{0}}",
                                       "{0}{1}",
                                       "{0},",
                                       ",{0}",
                                       "{0},,{1}",
                                       "{0,}",
                                       "{,0}",
                                       "{0 1}",
                                       "{-1}",
                                       "{+1}",
                                       "{a}",
                                       "{0x1}",
                                       "{1.5}",
                                       "{0:}",
                                       "{0:0}",
                                       "{0:0},{1}",
                                       "{0}:0,{1}",
                                       "{0:-1}",
                                       "{0:2:}",
                                       "{0:2:x}",
                                       "{0:2:3:4}",
                                       "{0}:",
                                       "{0}:0",
                                       "{0}:2:",
                                       "{0}:2:3:4",
                                       "{0}:-1",
                                       "!{0}",
                                       "{0},!",
                                       "{0},!{0}",
                                       "{0},!{0}:2",
                                       "!!{0}",
                                       "{!!0}",
                                       "{!0:2}",
                                       "{0:3:-1}",
                                       "{0}:3:-1",
                                       "{65536}",
                                       "{65535:2}",
                                       "{65535}:2",
                                       "{0}:4097",
                                       "{0:65536}:17",
                                       "99999999999999999999",
                                       "core",
                                       "coress",
                                       "cores,cores",
                                       "cores cores",
                                       "cores()",
                                       "cores(0)",
                                       "cores(-1)",
                                       "cores(2",
                                       "cores 2",
                                       "cores(2)x",
                                       "cores(2),{0}",
                                       "cores(700000",
                                       "cores(99999999999999999999)",
                                       "{cores}",
                                       "true",
                                       "*",
                                       "{0:9999999999999999999999}",
                                       "{0}:1:99999999999999999999",
                                       "0-3",
                                       "{0-3}",
                                       "{0;1}",
                                       "{0}:2:1:",
                                       "cores:2"};
#define NONSENSE ((int)(sizeof nonsense / sizeof *nonsense))

/* Catches: a prefix taken for the whole; a number that overflows; an interval that exceeds the range; a large length
 * that exhausts memory; a value changed by a refused text. */
START_TEST(nonsense_is_refused_and_changes_nothing)
{
    ck_assert(wsfj_places_parse("{7}", &places));
    ck_assert_msg(!wsfj_places_parse(nonsense[_i], &places), "%s: %s", nonsense[_i], in_words());
    ck_assert_int_eq(places.what, WSFJ_PLACES_LIST);
    ck_assert_str_eq(in_words(), "7");
    wsfj_places_free(&places);
}
END_TEST

/* Catches: limits that exclude themselves; room that does not grow. */
START_TEST(large_lists_are_read_whole)
{
    ck_assert(wsfj_places_parse("{0}:4096", &places));
    ck_assert_uint_eq(places.count, 4096);
    ck_assert_uint_eq(places.cpu[4095], 4095);
    ck_assert(wsfj_places_parse("{0:65536}:16:0", &places));
    ck_assert_uint_eq(places.end[15], 1048576);
    ck_assert_uint_eq(places.cpu[1048575], 65535);
    wsfj_places_free(&places);
    ck_assert_ptr_null(places.cpu);
}
END_TEST

/* Catches: copies of empty places made one by one; lists with a short result that take for ever to read. */
START_TEST(what_is_taken_back_again_and_again_is_refused)
{
    static const char piece[] = ",{0}:4095:0,!{0}";
    char text[4 + 100 * (sizeof piece - 1)] = "{9}";

    ck_assert(wsfj_places_parse("{0,!0}:65536,{1}", &places));
    ck_assert_str_eq(in_words(), "1");
    strcat(text, piece);
    ck_assert(wsfj_places_parse(text, &places));
    ck_assert_str_eq(in_words(), "9");
    for (int i = 1; i < 100; i++)
        strcat(text, piece);
    ck_assert(!wsfj_places_parse(text, &places));
    wsfj_places_free(&places);
}
END_TEST

/* Catches: reads beyond the end of the text. Any text gives an answer; run with sanitizers. */
START_TEST(random_texts_are_read_to_an_end)
{
    static const char signs[] = "{}{},,::!!-0123489 ()cores";
    unsigned state = 12345, good = 0;

    for (int round = 0; round < 20000; round++) {
        char text[16];
        size_t n = 0;

        for (size_t length = 1 + (size_t)round % 14; n < length; n++) {
            state = state * 1103515245u + 12345u;
            text[n] = signs[(state >> 16) % (sizeof signs - 1)];
        }
        text[n] = '\0';

        char *exact = strdup(text);

        good += wsfj_places_parse(exact, &places);
        free(exact);
    }
    ck_assert_uint_gt(good, 0);
    wsfj_places_free(&places);
}
END_TEST

/* Catches: places that a later list replaces, or that a refused list has begun, and that stay in memory. */
START_TEST(a_list_leaves_no_memory_behind)
{
    size_t before = 0;

    for (int i = 0; i < 100; i++) {
        if (i == 10)
            before = allocated();
        ck_assert(wsfj_places_parse("{0:1000}", &places));
        ck_assert(!wsfj_places_parse("{0:1000},", &places));
    }
    ck_assert_uint_eq(allocated(), before);
    wsfj_places_free(&places);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("places");

    tcase_add_loop_test(tcase, lists_are_places_of_processors, 0, LISTS);
    tcase_add_test(tcase, names_may_have_a_number);
    tcase_add_loop_test(tcase, nonsense_is_refused_and_changes_nothing, 0, NONSENSE);
    tcase_add_test(tcase, large_lists_are_read_whole);
    tcase_add_test(tcase, what_is_taken_back_again_and_again_is_refused);
    tcase_add_test(tcase, random_texts_are_read_to_an_end);
    tcase_add_test(tcase, a_list_leaves_no_memory_behind);
    return run_case("places", tcase);
}
