/* SPDX-License-Identifier: MIT */
/* When OMP_* variables count: lib/config/settings.h. Neighbours: settings.c; parsers.c, their syntax. */
#include "environment.h"

#define KIB ((size_t)1 << 10)

static void set_omp_variables(void)
{
    static const char *const texts[] = {"3,2", "SPREAD, close", "512", "passive", "True", "{0:2}:2:2"};

    for (int i = 0; i < OMP_VARIABLES; i++)
        setenv(omp_variables[i], texts[i], 1);
}

/* Catches: an OMP_* variable that is ignored, or that sets another's field. */
START_TEST(OMP_variables_count_when_no_other_is_set)
{
    clear_environment();
    set_omp_variables();
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_str_eq(said, "");
    ck_assert(wsfj_settings.omp);
    ck_assert_uint_eq(wsfj_settings.num_workers, 3);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_SPREAD);
    ck_assert_uint_eq(wsfj_settings.stack_size, 512 * KIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 0);
    ck_assert(wsfj_settings.display);
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_LIST);
    ck_assert_str_eq(wsfj_settings_origin(WSFJ_SET_PLACES), "OMP_PLACES");
    ck_assert_str_eq(wsfj_settings_origin(WSFJ_SET_WORKERS), "OMP_NUM_THREADS");
    ck_assert_str_eq(wsfj_settings_origin(WSFJ_SET_SPARES), "default");
}
END_TEST

/* Catches: OMP_* mixed with settings of WSFJ_*; OMP_* turned off by a variable that only shows something; a mistyped
 * name without a message; WSFJ_OMP without effect, in either direction; an empty variable that counts; an invalid OMP_*
 * reported although it is not used. */
START_TEST(one_variable_of_ours_turns_them_off)
{
    static const struct {
        const char *name, *text;
        bool omp;
        const char *said;
    } cases[] = {{"WSFJ_WAIT", "1", false, ""},
                 {"WSFJ_OF_THE_FUTURE", "1", false,
                  "libwsfj: unknown variable WSFJ_OF_THE_FUTURE ignored (wsfj-info shows all)\n"},
                 {"WSFJ_OMP", "0", false, ""},
                 {"WSFJ_NUM_WORKERS", "", true, ""},
                 {"WSFJ_OMP", "1", true, ""},
                 {"WSFJOTHER", "1", true, ""},
                 {"WSFJ_STATS", "1", true, ""},
                 {"WSFJ_WATCHDOG", "9", true, ""},
                 {"WSFJ_TRACE", "t.json", true, ""},
                 {"WSFJ_PROFILE_OUT", "p.csv", true, ""}};

    clear_environment();
    set_omp_variables();
    if (!cases[_i].omp)
        setenv("OMP_STACKSIZE", "13 elephants", 1);
    setenv(cases[_i].name, cases[_i].text, 1);
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_str_eq(said, cases[_i].said);
    ck_assert_int_eq(wsfj_settings.omp, cases[_i].omp);
    ck_assert_uint_eq(wsfj_settings.num_workers, cases[_i].omp ? 3 : WSFJ_WORKERS_THREADS);
    ck_assert_int_eq(wsfj_settings.places.what, cases[_i].omp ? WSFJ_PLACES_LIST : WSFJ_PLACES_UNSET);
}
END_TEST

/* Catches: OMP_* stronger than WSFJ_* or than the program. */
START_TEST(with_WSFJ_OMP_they_come_after_ours)
{
    ws_config config;

    clear_environment();
    set_omp_variables();
    setenv("WSFJ_OMP", "1", 1);
    setenv("WSFJ_NUM_WORKERS", "7", 1);
    ws_config_default(&config);
    config.bind = WS_BIND_NONE;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.num_workers, 7);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_NONE);
    ck_assert_uint_eq(wsfj_settings.stack_size, 512 * KIB);
    ck_assert_str_eq(wsfj_settings_origin(WSFJ_SET_WORKERS), "environment");
    ck_assert_str_eq(wsfj_settings_origin(WSFJ_SET_BIND), "ws_config");
    ck_assert_str_eq(wsfj_settings_origin(WSFJ_SET_STACK), "OMP_STACKSIZE");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("omp");

    tcase_add_test(tcase, OMP_variables_count_when_no_other_is_set);
    tcase_add_loop_test(tcase, one_variable_of_ours_turns_them_off, 0, 10);
    tcase_add_test(tcase, with_WSFJ_OMP_they_come_after_ours);
    return run_case("omp", tcase);
}
