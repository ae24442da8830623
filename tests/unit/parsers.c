/* SPDX-License-Identifier: MIT */
/* The syntax of variables: the parsers of lib/config/settings.h. Neighbour: settings.c, the effect of the values. */
#include "config/settings.h"
#include "config/signame.h"

#include "../support/run.h"

#include <signal.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

static const char *const never[] = {"",
                                    " ",
                                    "-1",
                                    "+1",
                                    "1 ",
                                    " 1",
                                    "1x",
                                    "x",
                                    "0x10",
                                    "1.5",
                                    "1e3",
                                    "18446744073709551616",
                                    "99999999999999999999999"};

/* Catches: bounds off by one; "0 workers" taken for a number. */
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

/* Catches: a parser that accepts a prefix, blanks, signs or other bases, or changes the value when it refuses. */
START_TEST(nonsense_is_refused_and_changes_nothing)
{
    static const char *const workers[] = {"0", "4097", "core", "cores ", "Cores", "4K"};
    static const char *const binds[] = {"0",         "closed",        "clos",         "close,",
                                        ",close",    "spread,none",   "close spread", "true,close",
                                        "none,none", "close,,spread", "{0}"};
    static const char *const sizes[] = {"0",     "65535", "63K",  "65G",  "64T",         "64KB",
                                        "64KiB", "K",     "64 K", "64G1", "68719476737", "1KK"};
    static const char *const waits[] = {"Active", "passive ", "50us", "1000000001", "activ"};
    static const char *const flags[] = {"2", "00", "01", "yes", "true", "on", "10"};
    static const char *const spares[] = {"4097", "-1", "10K", "none"};
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
    REFUSED(never, wsfj_parse_spares, &n, 7);
    REFUSED(spares, wsfj_parse_spares, &n, 7);
    REFUSED(never, wsfj_parse_wait, &ns, 7);
    REFUSED(waits, wsfj_parse_wait, &ns, 7);
    REFUSED(never, wsfj_parse_flag, &flag, true);
    REFUSED(flags, wsfj_parse_flag, &flag, true);
}
END_TEST

/* Catches: two words swapped; a list whose last word counts; case or blanks that matter. */
START_TEST(bind_knows_what_OMP_PROC_BIND_does_and_none)
{
    static const struct {
        const char *text;
        enum ws_bind value;
    } good[] = {
        {"close", WS_BIND_CLOSE},         {"spread", WS_BIND_SPREAD},  {"none", WS_BIND_NONE},
        {"primary", WS_BIND_PRIMARY},     {"master", WS_BIND_PRIMARY}, {"true", WS_BIND_CLOSE},
        {"false", WS_BIND_NONE},          {"FALSE", WS_BIND_NONE},     {"Close ", WS_BIND_CLOSE},
        {"spread,close", WS_BIND_SPREAD}, {"auto", WS_BIND_AUTO},      {" primary , spread,master", WS_BIND_PRIMARY}};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        enum ws_bind bind = WS_BIND_DEFAULT;

        ck_assert_msg(wsfj_parse_bind(good[i].text, &bind) && bind == good[i].value, "%s", good[i].text);
    }
}
END_TEST

/* Catches: "no spares" refused; a bound off by one. */
START_TEST(spares_may_be_none)
{
    size_t n = 7;

    ck_assert(wsfj_parse_spares("0", &n) && n == 0);
    ck_assert(wsfj_parse_spares("4096", &n) && n == 4096);
}
END_TEST

