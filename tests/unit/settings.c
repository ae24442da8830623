/* SPDX-License-Identifier: MIT */
/* What the environment and ws_config may say, and what comes of nonsense: lib/settings.h. */
#include "settings.h"

#include "../run.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

static const char *const variables[] = {"WSFJ_NUM_WORKERS", "WSFJ_BIND",    "WSFJ_STACK_SIZE", "WSFJ_WAIT",
                                        "WSFJ_MEMBARRIER",  "WSFJ_DISPLAY", "WSFJ_STATS",      "WSFJ_PLACES",
                                        "WSFJ_VICTIM",      "WSFJ_OMP"};
#define VARIABLES ((int)(sizeof variables / sizeof *variables))

static const char *const omp_variables[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND",   "OMP_STACKSIZE",
                                            "OMP_WAIT_POLICY", "OMP_DISPLAY_ENV", "OMP_PLACES"};
#define OMP_VARIABLES ((int)(sizeof omp_variables / sizeof *omp_variables))

static void clear_environment(void)
{
    for (int i = 0; i < VARIABLES; i++)
        unsetenv(variables[i]);
    for (int i = 0; i < OMP_VARIABLES; i++)
        unsetenv(omp_variables[i]);
    unsetenv("WSFJ_OF_THE_FUTURE");
}

/* What wsfj_settings_read() wrote to stderr. */
static char said[4096];

static int read_settings(const ws_config *config)
{
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO), error;

    ck_assert(file && before >= 0);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    error = wsfj_settings_read(config);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    return error;
}

static unsigned lines_said(void)
{
    unsigned lines = 0;

    for (const char *c = said; *c; c++)
        lines += *c == '\n';
    return lines;
}

static const char *const never[] = {"", " ", "-1", "+1", "1 ", " 1", "1x", "x", "0x10", "1.5", "1e3", "18446744073709551616",
                                    "99999999999999999999999"};

/* Catches: bounds off by one, and "0 workers" taken for a number. */
START_TEST(workers_are_1_to_4096_or_a_word)
{
    size_t n = 7;

    ck_assert(wsfj_parse_workers("1", &n) && n == 1);
    ck_assert(wsfj_parse_workers("4096", &n) && n == 4096);
    ck_assert(wsfj_parse_workers("0012", &n) && n == 12);
    ck_assert(wsfj_parse_workers("cores", &n) && n == WSFJ_WORKERS_CORES);
    ck_assert(wsfj_parse_workers("threads", &n) && n == WSFJ_WORKERS_THREADS);
}
END_TEST

/* Catches: a parser that takes a prefix, blanks, signs or other bases, or spoils the value it refuses. */
START_TEST(nonsense_is_refused_and_changes_nothing)
{
    static const char *const workers[] = {"0", "4097", "core", "cores ", "Cores", "4K"};
    static const char *const binds[] = {"0",     "closed",     "clos",        "close,",     ",close", "spread,none",
                                        "close spread", "true,close", "none,none", "close,,spread", "{0}"};
    static const char *const victims[] = {"nearest", "Near", "round_robin", "near,uniform", "0"};
    static const char *const sizes[] = {"0", "65535", "63K", "65G", "64T", "64KB", "64KiB", "K", "64 K", "64G1", "68719476737",
                                        "1KK"};
    static const char *const waits[] = {"Active", "passive ", "50us", "1000000001", "activ"};
    static const char *const flags[] = {"2", "00", "01", "yes", "true", "on", "10"};
    size_t n = 7;
    enum ws_bind bind = WS_BIND_SPREAD;
    enum ws_victim victim = WS_VICTIM_LARGEST;
    uint64_t ns = 7;
    bool flag = true;

#define REFUSED(texts, parse, value, unchanged)                                                                        \
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)                                                          \
    ck_assert_msg(!parse(texts[i], value) && *(value) == unchanged, #parse "(\"%s\")", texts[i])
    REFUSED(never, wsfj_parse_workers, &n, 7);
    REFUSED(workers, wsfj_parse_workers, &n, 7);
    REFUSED(never, wsfj_parse_size, &n, 7);
    REFUSED(sizes, wsfj_parse_size, &n, 7);
    REFUSED(never, wsfj_parse_bind, &bind, WS_BIND_SPREAD);
    REFUSED(binds, wsfj_parse_bind, &bind, WS_BIND_SPREAD);
    REFUSED(never, wsfj_parse_victim, &victim, WS_VICTIM_LARGEST);
    REFUSED(victims, wsfj_parse_victim, &victim, WS_VICTIM_LARGEST);
    REFUSED(never, wsfj_parse_wait, &ns, 7);
    REFUSED(waits, wsfj_parse_wait, &ns, 7);
    REFUSED(never, wsfj_parse_flag, &flag, true);
    REFUSED(flags, wsfj_parse_flag, &flag, true);
}
END_TEST

