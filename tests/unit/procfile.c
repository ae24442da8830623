/* SPDX-License-Identifier: MIT */
/* The kernel's small text files: lib/base/procfile.h. Neighbours: cgroup.c and topology_sys.c, which read whole ones. */
#include "base/procfile.h"

#include "../support/run.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file with this text. */
static struct wsfj_procfile holding(const char *text)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    close(ends[1]);
    return (struct wsfj_procfile){.fd = ends[0]};
}

/* Catches: a byte behind the buffer that is written; a line that is passed over although it fits, or cut; the rest of a
 * long line taken for a line; a text without a newline at its end taken for a line. */
START_TEST(lines_that_do_not_fit_are_passed_over)
{
    struct wsfj_procfile file = holding("1234567\n12345678\n123456789\n\nab\n1234567890123456\nc\nno end");
    static const char *const lines[] = {"1234567", "", "ab", "c"};
    char line[9];

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        line[8] = '#';
        ck_assert(wsfj_procfile_line(&file, line, 8));
        ck_assert_str_eq(line, lines[i]);
        ck_assert_int_eq(line[8], '#');
    }
    ck_assert(!wsfj_procfile_line(&file, line, 8));
    ck_assert_int_eq(line[8], '#');
    close(file.fd);
}
END_TEST

/* Catches: a range of one processor that is refused, one that goes down, a number without digits or too long for 32
 * bits. */
START_TEST(lists_are_ranges)
{
    static const struct {
        const char *text;
        unsigned count, first, last; /* how many ranges; the last of them */
    } lists[] = {{"0-3,8\n", 2, 8, 8},   {"5-5\n", 1, 5, 5}, {"5-4\n", 0, 0, 0},
                 {"1,x\n", 1, 1, 1},     {"1-\n", 0, 0, 0},  {"\n", 0, 0, 0},
                 {"", 0, 0, 0},          {"-1\n", 0, 0, 0},  {"2,4294967295", 2, 4294967295u, 4294967295u},
                 {"4294967296", 0, 0, 0}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct wsfj_procfile file = holding(lists[i].text);
        unsigned count = 0, first, last;

        for (; wsfj_procfile_range(&file, &first, &last); count++)
            ck_assert_msg(count + 1 < lists[i].count || (first == lists[i].first && last == lists[i].last), "%s",
                          lists[i].text);
        ck_assert_msg(count == lists[i].count, "%s: %u", lists[i].text, count);
        close(file.fd);
    }
}
END_TEST

/* Catches: an item that is found as the beginning or the end of another; the last one not found. */
START_TEST(an_item_of_a_list_is_whole)
{
    ck_assert(wsfj_procfile_lists("cpu", "cpu"));
    ck_assert(wsfj_procfile_lists("cpu,cpuacct", "cpu"));
    ck_assert(wsfj_procfile_lists("cpuacct,cpu", "cpu"));
    ck_assert(!wsfj_procfile_lists("cpuset,cpuacct", "cpu"));
    ck_assert(!wsfj_procfile_lists("cp,xcpu", "cpu"));
    ck_assert(!wsfj_procfile_lists("", "cpu"));
}
END_TEST

/* Catches: digits 3 or 7 that are no octal digits, or 4 and 8 that are; a text without three of them. */
START_TEST(three_octal_digits_are_a_byte)
{
    char text[] = "a\\040b\\377\\134\\400\\080\\07";

    wsfj_procfile_unescape(text);
    ck_assert_str_eq(text, "a b\xff\\\\400\\080\\07");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("procfile");

    tcase_add_test(tcase, lines_that_do_not_fit_are_passed_over);
    tcase_add_test(tcase, lists_are_ranges);
    tcase_add_test(tcase, an_item_of_a_list_is_whole);
    tcase_add_test(tcase, three_octal_digits_are_a_byte);
    return run_case("procfile", tcase);
}
