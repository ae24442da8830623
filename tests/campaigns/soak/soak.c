/* SPDX-License-Identifier: MIT */
/*
 * Random programs under random settings, for any length of time: tests/campaigns/soak/README.md. As a test, without
 * arguments, runs a fixed number of them.
 *
 *     soak MINUTES              new seeds for so many minutes
 *     soak -p PROGRAMS          so many programs with new seeds
 *     soak -s SEED [-n TIMES]   that seed's program, with those that run at the same time, so many times
 *     soak -s SEED -p PROGRAMS  so many programs from that seed on
 */
#include "../../random/compare.h"
#include "../../stress/stress.h"
#include "batch.h"
#include "guard.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHECKED COUNT(1200u, 200u) /* programs in the test */
#define REPLAYS 200u

static const char *self = "tests/campaigns/soak/soak";

static int run_batch(const void *batch)
{
    return batch_run(batch);
}

/* False after a failure, with the command that repeats it. */
static bool soak_batch(struct batch batch)
{
    struct setup setup;

    if (guard_run(run_batch, &batch, NULL))
        return true;
    setup_draw(&setup, page->seed);
    printf("  with ");
    setup_print(&setup);
    printf("  repeat it:                            %s -s %u -n %u\n", self, page->seed, REPLAYS);
    printf("  ... with all before it, if need be:   %s -s %u -p %u\n", self, batch.first, page->seed - batch.first + 20);
    return false;
}