/* Catches: two words swapped, a list of which the last counts, case or blanks that matter. */
START_TEST(bind_knows_what_OMP_PROC_BIND_does_and_none)
{
    static const struct {
        const char *text;
        enum ws_bind value;
    } good[] = {{"close", WS_BIND_CLOSE},        {"spread", WS_BIND_SPREAD},        {"none", WS_BIND_NONE},
                {"primary", WS_BIND_PRIMARY},    {"master", WS_BIND_PRIMARY},       {"true", WS_BIND_CLOSE},
                {"false", WS_BIND_NONE},         {"FALSE", WS_BIND_NONE},           {"Close ", WS_BIND_CLOSE},
                {"spread,close", WS_BIND_SPREAD}, {" primary , spread,master", WS_BIND_PRIMARY}};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        enum ws_bind bind = WS_BIND_DEFAULT;

        ck_assert_msg(wsfj_parse_bind(good[i].text, &bind) && bind == good[i].value, "%s", good[i].text);
    }
}
END_TEST

/* Catches: two policies swapped. */
START_TEST(victim_knows_four_words)
{
    enum ws_victim victim = WS_VICTIM_DEFAULT;

    ck_assert(wsfj_parse_victim("near", &victim) && victim == WS_VICTIM_NEAR);
    ck_assert(wsfj_parse_victim("uniform", &victim) && victim == WS_VICTIM_UNIFORM);
    ck_assert(wsfj_parse_victim("largest", &victim) && victim == WS_VICTIM_LARGEST);
    ck_assert(wsfj_parse_victim("round-robin", &victim) && victim == WS_VICTIM_ROUND_ROBIN);
}
END_TEST

/* Catches: a wrong factor, a shift that overflows, bounds off by one. */
START_TEST(sizes_take_suffixes_from_64K_to_64G)
{
    static const struct {
        const char *text;
        size_t value;
    } good[] = {{"65536", 64 * KIB}, {"65536B", 64 * KIB}, {"64K", 64 * KIB},  {"64k", 64 * KIB},       {"65537", 65537},
                {"1M", MIB},         {"1m", MIB},          {"1G", GIB},        {"64G", 64 * GIB},       {"64g", 64 * GIB},
                {"65536M", 64 * GIB}, {"67108864K", 64 * GIB}, {"68719476736", 64 * GIB}, {"0064K", 64 * KIB}};
    static const char *const huge[] = {"18014398509481985K", "17592186044417M", "17179869185G", "18446744073709551615G"};
    size_t n = 7;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(wsfj_parse_size(good[i].text, &n), "%s", good[i].text);
        ck_assert_uint_eq(n, good[i].value);
    }
    n = 7;
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        ck_assert_msg(!wsfj_parse_size(huge[i], &n) && n == 7, "%s", huge[i]);
}
END_TEST

/* Catches: milliseconds for microseconds; "passive" that spins; the longest time refused. */
START_TEST(wait_is_two_words_or_microseconds)
{
    uint64_t ns = 7;

    ck_assert(wsfj_parse_wait("active", &ns) && ns == WSFJ_FOREVER);
    ck_assert(wsfj_parse_wait("passive", &ns) && ns == 0);
    ck_assert(wsfj_parse_wait("0", &ns) && ns == 0);
    ck_assert(wsfj_parse_wait("1", &ns) && ns == 1000);
    ck_assert(wsfj_parse_wait("1000000000", &ns) && ns == 1000000000000u);
}
END_TEST

