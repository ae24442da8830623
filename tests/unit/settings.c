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
                                        "WSFJ_MEMBARRIER",  "WSFJ_DISPLAY", "WSFJ_STATS",      "WSFJ_CGROUP"};

static void clear_environment(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
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
    static const char *const binds[] = {"0", "closed", "clos", "Close", "close ", "spread,none"};
    static const char *const sizes[] = {"0", "65535", "63K", "65G", "64T", "64KB", "64KiB", "K", "64 K", "64G1", "68719476737",
                                        "1KK"};
    static const char *const waits[] = {"Active", "passive ", "50us", "1000000001", "activ"};
    static const char *const flags[] = {"2", "00", "01", "yes", "true", "on", "10"};
    size_t n = 7;
    enum ws_bind bind = WS_BIND_SPREAD;
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
    REFUSED(never, wsfj_parse_wait, &ns, 7);
    REFUSED(waits, wsfj_parse_wait, &ns, 7);
    REFUSED(never, wsfj_parse_flag, &flag, true);
    REFUSED(flags, wsfj_parse_flag, &flag, true);
}
END_TEST

/* Catches: two words swapped. */
START_TEST(bind_knows_three_words)
{
    enum ws_bind bind = WS_BIND_DEFAULT;

    ck_assert(wsfj_parse_bind("close", &bind) && bind == WS_BIND_CLOSE);
    ck_assert(wsfj_parse_bind("spread", &bind) && bind == WS_BIND_SPREAD);
    ck_assert(wsfj_parse_bind("none", &bind) && bind == WS_BIND_NONE);
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
    ck_assert(wsfj_settings.cgroup && !wsfj_settings.bind_asked);
}
END_TEST

/* Catches: a variable that sets another one's field, or none. */
START_TEST(each_variable_sets_its_own_field)
{
    static const char *const texts[] = {"5", "spread", "1M", "7", "0", "1", "1", "0"};

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
    ck_assert_int_eq(wsfj_settings.cgroup, _i != 7);
    ck_assert_int_eq(wsfj_settings.bind_asked, _i == 1);
}
END_TEST

/* Catches: nonsense that is taken in silence, reported twice or without saying what is used instead. */
START_TEST(a_malformed_variable_costs_one_line_and_the_default_is_used)
{
    static const char *const instead[] = {"using one worker for each CPU allowed", "using close", "using 8M", "using 50",
                                          "using 1", "using 0", "using 0", "using 1"};

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
    ck_assert(wsfj_settings.cgroup && !wsfj_settings.bind_asked);
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
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.num_workers, 3);
    ck_assert_int_eq(wsfj_settings.bind, WS_BIND_NONE);
    ck_assert(wsfj_settings.bind_asked);
    ck_assert_uint_eq(wsfj_settings.stack_size, 2 * MIB);
    ck_assert_uint_eq(wsfj_settings.spin_ns, 0);
    ck_assert_uint_eq(wsfj_settings.max_stacks, 9);
    config.spin_us = WS_SPIN_FOREVER;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert_uint_eq(wsfj_settings.spin_ns, WSFJ_FOREVER);

    ck_assert_int_eq(read_settings(NULL), 0); /* a second reading starts from the defaults */
    ck_assert_uint_eq(wsfj_settings.max_stacks, 0);
    ck_assert_uint_eq(wsfj_settings.num_workers, 5);
}
END_TEST

static ws_config impossible(int i, const char **field)
{
    static const char *const fields[] = {"size",       "size",       "num_workers", "num_workers", "bind", "bind",
                                         "stack_size", "stack_size", "stack_size",  "spin_us",     "spin_us"};
    ws_config c;

    ws_config_default(&c);
    switch (i) {
    case 0: c.size = 0; break;
    case 1: c.size--; break;
    case 2: c.num_workers = 4097; break;
    case 3: c.num_workers = SIZE_MAX; break;
    case 4: c.bind = (enum ws_bind)4; break;
    case 5: c.bind = (enum ws_bind)-1; break;
    case 6: c.stack_size = 1; break;
    case 7: c.stack_size = 64 * KIB - 1; break;
    case 8: c.stack_size = 64 * GIB + 1; break;
    case 9: c.spin_us = -3; break;
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

/* Catches: bounds that exclude themselves; a choice that is taken for none because it is the default. */
START_TEST(a_config_at_the_bounds_is_possible)
{
    ws_config config;

    clear_environment();
    ws_config_default(&config);
    config.num_workers = 4096;
    config.stack_size = 64 * KIB;
    config.spin_us = 1000000000;
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert(!wsfj_settings.bind_asked);
    config.bind = WS_BIND_CLOSE; /* the default, but asked for */
    ck_assert_int_eq(read_settings(&config), 0);
    ck_assert(wsfj_settings.bind_asked);
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
    tcase_add_test(tcase, bind_knows_three_words);
    tcase_add_test(tcase, sizes_take_suffixes_from_64K_to_64G);
    tcase_add_test(tcase, wait_is_two_words_or_microseconds);
    tcase_add_test(tcase, flags_are_0_or_1);
    tcase_add_loop_test(tcase, an_empty_environment_gives_the_defaults_silently, 0, 2);
    tcase_add_loop_test(tcase, each_variable_sets_its_own_field, 0, 8);
    tcase_add_loop_test(tcase, a_malformed_variable_costs_one_line_and_the_default_is_used, 0, 8);
    tcase_add_test(tcase, each_malformed_variable_has_a_line_of_its_own_however_long);
    tcase_add_test(tcase, api_beats_environment_beats_default);
    tcase_add_loop_test(tcase, an_impossible_config_is_refused_with_the_fields_name, 0, 11);
    tcase_add_test(tcase, a_config_at_the_bounds_is_possible);
    tcase_add_test(tcase, the_stack_size_is_rounded_up_to_pages);
    return run_case("settings", tcase);
}
