/* SPDX-License-Identifier: MIT */
/* The effect of the environment and of ws_config, also with invalid values: lib/config/settings.h. Neighbours:
 * parsers.c, omp.c. */
#include "environment.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

/* Catches: a default that is not the documented one; a message though nothing is wrong. */
START_TEST(an_empty_environment_gives_the_defaults_silently)
{
    clear_environment();
    for (size_t i = 0; _i && i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i], "", 1); /* an empty variable counts as unset */
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_str_eq(said, "");
    ck_assert_uint_eq(wsfj_settings.num_workers, WSFJ_WORKERS_THREADS);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_CLOSE);
    ck_assert_uint_eq(wsfj_settings.stack_size, 8 * MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 50000);
    ck_assert_uint_eq(wsfj_settings.max_stacks, 0);
    ck_assert(wsfj_settings.membarrier && !wsfj_settings.display && !wsfj_settings.stats);
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_UNSET);
    ck_assert_uint_eq(wsfj_settings.max_spares, 256);
    for (int i = 0; i < WSFJ_SETTINGS; i++)
        ck_assert_int_eq(wsfj_settings.from[i], WSFJ_FROM_DEFAULT);
}
END_TEST

/* Catches: a variable that sets another's field, or none. */
START_TEST(each_variable_sets_its_own_field)
{
    static const char *const texts[] = {"5",       "spread", "1M", "7", "0",   "1", "1",
                                        "sockets", "3",      "0",  "0", "250", "9", "sigusr1"};
    unsigned set = 0;

    clear_environment();
    setenv(variables[_i], texts[_i], 1);
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_str_eq(said, "");
    ck_assert_uint_eq(wsfj_settings.num_workers, _i == 0 ? 5 : WSFJ_WORKERS_THREADS);
    ck_assert_int_eq(wsfj_settings.bind, _i == 1 ? WS_BIND_SPREAD : WS_BIND_CLOSE);
    ck_assert_uint_eq(wsfj_settings.stack_size, _i == 2 ? MIB : 8 * MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, _i == 3 ? 7000 : 50000);
    ck_assert_int_eq(wsfj_settings.membarrier, _i != 4);
    ck_assert_int_eq(wsfj_settings.display, _i == 5);
    ck_assert_int_eq(wsfj_settings.stats, _i == 6);
    ck_assert_int_eq(wsfj_settings.cgroup, _i != 10);
    ck_assert_int_eq(wsfj_settings.places.what, _i == 7 ? WSFJ_PLACES_SOCKETS : WSFJ_PLACES_UNSET);
    ck_assert_uint_eq(wsfj_settings.max_spares, _i == 8 ? 3 : 256);
    ck_assert_uint_eq(wsfj_settings.schedtrace, _i == 11 ? 250 : 0);
    ck_assert_uint_eq(wsfj_settings.watchdog, _i == 12 ? 9 : 0);
    ck_assert_int_eq(wsfj_settings.dump_signal, _i == 13 ? SIGUSR1 : 0);
    ck_assert_int_eq(wsfj_settings.omp, _i == 5 || _i == 6 || _i >= 11); /* the others only show something */
    for (int i = 0; i < WSFJ_SETTINGS; i++) {
        bool own = strcmp(wsfj_settings_name((enum wsfj_setting)i), variables[_i]) == 0;

        ck_assert_int_eq(wsfj_settings.from[i], own ? WSFJ_FROM_ENVIRONMENT : WSFJ_FROM_DEFAULT);
        set += own;
    }
    ck_assert_uint_eq(set, 1);
}
END_TEST

/* Catches: an invalid value used without a message, reported twice, or reported without the value used instead. */
START_TEST(a_malformed_variable_costs_one_line_and_the_default_is_used)
{
    static const char *const instead[] = {"using one worker for each CPU allowed",
                                          "using close",
                                          "using 8M",
                                          "using 50",
                                          "using 1",
                                          "using 0",
                                          "using 0",
                                          "using a place for each CPU allowed",
                                          "using 256",
                                          "using 1 if no WSFJ_* variable says how to run",
                                          "using 1",
                                          "using 0",
                                          "using 0",
                                          "using none"};

    clear_environment();
    setenv(variables[_i], "13 elephants", 1);
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_msg(lines_said() == 1, "%s", said);
    ck_assert_msg(strstr(said, variables[_i]) && strstr(said, "13 elephants") && strstr(said, instead[_i]), "%s", said);
    ck_assert_uint_eq(wsfj_settings.num_workers, WSFJ_WORKERS_THREADS);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_CLOSE);
    ck_assert_uint_eq(wsfj_settings.stack_size, 8 * MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 50000);
    ck_assert(wsfj_settings.membarrier && !wsfj_settings.display && !wsfj_settings.stats);
    ck_assert(!wsfj_settings.schedtrace && !wsfj_settings.watchdog && !wsfj_settings.dump_signal);
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_UNSET);
    ck_assert_uint_eq(wsfj_settings.max_spares, 256);
}
END_TEST