/* Catches: a flag that is on for any text. */
START_TEST(flags_are_0_or_1)
{
    bool flag = false;

    ck_assert(wsfj_parse_flag("1", &flag) && flag);
    ck_assert(wsfj_parse_flag("0", &flag) && !flag);
}
END_TEST

/* Catches: a default that is not the documented one; a message though nothing is wrong. */
START_TEST(an_empty_environment_gives_the_defaults_silently)
{
    clear_environment();
    for (size_t i = 0; _i && i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i], "", 1); /* set but empty is as not set */
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_str_eq(said, "");
    ck_assert_uint_eq(wsfj_settings.num_workers, WSFJ_WORKERS_THREADS);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_CLOSE);
    ck_assert_uint_eq(wsfj_settings.stack_size, 8 * MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 50000);
    ck_assert_uint_eq(wsfj_settings.max_stacks, 0);
    ck_assert(wsfj_settings.membarrier && !wsfj_settings.display && !wsfj_settings.stats);
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_UNSET);
    ck_assert_int_eq(wsfj_settings.victim, WS_VICTIM_NEAR);
    for (int i = 0; i < WSFJ_SETTINGS; i++)
        ck_assert_int_eq(wsfj_settings.from[i], WSFJ_FROM_DEFAULT);
}
END_TEST

/* Catches: a variable that sets another one's field, or none. */
START_TEST(each_variable_sets_its_own_field)
{
    static const char *const texts[] = {"5", "spread", "1M", "7", "0", "1", "1", "sockets", "uniform", "0"};
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
    ck_assert_int_eq(wsfj_settings.places.what, _i == 7 ? WSFJ_PLACES_SOCKETS : WSFJ_PLACES_UNSET);
    ck_assert_int_eq(wsfj_settings.victim, _i == 8 ? WS_VICTIM_UNIFORM : WS_VICTIM_NEAR);
    ck_assert(!wsfj_settings.omp); /* one is set */
    for (int i = 0; i < WSFJ_SETTINGS; i++) {
        bool own = strcmp(wsfj_settings_name((enum wsfj_setting)i), variables[_i]) == 0;

        ck_assert_int_eq(wsfj_settings.from[i], own ? WSFJ_FROM_ENVIRONMENT : WSFJ_FROM_DEFAULT);
        set += own;
    }
    ck_assert_uint_eq(set, 1);
}
END_TEST

/* Catches: nonsense that is taken in silence, reported twice or without saying what is used instead. */
START_TEST(a_malformed_variable_costs_one_line_and_the_default_is_used)
{
    static const char *const instead[] = {"using one worker for each CPU allowed", "using close", "using 8M", "using 50",
                                          "using 1", "using 0", "using 0", "using a place for each CPU allowed",
                                          "using near", "using 1 if no other"};

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
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_UNSET);
    ck_assert_int_eq(wsfj_settings.victim, WS_VICTIM_NEAR);
}
END_TEST

/* Catches: a long value that overflows the line's buffer or loses the rest of the line; several bad ones in one line. */
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