/* Catches: a wrong factor; a shift that overflows; bounds off by one. */
START_TEST(sizes_take_suffixes_from_64K_to_64G)
{
    static const struct {
        const char *text;
        size_t value;
    } good[] = {{"65536", 64 * KIB},       {"65536B", 64 * KIB}, {"64K", 64 * KIB},    {"64k", 64 * KIB},
                {"65537", 65537},          {"1M", MIB},          {"1m", MIB},          {"1G", GIB},
                {"64G", 64 * GIB},         {"64g", 64 * GIB},    {"65536M", 64 * GIB}, {"67108864K", 64 * GIB},
                {"68719476736", 64 * GIB}, {"0064K", 64 * KIB}};
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

/* Catches: a bound off by one; a power of two that is doubled; a number that is not rounded up. */
START_TEST(events_are_rounded_up_to_a_power_of_two)
{
    size_t n = 7;

    ck_assert(wsfj_parse_events("1024", &n) && n == 1024);
    ck_assert(wsfj_parse_events("1025", &n) && n == 2048);
    ck_assert(wsfj_parse_events("4096", &n) && n == 4096);
    ck_assert(wsfj_parse_events("16777215", &n) && n == 16777216);
    ck_assert(wsfj_parse_events("16777216", &n) && n == 16777216);
    n = 7;
    ck_assert(!wsfj_parse_events("1023", &n) && !wsfj_parse_events("16777217", &n) && n == 7);
}
END_TEST

/* Catches: a suffix without a name before it; a suffix in the middle. */
START_TEST(traces_have_a_name_and_a_suffix)
{
    ck_assert(wsfj_parse_trace("a.json"));
    ck_assert(!wsfj_parse_trace("a.json.pftrace"));
    ck_assert(!wsfj_parse_trace(".json"));
    ck_assert(!wsfj_parse_trace("a.json.gz"));
    ck_assert(!wsfj_parse_trace(""));
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

/* Catches: a bound off by one; text after a number, or instead of one. */
START_TEST(periods_are_numbers_up_to_a_day)
{
    static const char *const bad[] = {"8641", "1s", "0.5", "-0", "1 "};
    uint64_t n = 7;

    ck_assert(wsfj_parse_up_to("0", 8640, &n) && n == 0);
    ck_assert(wsfj_parse_up_to("8640", 8640, &n) && n == 8640);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!wsfj_parse_up_to(bad[i], 8640, &n) && n == 8640, "%s", bad[i]);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        ck_assert_msg(!wsfj_parse_up_to(never[i], 8640, &n) && n == 8640, "%s", never[i]);
}
END_TEST

/* Catches: a name that is another signal's; a signal accepted though it cannot be caught, reports a fault, or has a
 * meaning of its own; a name that is shown but not understood. */
START_TEST(dump_signals_have_names_and_numbers)
{
    static const struct {
        const char *text;
        int value;
    } good[] = {{"QUIT", SIGQUIT},
                {"SIGQUIT", SIGQUIT},
                {"sigquit", SIGQUIT},
                {"Quit", SIGQUIT},
                {"3", SIGQUIT},
                {"USR1", SIGUSR1},
                {"SIGUSR2", SIGUSR2},
                {"HUP", SIGHUP},
                {"INT", SIGINT},
                {"TERM", SIGTERM},
                {"ALRM", SIGALRM},
                {"URG", SIGURG},
                {"WINCH", SIGWINCH},
                {"IO", SIGIO},
                {"PWR", SIGPWR},
                {"none", 0},
                {"0", 0}};
    static const char *const bad[] = {"KILL",        "STOP",
                                      "SEGV",        "BUS",
                                      "FPE",         "ILL",
                                      "TRAP",        "SYS",
                                      "ABRT",        "PROF",
                                      "CHLD",        "CONT",
                                      "TSTP",        "PIPE",
                                      "SIG",         "SIGSIGINT",
                                      "9",           "19",
                                      "11",          "32",
                                      "65",          "03x",
                                      "-3",          "+3",
                                      "QUIT ",       " QUIT",
                                      "QUITE",       "QUI",
                                      "SIGnone",     "RTMIN-1",
                                      "RTMAX+1",     "RTMIN+99",
                                      "RTMAX-52",    /* USR2 */ "RTMIN+",
                                      "RT",          "RTMINUS",
                                      "99999999999", "00003"};
    const int nameless[] = {SIGSEGV, SIGPROF, SIGRTMIN - 1, SIGRTMAX + 1};
    char name[16], text[16];
    int signal = 7;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(wsfj_signame_parse(good[i].text, &signal) && signal == good[i].value, "%s", good[i].text);
        wsfj_signame_show(signal, name);
        signal = 7;
        ck_assert_msg(wsfj_signame_parse(name, &signal) && signal == good[i].value, "%s", name);
    }
    for (size_t i = 0; i < sizeof nameless / sizeof *nameless; i++) {
        wsfj_signame_show(nameless[i], name);
        snprintf(text, sizeof text, "%d", nameless[i]);
        ck_assert_str_eq(name, text);
    }
    for (int n = SIGRTMIN; n <= SIGRTMAX; n++) {
        snprintf(text, sizeof text, n % 2 ? "SIGRTMAX-%d" : "rtmax-%d", SIGRTMAX - n);
        ck_assert_msg(wsfj_signame_parse(text, &signal) && signal == n, "%s", text);
        wsfj_signame_show(n, name);
        signal = 7;
        ck_assert_msg(wsfj_signame_parse(name, &signal) && signal == n, "%s", name);
    }
    ck_assert(wsfj_signame_parse("SIGRTMIN", &signal) && signal == SIGRTMIN);
    ck_assert(wsfj_signame_parse("RTMIN+3", &signal) && signal == SIGRTMIN + 3);
    signal = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!wsfj_signame_parse(bad[i], &signal) && signal == 7, "%s", bad[i]);
    for (size_t i = 1; i < sizeof never / sizeof *never; i++)
        ck_assert_msg(!wsfj_signame_parse(never[i], &signal) && signal == 7, "%s", never[i]);
}
END_TEST

/* Catches: an OMP_* syntax that is refused; a wrong unit. */
START_TEST(OMP_values_have_a_syntax_of_their_own)
{
    static const struct {
        const char *text;
        size_t value;
    } sizes[] = {{"64", 64 * KIB}, {"1m", MIB},       {" 2 M ", 2 * MIB},    {"131072B", 128 * KIB},
                 {"1", 64 * KIB},  {"64G", 64 * GIB}, {"2000K", 2000 * KIB}, {"3g", 3 * GIB}};
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

int main(void)
{
    TCase *tcase = new_case("parsers");

    tcase_add_test(tcase, workers_are_1_to_4096_or_a_word);
    tcase_add_test(tcase, nonsense_is_refused_and_changes_nothing);
    tcase_add_test(tcase, bind_knows_what_OMP_PROC_BIND_does_and_none);
    tcase_add_test(tcase, spares_may_be_none);
    tcase_add_test(tcase, sizes_take_suffixes_from_64K_to_64G);
    tcase_add_test(tcase, wait_is_two_words_or_microseconds);
    tcase_add_test(tcase, events_are_rounded_up_to_a_power_of_two);
    tcase_add_test(tcase, traces_have_a_name_and_a_suffix);
    tcase_add_test(tcase, flags_are_0_or_1);
    tcase_add_test(tcase, periods_are_numbers_up_to_a_day);
    tcase_add_test(tcase, dump_signals_have_names_and_numbers);
    tcase_add_test(tcase, OMP_values_have_a_syntax_of_their_own);
    return run_case("parsers", tcase);
}