/* Catches: a long value that overflows the line's buffer or loses the rest of the line; several invalid values in one
 * line. */
START_TEST(each_malformed_variable_has_a_line_of_its_own_however_long)
{
    char text[3001];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    clear_environment();
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i], text, 1);
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_uint_eq(lines_said(), sizeof variables / sizeof *variables);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        ck_assert_ptr_nonnull(strstr(said, variables[i]));
    ck_assert_ptr_nonnull(strstr(said, "using 8M"));
}
END_TEST

/* Catches: a value that adds a second line that looks like another message, or that clears the terminal. */
START_TEST(a_malformed_value_is_shown_in_one_line)
{
    clear_environment();
    setenv("WSFJ_BIND", "near\nlibwsfj: \033[2J\r\t\177", 1);
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_uint_eq(lines_said(), 1);
    ck_assert_msg(strstr(said, "invalid value WSFJ_BIND=near?libwsfj: ?[2J???") && strchr(said, '\n')[1] == '\0', "%s",
                  said);
}
END_TEST

static int never_polls(void *unused)
{
    (void)unused;
    abort();
}

/* Catches: an environment that overrides the program; a default field of ws_config that hides the environment. */
START_TEST(api_beats_environment_beats_default)
{
    ws_config config;

    clear_environment();
    setenv("WSFJ_NUM_WORKERS", "5", 1);
    setenv("WSFJ_BIND", "spread", 1);
    setenv("WSFJ_STACK_SIZE", "1M", 1);
    setenv("WSFJ_WAIT", "7", 1);
    setenv("WSFJ_PLACES", "cores", 1);
    setenv("WSFJ_SPARES", "5", 1);
    ws_config_default(&config);
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.num_workers, 5);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_SPREAD);
    ck_assert_uint_eq(wsfj_settings.stack_size, MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 7000);

    config.num_workers = 3;
    config.bind = WS_BIND_NONE;
    config.stack_size = 2 * MIB;
    config.spin_us = 11;
    config.max_stacks = 9;
    config.places = "{3}";
    config.max_spares = 0;
    config.max_pending = 77;
    config.poll = never_polls;
    config.poll_arg = &config;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.max_spares, 0);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_SPARES], WSFJ_FROM_API);
    ck_assert_uint_eq(wsfj_settings.max_pending, 77);
    ck_assert(wsfj_settings.poll == never_polls && wsfj_settings.poll_arg == &config);
    ck_assert_uint_eq(wsfj_settings.num_workers, 3);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_NONE);
    ck_assert(wsfj_settings.from[WSFJ_SET_BIND] != WSFJ_FROM_DEFAULT);
    ck_assert_uint_eq(wsfj_settings.stack_size, 2 * MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 11000);
    ck_assert_uint_eq(wsfj_settings.max_stacks, 9);
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_LIST);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_PLACES], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_WORKERS], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_BIND], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_STACK], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_WAIT], WSFJ_FROM_API);
    config.spin_us = WS_SPIN_FOREVER;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.spin_ns, WSFJ_FOREVER);
    config.spin_us = 0; /* a value like another, not a default */
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 0);

    ck_assert_int_eq(read_settings(NULL), 0); /* a second reading starts from the defaults */
    ck_assert_uint_eq(wsfj_settings.max_stacks, 0);
    ck_assert(!wsfj_settings.poll && wsfj_settings.max_pending == 65536 && wsfj_settings.max_spares == 5);
    ck_assert_uint_eq(wsfj_settings.num_workers, 5);
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_CORES);
}
END_TEST

/* Catches: invalid places of the program that are ignored, or refused without their name. */
START_TEST(impossible_places_are_refused_with_their_text)
{
    ws_config config;

    clear_environment();
    ws_config_default(&config);
    config.places = "{0";
    ck_assert_int_eq(read_settings(&config), EINVAL);
    ck_assert_uint_eq(lines_said(), 1);
    ck_assert_msg(strstr(said, "ws_config.places = {0 ") != NULL, "%s", said);
}
END_TEST

static ws_config impossible(int i, const char **field)
{
    static const char *const fields[] = {"size",    "size",       "num_workers", "num_workers", "bind",
                                         "bind",    "stack_size", "stack_size",  "stack_size",  "spin_us",
                                         "spin_us", "max_spares", "max_spares",  "max_pending"};
    ws_config c;

    ws_config_default(&c);
    switch (i) {
    case 0: c.size = 0; break;
    case 1: c.size--; break;
    case 2: c.num_workers = 4097; break;
    case 3: c.num_workers = SIZE_MAX; break;
    case 4: c.bind = (enum ws_bind)6; break;
    case 5: c.bind = (enum ws_bind) - 1; break;
    case 6: c.stack_size = 1; break;
    case 7: c.stack_size = 64 * KIB - 1; break;
    case 8: c.stack_size = 64 * GIB + 1; break;
    case 9: c.spin_us = -3; break;
    case 11: c.max_spares = -2; break;
    case 12: c.max_spares = 4097; break;
    case 13: c.max_pending = ((size_t)1 << 30) + 1; break;
    default: c.spin_us = 1000000001; break;
    }
    *field = fields[i];
    return c;
}

