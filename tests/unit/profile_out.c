/* SPDX-License-Identifier: MIT */
/* Where a profile goes, and in which order and language: lib/profile/out.c, with totals that are known. Neighbours:
 * user/profile.c, build/profile.sh, the profiles of programs. */
#include "profile/profile.h"

#include "../support/folder.h"

#include <locale.h>
#include <string.h>
#include <unistd.h>

static char name[] = "file.c";
static locale_t while_writing;

/* Sites with the most work, with as much, with none, and with the least; "never" has spawned nothing. */
static struct wsfj_total sites[] = {
    {.file = name, .task = "least", .line = 1, .count = 1, .work = 256, .next = &sites[1]},
    {.file = name, .task = "most", .line = 2, .count = 1, .work = 1024, .next = &sites[2]},
    {.file = name, .task = "never", .line = 3, .count = 0, .work = 512, .next = &sites[3]},
    {.file = name, .task = "later", .line = 5, .count = 1, .work = 512, .next = &sites[4]},
    {.file = name, .task = "some", .line = 4, .count = 1, .work = 512},
};

wsfj_writer __real_wsfj_profile_csv, __wrap_wsfj_profile_csv;

void __wrap_wsfj_profile_csv(FILE *f, const struct wsfj_summary *summary)
{
    while_writing = uselocale((locale_t)0);
    __real_wsfj_profile_csv(f, summary);
}

/* In the folder of the test, which is the working directory. */
static void write_to(const char *out, bool child)
{
    const struct wsfj_totals totals = {.regions = 1, .work = 2048, .strands = 1, .sites = sites};

    setenv("WSFJ_PROFILE_OUT", out, 1);
    wsfj_profile_write(&totals, true, child, 1, 1, true);
}

static char *content(const char *file)
{
    static char text[8192];
    FILE *f = fopen(file, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

    ck_assert_msg(f != NULL, "no file %s", file);
    fclose(f);
    unlink(file);
    text[n] = '\0';
    return text;
}

static void begin(void)
{
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
}

#define CSV "kind,file,"
#define TEXT "libwsfj: profile of "

/* Catches: a report that is not what its suffix says, or a suffix that is a whole name. */
START_TEST(the_suffix_says_what_is_written)
{
    static const struct {
        const char *out, *begins;
    } names[] = {{"a.csv", CSV}, {"a.txt", TEXT}, {"acsv", TEXT}, {"a.csv.x", TEXT},
                 {".csv", TEXT}, {".html", TEXT}, {"x", TEXT}};

    begin();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_to(names[i].out, false);
        ck_assert_msg(strncmp(content(names[i].out), names[i].begins, strlen(names[i].begins)) == 0, "%s", names[i].out);
    }
}
END_TEST

/* Catches: a process without its number, or with it twice; a child that writes over its parent's file. */
START_TEST(a_name_has_the_number_once)
{
    char expected[64];

    begin();
    write_to("%p.csv", false);
    snprintf(expected, sizeof expected, "%ld.csv", (long)getpid());
    (void)content(expected);
    write_to("a%p%%p.csv", true);
    snprintf(expected, sizeof expected, "a%ld%%%ld.csv", (long)getpid(), (long)getpid());
    (void)content(expected);
    write_to("b.csv", true);
    snprintf(expected, sizeof expected, "b.csv.%ld", (long)getpid());
    (void)content(expected);
    ck_assert_int_ne(access("b.csv", F_OK), 0);
}
END_TEST

/* Catches: sites in another order; one that has spawned nothing. */
START_TEST(most_work_comes_first)
{
    static const char *const tasks[] = {"\"most\"", "\"some\"", "\"later\"", "\"least\""};
    const char *at;

    begin();
    write_to("a.csv", false);
    at = content("a.csv");
    ck_assert_ptr_null(strstr(at, "never"));
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        at = strstr(at, tasks[i]);
        ck_assert_msg(at != NULL, "%s", tasks[i]);
    }
}
END_TEST

/* Catches: a report in the program's language, whose numbers may have a comma; a program that goes on in the report's. */
START_TEST(the_language_is_the_reports_own)
{
    begin();
    write_to("a.csv", false);
    ck_assert_ptr_ne(while_writing, (locale_t)0);
    ck_assert_ptr_ne(while_writing, LC_GLOBAL_LOCALE);
    ck_assert_ptr_eq(uselocale((locale_t)0), LC_GLOBAL_LOCALE); /* as at the start */
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_out");
    int failed;

    if (folder_begin("profile_out") != 0)
        return EXIT_FAILURE;
    tcase_add_test(tcase, the_suffix_says_what_is_written);
    tcase_add_test(tcase, a_name_has_the_number_once);
    tcase_add_test(tcase, most_work_comes_first);
    tcase_add_test(tcase, the_language_is_the_reports_own);
    failed = run_case("profile_out", tcase);
    folder_end();
    return failed;
}
