/* SPDX-License-Identifier: MIT */
/* Lines about machines and settings that are known: lib/machine/report.c. Neighbours: user/messages.c, build/info.sh,
 * the lines about real ones. */
#include "machine/report.h"

#include "config/settings.h"
#include "machine/placement.h"
#include "machine/topology.h"

#include "environment.h"

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
    expect_machine(3, 2, "machine: 1 package, 2 NUMA nodes, 3 last-level caches, 4 cores (1 + 3 by speed), 8 CPUs\n");
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

/* Catches: a part of the machine told as another one; a distance to the worker itself, or told as another one. */
START_TEST(a_worker_is_told_with_its_own_parts)
{
    static struct wsfj_unit ten[] = {{.cpu = 7, .in = {1, 2, 5, 8}},   {.cpu = 9, .in = {1, 2, 5, 8}},
                                     {.cpu = 11, .in = {1, 2, 5, 9}},  {.cpu = 13, .in = {1, 2, 6, 10}},
                                     {.cpu = 15, .in = {1, 3, 7, 11}}, {.cpu = 17, .in = {4, 12, 13, 14}}};
    unsigned ends[] = {1, 3, 4, 5, 6}, members[] = {0, 1, 2, 3, 4, 5};
    unsigned place[] = {0, 1, 1, 2, 3, 4, 4, 4}, unit[] = {0, 1, 2, 3, 4, 5, 5, 5};
    const struct wsfj_topology t = {.units = ten, .num_threads = 6, .num_cores = 5, .count = {2, 3, 4, 5}};
    const struct wsfj_placement l = {
        .places = 5, .end = ends, .member = members, .workers = 8, .place = place, .unit = unit, .settled = true};

    lines[0] = '\0';
    wsfj_report_workers(line, &t, &l);
#define FIRST                                                                                                          \
    "worker 0: CPU 7 (package 1, node 2, cache 5, core 8); others: 1 core, 1 cache, 1 numa, 1 package, 3 machine\n"
#define THIRD                                                                                                          \
    "worker 2: CPUs 9,11 (package 1, node 2, cache 5, core 9); others: 2 cache, 1 numa, 1 package, 3 machine\n"
#define LAST "worker 7: CPU 17 (package 4, node 12, cache 13, core 14); others: 2 core, 5 machine\n"
    ck_assert_msg(strncmp(lines, FIRST, strlen(FIRST)) == 0, "%s", lines);
    ck_assert_msg(strstr(lines, THIRD) && strstr(lines, LAST), "%s", lines);
}
END_TEST

static const struct {
    const char *name, *text, *by_default, *shown;
} settings[WSFJ_SETTINGS] = {{"WSFJ_NUM_WORKERS", "5", "threads", "5"},
                             {"WSFJ_PLACES", "sockets(2)", "each CPU", "sockets(2)"},
                             {"WSFJ_BIND", "spread", "close", "spread"},
                             {"WSFJ_STACK_SIZE", "1M", "8192K", "1024K"},
                             {"WSFJ_WAIT", "7", "50", "7"},
                             {"WSFJ_SPARES", "3", "256", "3"},
                             {"WSFJ_MEMBARRIER", "0", "1", "0"},
                             {"WSFJ_CGROUP", "0", "1", "0"},
                             {"WSFJ_OMP", "0", "1", "0"},
                             {"WSFJ_DISPLAY", "1", "0", "1"},
                             {"WSFJ_STATS", "1", "0", "1"},
                             {"WSFJ_TRACE", "a.json", "", "a.json"},
                             {"WSFJ_TRACE_EVENTS", "4096", "262144", "4096"},
                             {"WSFJ_RECORD", "b", "", "b"},
                             {"WSFJ_SCHEDTRACE", "250", "0", "250"},
                             {"WSFJ_DUMP_SIGNAL", "sigusr1", "none", "USR1"},
                             {"WSFJ_WATCHDOG", "9", "0", "9"}};

/* All settings, of which `_i` comes from the environment. */
static const char *expected_settings(int _i)
{
    static char expected[4096];
    size_t used = 0;

    for (int i = 0; i < WSFJ_SETTINGS; i++) {
        bool own = i == _i, off = i == WSFJ_SET_OMP && _i < WSFJ_SET_OMP; /* a WSFJ_* variable says how to run */

        used +=
            (size_t)snprintf(expected + used, sizeof expected - used, "%s=%s (%s)\n", settings[i].name,
                             own || off ? settings[i].shown : settings[i].by_default, own ? "environment" : "default");
    }
    return expected;
}

/* Catches: a variable that sets another's setting; a setting that is told as another one, in another unit, or with another
 * origin. */
START_TEST(each_variable_is_told_as_its_own_setting)
{
    clear_environment();
    setenv(settings[_i].name, settings[_i].text, 1);
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_str_eq(said, "");
    lines[0] = '\0';
    wsfj_report_settings(line);
    ck_assert_str_eq(lines, expected_settings(_i));
}
END_TEST

static void expect_setting(const char *expected)
{
    lines[0] = '\0';
    wsfj_report_settings(line);
    ck_assert_msg(strstr(lines, expected) != NULL, "no '%s' in %s", expected, lines);
}

/* Catches: a value of the program or of OpenMP's variables with another origin, or in another unit. */
START_TEST(a_setting_is_told_with_its_origin)
{
    ws_config config;

    clear_environment();
    setenv("OMP_STACKSIZE", "3M", 1);
    setenv("OMP_PROC_BIND", "primary", 1);
    ws_config_default(&config);
    config.num_workers = 6;
    config.spin_us = 11;
    config.max_spares = 12;
    ck_assert_int_eq(read_settings(&config), 0);
    expect_setting("WSFJ_NUM_WORKERS=6 (ws_config)\nWSFJ_PLACES=each CPU (default)\nWSFJ_BIND=primary (OMP_PROC_BIND)\n"
                   "WSFJ_STACK_SIZE=3072K (OMP_STACKSIZE)\nWSFJ_WAIT=11 (ws_config)\nWSFJ_SPARES=12 (ws_config)\n");
    config.spin_us = WS_SPIN_FOREVER;
    config.bind = WS_BIND_NONE;
    ck_assert_int_eq(read_settings(&config), 0);
    expect_setting("WSFJ_BIND=none (ws_config)\nWSFJ_STACK_SIZE=3072K (OMP_STACKSIZE)\nWSFJ_WAIT=active (ws_config)\n");
}
END_TEST

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
    tcase_add_test(tcase, a_worker_is_told_with_its_own_parts);
    tcase_add_loop_test(tcase, each_variable_is_told_as_its_own_setting, 0, WSFJ_SETTINGS);
    tcase_add_test(tcase, a_setting_is_told_with_its_origin);
    tcase_add_test(tcase, a_text_has_room_or_dots);
    tcase_add_test(tcase, dots_are_the_end);
    return run_case("report", tcase);
}