/* Catches: an invalid field that is ignored, clamped, or refused without its name. */
START_TEST(an_impossible_config_is_refused_with_the_fields_name)
{
    const char *field;
    char name[64];
    ws_config config = impossible(_i, &field);

    clear_environment();
    ck_assert_int_eq(read_settings(&config), EINVAL);
    ck_assert_uint_eq(lines_said(), 1);
    snprintf(name, sizeof name, "ws_config.%s ", field);
    ck_assert_msg(strstr(said, name) != NULL, "%s", said);
}
END_TEST

/* Catches: bounds that exclude themselves; a choice ignored because it is the default. */
START_TEST(a_config_at_the_bounds_is_possible)
{
    ws_config config;

    clear_environment();
    ws_config_default(&config);
    config.num_workers = 4096;
    config.stack_size = 64 * KIB;
    config.spin_us = 1000000000;
    config.max_spares = 4096;
    config.max_pending = (size_t)1 << 30;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.num_workers, 4096);
    ck_assert_uint_eq(wsfj_settings.stack_size, 64 * KIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, UINT64_C(1000000000000));
    ck_assert_uint_eq(wsfj_settings.max_spares, 4096);
    ck_assert_uint_eq(wsfj_settings.max_pending, (size_t)1 << 30);
    ck_assert(wsfj_settings.from[WSFJ_SET_BIND] == WSFJ_FROM_DEFAULT);
    config.bind = WS_BIND_CLOSE; /* the default, given explicitly */
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert(wsfj_settings.from[WSFJ_SET_BIND] != WSFJ_FROM_DEFAULT);
    config.stack_size = 64 * GIB;
    config.size += 8; /* of a newer program */
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.stack_size, 64 * GIB);
    ck_assert_str_eq(said, "");
}
END_TEST

/* Catches: a variable of other code that is called unknown, or that says how to run. */
START_TEST(variables_of_others_change_nothing)
{
    static const char *const others[] = {"WSFJ_PROFILE_UNIT", "WSFJ_TEST_LIMIT", "WSFJ_RACE_OUT",
                                         "WSFJ_DISPLAY",      "WSFJX",           "WSFJ_OMP"};

    clear_environment();
    setenv(others[_i], "1", 1);
    setenv("WSFJ_UNKNOWN", "", 1); /* an empty variable counts as unset */
    ck_assert_int_eq(read_settings(NULL), 0);
    unsetenv(others[_i]);
    unsetenv("WSFJ_UNKNOWN");
    ck_assert_str_eq(said, "");
    ck_assert(wsfj_settings.omp);
}
END_TEST

/* Catches: a part of a name, or a longer one, taken for a variable; an entry of the environment without a value, or no
 * environment, that ends the process. */
START_TEST(only_whole_names_are_variables)
{
    static char odd[] = "WSFJ_BIND", part[] = "WSFJ_STA=1", longer[] = "WSFJ_STATSX=1";
    static char *entries[] = {odd, part, longer, NULL};
    char **before = environ;

    environ = entries;
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_msg(lines_said() == 2 && strstr(said, "unknown variable WSFJ_STA ") &&
                      strstr(said, "unknown variable WSFJ_STATSX "),
                  "%s", said);
    environ = NULL;
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_str_eq(said, "");
    environ = before;
}
END_TEST

/* Catches: a stack size that mmap or the guard cannot use. */
START_TEST(the_stack_size_is_rounded_up_to_pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ws_config config;

    clear_environment();
    ws_config_default(&config);
    config.stack_size = MIB + 1;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.stack_size % page, 0);
    ck_assert_uint_gt(wsfj_settings.stack_size, MIB);
    ck_assert_uint_le(wsfj_settings.stack_size, MIB + page);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("settings");

    tcase_add_loop_test(tcase, an_empty_environment_gives_the_defaults_silently, 0, 2);
    tcase_add_loop_test(tcase, each_variable_sets_its_own_field, 0, VARIABLES);
    tcase_add_loop_test(tcase, a_malformed_variable_costs_one_line_and_the_default_is_used, 0, VARIABLES);
    tcase_add_test(tcase, each_malformed_variable_has_a_line_of_its_own_however_long);
    tcase_add_test(tcase, a_malformed_value_is_shown_in_one_line);
    tcase_add_test(tcase, api_beats_environment_beats_default);
    tcase_add_test(tcase, impossible_places_are_refused_with_their_text);
    tcase_add_loop_test(tcase, an_impossible_config_is_refused_with_the_fields_name, 0, 14);
    tcase_add_test(tcase, a_config_at_the_bounds_is_possible);
    tcase_add_loop_test(tcase, variables_of_others_change_nothing, 0, 6);
    tcase_add_test(tcase, only_whole_names_are_variables);
    tcase_add_test(tcase, the_stack_size_is_rounded_up_to_pages);
    return run_case("settings", tcase);
}