/* Catches: the environment winning over the program, or a default field of ws_config hiding the environment. */
START_TEST(api_beats_environment_beats_default)
{
    ws_config config;

    clear_environment();
    setenv("WSFJ_NUM_WORKERS", "5", 1);
    setenv("WSFJ_BIND", "spread", 1);
    setenv("WSFJ_STACK_SIZE", "1M", 1);
    setenv("WSFJ_WAIT", "7", 1);
    setenv("WSFJ_PLACES", "cores", 1);
    setenv("WSFJ_VICTIM", "uniform", 1);
    ws_config_default(&config);
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.num_workers, 5);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_SPREAD);
    ck_assert_uint_eq(wsfj_settings.stack_size, MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 7000);

    config.num_workers = 3;
    config.bind = WS_BIND_NONE;
    config.stack_size = 2 * MIB;
    config.spin_us = 0;
    config.max_stacks = 9;
    config.places = "{3}";
    config.victim = WS_VICTIM_LARGEST;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.num_workers, 3);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_NONE);
    ck_assert_uint_eq(wsfj_settings.stack_size, 2 * MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 0);
    ck_assert_uint_eq(wsfj_settings.max_stacks, 9);
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_LIST);
    ck_assert_int_eq(wsfj_settings.victim, WS_VICTIM_LARGEST);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_PLACES], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_VICTIM], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_WORKERS], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_BIND], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_STACK], WSFJ_FROM_API);
    ck_assert_int_eq(wsfj_settings.from[WSFJ_SET_WAIT], WSFJ_FROM_API);
    config.spin_us = WS_SPIN_FOREVER;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.spin_ns, WSFJ_FOREVER);

    ck_assert_int_eq(read_settings(NULL), 0); /* a second reading starts from the defaults */
    ck_assert_uint_eq(wsfj_settings.max_stacks, 0);
    ck_assert_uint_eq(wsfj_settings.num_workers, 5);
    ck_assert_int_eq(wsfj_settings.places.what, WSFJ_PLACES_CORES);
    ck_assert_int_eq(wsfj_settings.victim, WS_VICTIM_UNIFORM);
}
END_TEST

static void set_omp_variables(void)
{
    static const char *const texts[] = {"3,2", "SPREAD, close", "512", "passive", "True", "{0:2}:2:2"};

    for (int i = 0; i < OMP_VARIABLES; i++)
        setenv(omp_variables[i], texts[i], 1);
}

/* Catches: an OMP_* variable not looked at, or one that sets another one's field. */
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
    ck_assert_str_eq(wsfj_settings_origin(WSFJ_SET_VICTIM), "default");
}
END_TEST

/* Catches: OMP_* mixed into what the user has said to us; WSFJ_OMP without effect, in either direction; a variable
 * counted that is set but empty; nonsense in OMP_* reported though nobody looks at it. */
START_TEST(one_variable_of_ours_turns_them_off)
{
    static const struct {
        const char *name, *text;
        bool omp;
    } cases[] = {{"WSFJ_STATS", "0", false},       {"WSFJ_OF_THE_FUTURE", "1", false}, {"WSFJ_OMP", "0", false},
                 {"WSFJ_NUM_WORKERS", "", true},   {"WSFJ_OMP", "1", true},            {"WSFJOTHER", "1", true}};

    clear_environment();
    set_omp_variables();
    if (!cases[_i].omp)
        setenv("OMP_STACKSIZE", "13 elephants", 1);
    setenv(cases[_i].name, cases[_i].text, 1);
    ck_assert_int_eq(read_settings(NULL), 0);
    ck_assert_str_eq(said, "");
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

/* Catches: a syntax of OMP_* that is refused, or a wrong unit. */
START_TEST(OMP_values_have_a_syntax_of_their_own)
{
    static const struct {
        const char *text;
        size_t value;
    } sizes[] = {{"64", 64 * KIB}, {"1m", MIB}, {" 2 M ", 2 * MIB}, {"131072B", 128 * KIB}, {"1", 64 * KIB},
                 {"64G", 64 * GIB}, {"2000K", 2000 * KIB}, {"3g", 3 * GIB}};
    static const char *const bad_sizes[] = {"", "0", "-1", "65G", "1T", "M", "1MB", "1 2", "67108865K"};
    static const char *const bad_threads[] = {"", "0", "-1", "4097", "1,", ",1", "1,0", "1 2", "x", "1;2"};
    static const char *const bad_words[] = {"", "aktive", "active passive", "2", "truefalse"};
    size_t n = 7;
    uint64_t ns = 7;
    bool flag = false;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        ck_assert_msg(wsfj_parse_omp_size(sizes[i].text, &n) && n == sizes[i].value, "%s", sizes[i].text);
    ck_assert(wsfj_parse_omp_threads(" 4 , 3,2", &n) && n == 4);
    ck_assert(wsfj_parse_omp_wait("ACTIVE", &ns) && ns == WSFJ_FOREVER);
    ck_assert(wsfj_parse_omp_wait(" Passive", &ns) && ns == 0);
    ck_assert(wsfj_parse_omp_display("VERBOSE", &flag) && flag);
    ck_assert(wsfj_parse_omp_display("false", &flag) && !flag);
    ck_assert(wsfj_parse_omp_display("1", &flag) && flag);
    ck_assert(wsfj_parse_omp_display("0", &flag) && !flag);
    n = 7;
    ns = 7;
    REFUSED(bad_sizes, wsfj_parse_omp_size, &n, 7);
    REFUSED(bad_threads, wsfj_parse_omp_threads, &n, 7);
    REFUSED(bad_words, wsfj_parse_omp_wait, &ns, 7);
    REFUSED(bad_words, wsfj_parse_omp_display, &flag, false);
}
END_TEST

/* Catches: places of the program that are ignored when they make no sense, or refused without a name. */
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
    static const char *const fields[] = {"size",       "size",       "num_workers", "num_workers", "bind", "bind",
                                         "stack_size", "stack_size", "stack_size",  "spin_us",     "victim", "spin_us"};
    ws_config c;

    ws_config_default(&c);
    switch (i) {
    case 0: c.size = 0; break;
    case 1: c.size--; break;
    case 2: c.num_workers = 4097; break;
    case 3: c.num_workers = SIZE_MAX; break;
    case 4: c.bind = (enum ws_bind)5; break;
    case 5: c.bind = (enum ws_bind)-1; break;
    case 6: c.stack_size = 1; break;
    case 7: c.stack_size = 64 * KIB - 1; break;
    case 8: c.stack_size = 64 * GIB + 1; break;
    case 9: c.spin_us = -3; break;
    case 10: c.victim = (enum ws_victim)5; break;
    default: c.spin_us = 1000000001; break;
    }
    *field = fields[i];
    return c;
}

