/* SPDX-License-Identifier: MIT */
/* Lines about machines and settings that are known: lib/machine/report.c. Neighbours: user/messages.c, build/info.sh,
 * the lines about real ones. */
#include "machine/report.h"

#include "config/settings.h"
#include "machine/placement.h"
#include "machine/topology.h"

#include "../support/run.h"

#include <stdarg.h>
#include <string.h>

static char lines[1 << 16];

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    size_t used = strlen(lines);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(lines + used, sizeof lines - used, format, arguments);
    va_end(arguments);
    strncat(lines, "\n", sizeof lines - strlen(lines) - 1);
}

static struct wsfj_unit units[4] = {{.kind = 0}, {.kind = 1}, {.kind = 1}, {.kind = 1}};

/* Of four cores. */
static void expect_machine(unsigned caches, unsigned kinds, const char *expected)
{
    const struct wsfj_topology t = {
        .units = units,
        .num_threads = 8,
        .num_cores = 4,
        .num_kinds = kinds,
        .count = {[WSFJ_LEVEL_PACKAGE] = 1, [WSFJ_LEVEL_NUMA] = 2, [WSFJ_LEVEL_CACHE] = caches},
        .can_bind = true};

    lines[0] = '\0';
    wsfj_report_machine(line, &t);
    ck_assert_str_eq(lines, expected);
}

/* Catches: caches that are as many as the cores, kinds that are one; a number that does not fit its noun. */
START_TEST(a_machine_is_told_without_what_goes_without_saying)
{
    expect_machine(4, 1, "machine: 1 package, 2 NUMA nodes, 4 cores, 8 CPUs\n");
    expect_machine(1, 1, "machine: 1 package, 2 NUMA nodes, 1 last-level cache, 4 cores, 8 CPUs\n");
    expect_machine(4, 2, "machine: 1 package, 2 NUMA nodes, 4 cores (1 + 3 by speed), 8 CPUs\n");
}
END_TEST

static void expect_places(unsigned lost, const char *expected)
{
    lines[0] = '\0';
    wsfj_report_places(line, &(struct wsfj_placement){.lost = lost});
    ck_assert_str_eq(lines, expected);
}

/* Catches: a line about places that all are of use; a number that does not fit its verb. */
START_TEST(places_without_a_cpu_are_told)
{
    expect_places(0, "");
    expect_places(1, "1 of the places has no CPU that this process may use\n");
    expect_places(2, "2 of the places have no CPU that this process may use\n");
}
END_TEST

static void expect_setting(const char *expected)
{
    lines[0] = '\0';
    wsfj_report_settings(line);
    ck_assert_msg(strstr(lines, expected) != NULL, "no '%s' in %s", expected, lines);
}

/* Catches: a name that is cut without dots, or though there is room. */
START_TEST(a_text_has_room_or_dots)
{
    enum { ROOM = 195 };
    char name[ROOM + 2], expected[ROOM + 100];

    memset(name, 'x', sizeof name);
    name[ROOM] = '\0';
    wsfj_settings.trace = name;
    snprintf(expected, sizeof expected, "WSFJ_TRACE=%s (", name);
    expect_setting(expected);
    name[ROOM] = 'x';
    name[ROOM + 1] = '\0';
    expect_setting("WSFJ_TRACE=... (");
    wsfj_settings.trace = NULL;
}
END_TEST

/* Catches: what comes after the dots, in their place. */
START_TEST(dots_are_the_end)
{
    enum { CPUS = 100 };
    unsigned cpu[CPUS], end = CPUS;

    for (unsigned i = 0; i < CPUS; i++)
        cpu[i] = 100 + i;
    wsfj_settings.places = (struct wsfj_places){.what = WSFJ_PLACES_LIST, .count = 1, .end = &end, .cpu = cpu};
    expect_setting("WSFJ_PLACES={100,101,");
    expect_setting(",147... (");
    end = 2;
    expect_setting("WSFJ_PLACES={100,101} (");
    wsfj_settings.places = (struct wsfj_places){.what = WSFJ_PLACES_UNSET};
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("report");

    tcase_add_test(tcase, a_machine_is_told_without_what_goes_without_saying);
    tcase_add_test(tcase, places_without_a_cpu_are_told);
    tcase_add_test(tcase, a_text_has_room_or_dots);
    tcase_add_test(tcase, dots_are_the_end);
    return run_case("report", tcase);
}
