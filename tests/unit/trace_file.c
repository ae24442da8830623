/* SPDX-License-Identifier: MIT */
/* The names in a trace, and the file it goes to. Neighbour: trace.c. */
#include "../support/folder.h"

#include "../support/process.h"
#include "config/parse.h"
#include "observe/trace_file.h"
#include "observe/trace_names.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

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
    struct wsfj_kind kind = {.wsfj_name = "sort", .wsfj_file = "/some/where/sort.c", .wsfj_lineno = 12};
    uint32_t index;

    ck_assert(wsfj_trace_names_start());
    ck_assert_str_eq(wsfj_trace_name(0)->text, "task");
    index = wsfj_trace_name_of_kind(&kind);
    ck_assert_uint_eq(index, 1);
    ck_assert_uint_eq(wsfj_trace_name_of_kind(&kind), 1);
    kind.wsfj_name = NULL; /* unloaded */
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

static bool is_there(const char *name)
{
    struct stat status;

    return lstat(folder_path(name), &status) == 0;
}

static void write_one(void)
{
    wsfj_trace_file_begin();
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
    FILE *f = fopen(folder_path(name), "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fread(text, 1, sizeof text - 1, f), strlen(expected));
    ck_assert_str_eq(text, expected);
    fclose(f);
}

/* One of them, in a process that has not opened any. */
static int open_name(long which)
{
    static const char *const names[] = {"soft.json", "hard.json", "pipe.json", "no/such.json"};
    static char far[2 * PATH_MAX];

    if (which == 4) { /* the beginning of which would be a name */
        memset(far, '/', sizeof far - 1);
        memcpy(far, folder_path(""), strlen(folder_path("")));
        memcpy(far + sizeof far - 7, "a.json", 6);
        return wsfj_trace_file_open(far);
    }
    return wsfj_trace_file_open(folder_path(names[which]));
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
    char own[512];
    FILE *f;

    folder_make();
    f = fopen(folder_path("old.json"), "w");
    for (int i = 0; i < 1000; i++)
        fputs("old ", f);
    fclose(f);
    /* Before this process has opened one: a child's first one has no number. */
    ck_assert_int_eq(symlink("victim", folder_path("soft.json")), 0);
    ck_assert_int_eq(mkfifo(folder_path("pipe.json"), 0600), 0);
    f = fopen(folder_path("precious"), "w");
    fputs("precious", f);
    fclose(f);
    snprintf(own, sizeof own, "%s", folder_path("precious"));
    ck_assert_int_eq(link(own, folder_path("hard.json")), 0);
    check_refused(0, "symbolic link");
    check_refused(1, "second name");
    check_refused(2, "No such device or address"); /* a FIFO without a reader */
    check_refused(3, "No such file");
    check_refused(4, "the name is too long");
    ck_assert(!is_there("victim"));
    check_content("precious", "precious");

    ck_assert(wsfj_trace_file_open(folder_path("old.json")));
    check_content("old.json", "");
    write_one();
    check_content("old.json", "text 18446744073709551615 0");
    ck_assert(wsfj_trace_file_open(folder_path("old.json")));
    write_one();
    check_content("old.2.json", "text 18446744073709551615 0");
    ck_assert(wsfj_trace_file_open(folder_path("run-%p-.json")));
    write_one();
    snprintf(own, sizeof own, "run-%ld-.3.json", (long)getpid());
    check_content(own, "text 18446744073709551615 0");
}
END_TEST

/* A child's traces: the parent's file is not its own, and its numbers begin anew. Returns 0 if all have their names. */
static int open_two_in_a_child(long unused)
{
    char first[64], second[64];

    (void)unused;
    snprintf(first, sizeof first, "c-%ld.json", (long)getpid());
    snprintf(second, sizeof second, "c-%ld.2.json", (long)getpid());
    wsfj_trace_file_forget();
    if (wsfj_trace_file_open(folder_path("c.json")) || is_there("c.2.json"))
        return 1;
    if (!wsfj_trace_file_open(folder_path("c-%p.json")) || !is_there(first) || is_there(second))
        return 2;
    wsfj_trace_file_close();
    if (!wsfj_trace_file_open(folder_path("c-%p.json")) || !is_there(second))
        return 3;
    wsfj_trace_file_close();
    return 0;
}

/* Catches: a child whose first trace has a number, whose second one has another, or that writes to its parent's file. */
START_TEST(a_child_counts_its_own_traces)
{
    struct outcome o;

    folder_make();
    ck_assert(wsfj_trace_file_open(folder_path("c.json")));
    o = in_child(open_two_in_a_child, 0);
    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, 0);
    write_one();
    check_content("c.json", "text 18446744073709551615 0");
}
END_TEST

/* Catches: what a longer picture has left behind a shorter one. */
START_TEST(a_second_picture_replaces_the_first)
{
    folder_make();
    ck_assert(wsfj_trace_file_open(folder_path("twice.json")));
    wsfj_trace_file_begin();
    wsfj_put_text("the first one");
    wsfj_trace_file_end();
    write_one();
    check_content("twice.json", "text 18446744073709551615 0");
    ck_assert(wsfj_trace_file_open(folder_path("short.json")));
    wsfj_trace_file_begin();
    wsfj_put_text("a picture that is longer than the other one is, to see what is left of it");
    wsfj_trace_file_end();
    write_one();
    check_content("short.2.json", "text 18446744073709551615 0");
}
END_TEST

#define BLOCK 50000 /* two are more than what is gathered before a write */
#define LIMIT 1000

/* Returns the size of the file. The limit is there only for the first write. */
static int write_beyond_a_limit(long unused)
{
    static char block[BLOCK];
    struct stat status;

    (void)unused;
    if (!wsfj_trace_file_open(folder_path("cut.json")))
        return 1;
    wsfj_trace_file_begin();
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){LIMIT, RLIM_INFINITY});
    wsfj_put_bytes(block, BLOCK);
    wsfj_put_bytes(block, BLOCK);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    wsfj_trace_file_end();
    return stat(folder_path("cut.json"), &status) == 0 && status.st_size == LIMIT ? 0 : 2;
}

/* Catches: a write after one that has failed: the file would lack a part in its middle without a message. */
START_TEST(what_follows_a_failed_write_is_left_away)
{
    struct outcome o;

    folder_make();
    o = in_child(write_beyond_a_limit, 0);
    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, 1);
    ck_assert_msg(strstr(o.text, "cut.json was cut short (the limit of a file's size is reached)"), "%s", o.text);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("trace_file");

    if (folder_begin("trace") != 0)
        return EXIT_FAILURE;
    tcase_add_test(tcase, names_are_copied);
    tcase_add_test(tcase, the_file_is_ours);
    tcase_add_test(tcase, a_child_counts_its_own_traces);
    tcase_add_test(tcase, a_second_picture_replaces_the_first);
    tcase_add_test(tcase, what_follows_a_failed_write_is_left_away);

    int status = run_case("trace_file", tcase);

    folder_end();
    return status;
}