static long at(const long *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void row(const char *name, uint64_t value)
{
    printf("| %-36s | %14llu |\n", name, (unsigned long long)value);
}

static void print_table(unsigned first, unsigned end, uint64_t ns)
{
    const struct program_log *log = &page->log;
    const struct ws_stats *s = &page->stats;

    printf("\n| soak of %4u s%-22s | %14s |\n|---|---:|\n", (unsigned)(ns / 1000000000),
           CHAOS ? ", with delays and failures" : "", "");
    row("seeds from", first);
    row("seeds to", end - 1);
    row("programs", (uint64_t)page->programs);
    row("... processes", (uint64_t)page->processes);
    row("... starts and stops", (uint64_t)page->starts);
    row("nodes run", (uint64_t)at(&log->ran));
    row("spawns", (uint64_t)at(&log->spawns));
    row("steals", s->steals);
    row("... failed attempts", s->steals_failed);
    row("... exposures answered", s->exposures_answered);
    row("... exposures forced", s->exposures_forced);
    row("suspended joins", s->suspensions);
    row("detached tasks, with a group", (uint64_t)at(&log->submits));
    row("detached tasks, alone", (uint64_t)at(&log->strays_done));
    row("yields", (uint64_t)at(&log->yields));
    row("parks", s->parks);
    row("wakes", s->wakes);
    row("blocking regions", (uint64_t)at(&log->sections));
    row("roots of threads made by tasks", (uint64_t)at(&log->callers));
    row("most stacks", s->stacks);
    row("failures", (uint64_t)page->failures);
}

/* Runs until the time is over, or without a time limit until `programs` are done. */
static void soak(unsigned first, unsigned programs, uint64_t ns)
{
    uint64_t begun = now();
    unsigned seed = first;

    while (ns ? now() - begun < ns : seed - first < programs) {
        unsigned n = PER_PROCESS - seed % PER_PROCESS;

        if (!ns && n > programs - (seed - first))
            n = programs - (seed - first);
        (void)soak_batch((struct batch){.first = seed, .programs = n, .times = 1});
        seed += n;
    }
    print_table(first, seed, now() - begun);
}

/* Runs the programs that share a moment with the seed's. */
static void replay(unsigned seed, unsigned times)
{
    unsigned group = seed - seed % GROUP;
    struct setup setup;

    setup_draw(&setup, seed);
    seed -= (seed - group) % setup.together;
    (void)soak_batch((struct batch){.first = seed, .programs = setup.together, .times = times});
    puts(page->failures ? "it fails" : "it does not fail");
}

static unsigned new_seed(void)
{
    unsigned seed = (unsigned)(now() / 1000 % 1000000000);

    return seed - seed % PER_PROCESS;
}

/* Catches: anything that makes a result wrong or late under settings that no other test has. */
START_TEST(random_programs_under_random_settings_compute_what_their_serial_evaluation_does)
{
    page_open();
    soak(new_seed(), CHECKED, 0);
    ck_assert_int_eq(page->failures, 0);
    ck_assert_uint_gt(page->stats.steals, 0);
}
END_TEST

#define SPOILT (10 * PER_PROCESS - 3)

/* stdout of the function, and of the children it forks. */
static const char *printed(void (*action)(void))
{
    static char text[4096];
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO);
    size_t n;

    ck_assert(file && out >= 0);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    action();
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    rewind(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

/* The programs of two processes. */
static void soak_over_it(void)
{
    soak(SPOILT - 2, 6, 0);
}

static void replay_what_failed(void)
{
    replay(page->seed, 1);
}

/* Catches: a failure that is not noticed, or that ends the soak; a seed or a command that does not repeat the
 * failure. */
START_TEST(a_failing_seed_is_printed_and_fails_again)
{
    char seed[64], command[64];
    const char *text;

    page_open();
    program_spoilt = SPOILT;
    text = printed(soak_over_it);
    ck_assert_int_eq(page->failures, 1);
    ck_assert_int_eq(page->processes, 2);
    snprintf(seed, sizeof seed, "seed %u: error 0", SPOILT);
    ck_assert_msg(strstr(text, seed) != NULL, "%s", text);

    /* The command has the first seed of the programs that ran at the same time. */
    const char *at = strstr(text, "soak -s ");

    ck_assert_msg(at != NULL, "%s", text);
    page->seed = (unsigned)strtoul(at + 8, NULL, 10);
    ck_assert_uint_le(page->seed, SPOILT);
    snprintf(command, sizeof command, "soak -s %u -n %u", page->seed, REPLAYS);
    ck_assert_msg(strstr(text, command) != NULL, "%s", text);

    unsigned first = page->seed;

    text = printed(replay_what_failed);
    ck_assert_int_eq(page->failures, 2);
    ck_assert_msg(strstr(text, "it fails") != NULL && strstr(text, seed) != NULL, "%s", text);

    page->seed = first;
    page->failures = 0;
    program_spoilt = -1;
    text = printed(replay_what_failed);
    ck_assert_int_eq(page->failures, 0);
    ck_assert_msg(strstr(text, "it does not fail") != NULL, "%s", text);
}
END_TEST

static int run_test(void)
{
    TCase *tcase = new_case("soak");

    tcase_add_test(tcase, a_failing_seed_is_printed_and_fails_again);
    tcase_add_test(tcase, random_programs_under_random_settings_compute_what_their_serial_evaluation_does);
    return run_case("soak", tcase);
}

int main(int argc, char **argv)
{
    long seed = -1, programs = 0, times = REPLAYS;
    double minutes = 0;

    if (argc == 1)
        return run_test();
    self = argv[0];
    for (int option; (option = getopt(argc, argv, "s:p:n:")) != -1;) {
        if (option == '?')
            return 2;
        *(option == 's' ? &seed : option == 'p' ? &programs : &times) = strtol(optarg, NULL, 10);
    }
    if (optind < argc)
        minutes = strtod(argv[optind], NULL);
    if (seed < 0 && programs <= 0 && minutes <= 0) {
        fprintf(stderr, "usage: %s MINUTES | -p PROGRAMS | -s SEED [-n TIMES | -p PROGRAMS]\n", self);
        return 2;
    }
    page_open();
    if (minutes > 0 || programs > 0)
        soak(seed < 0 ? new_seed() : (unsigned)seed, (unsigned)programs, (uint64_t)(minutes * 60e9));
    else
        replay((unsigned)seed, (unsigned)times);
    return page->failures != 0;
}