/* Catches: an impossible field that is ignored, clamped, or refused without a name. */
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

/* Catches: bounds that exclude themselves. */
START_TEST(a_config_at_the_bounds_is_possible)
{
    ws_config config;

    clear_environment();
    ws_config_default(&config);
    config.num_workers = 4096;
    config.stack_size = 64 * KIB;
    config.spin_us = 1000000000;
    ck_assert_int_eq(read_settings(&config), 0);
    config.stack_size = 64 * GIB;
    config.size += 8; /* a newer program's */
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_str_eq(said, "");
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

    tcase_add_test(tcase, workers_are_1_to_4096_or_a_word);
    tcase_add_test(tcase, nonsense_is_refused_and_changes_nothing);
    tcase_add_test(tcase, bind_knows_what_OMP_PROC_BIND_does_and_none);
    tcase_add_test(tcase, victim_knows_four_words);
    tcase_add_test(tcase, sizes_take_suffixes_from_64K_to_64G);
    tcase_add_test(tcase, wait_is_two_words_or_microseconds);
    tcase_add_test(tcase, flags_are_0_or_1);
    tcase_add_loop_test(tcase, an_empty_environment_gives_the_defaults_silently, 0, 2);
    tcase_add_loop_test(tcase, each_variable_sets_its_own_field, 0, VARIABLES);
    tcase_add_loop_test(tcase, a_malformed_variable_costs_one_line_and_the_default_is_used, 0, VARIABLES);
    tcase_add_test(tcase, each_malformed_variable_has_a_line_of_its_own_however_long);
    tcase_add_test(tcase, api_beats_environment_beats_default);
    tcase_add_loop_test(tcase, an_impossible_config_is_refused_with_the_fields_name, 0, 12);
    tcase_add_test(tcase, impossible_places_are_refused_with_their_text);
    tcase_add_test(tcase, OMP_variables_count_when_no_other_is_set);
    tcase_add_loop_test(tcase, one_variable_of_ours_turns_them_off, 0, 6);
    tcase_add_test(tcase, with_WSFJ_OMP_they_come_after_ours);
    tcase_add_test(tcase, OMP_values_have_a_syntax_of_their_own);
    tcase_add_test(tcase, a_config_at_the_bounds_is_possible);
    tcase_add_test(tcase, the_stack_size_is_rounded_up_to_pages);
    return run_case("settings", tcase);
}
