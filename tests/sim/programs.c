/* SPDX-License-Identifier: MIT */
/*
 * Random programs (tests/random) in virtual time: the library with its assertions and points of delay (--enable-chaos),
 * on machines, with costs, preemptions, failing calls and changes of masks and quota that are all drawn from a seed.
 * Each seed has a process.
 *
 *     programs FIRST COUNT          so many seeds; prints those that fail
 *     programs SEED                 one seed: its settings, all that it writes, its counters
 *     programs -x SEED ...          expects a wrong result of that seed: to see that a failure is reported
 */
#include "../random/compare.h"
#include "../random/log.h"
#include "../support/to_stderr.h"
#include "engine.h"
#include "weather.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MOST 64
#define SECONDS_MOST 120 /* of CPU time: only a broken library takes so long */
#define LINES_MOST 12    /* of what a failing run has written */

struct sums {
    struct program_log log;
    struct ws_stats stats;
    long runs, starts, refused, programs;
    uint64_t points, threads;
};

static const char *self = "programs";
static struct sums *sums; /* shared with the children */
static struct weather weather;
static unsigned current; /* the seed of the process */
static int status;

static void add_to(uint64_t *to, uint64_t more)
{
    (void)__atomic_fetch_add(to, more, __ATOMIC_RELAXED);
}

static void add_stats(void)
{
    struct ws_stats s = {.size = sizeof s};
    uint64_t *to = (uint64_t *)(void *)&sums->stats, *more = (uint64_t *)(void *)&s;

    if (ws_stats_get(&s) == 0)
        for (size_t i = 1; i < sizeof s / sizeof *to; i++)
            add_to(&to[i], more[i]);
}

static void add_long(long *to, long more)
{
    (void)__atomic_fetch_add(to, more, __ATOMIC_RELAXED);
}

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* From ws_init() to ws_fini(). */
static int cycle(unsigned first)
{
    const struct setup *s = &weather.setup;
    const char *wrong = NULL;
    int error = setup_start(s);

    if (error == ENOMEM && weather.refuses) {
        add_long(&sums->refused, 1);
        return 0;
    }
    if (error)
        return complain("start", ws_strerror(error));
    weather_change(&weather);
    for (unsigned i = 0; i < weather.programs && !wrong; i++)
        wrong = program_compare(first + i * TOGETHER, s->together, s->size_bits);
    weather_settle(&weather);
    if (wrong)
        return complain("result", wrong);
    add_stats();
    add_long(&sums->starts, 1);
    add_long(&sums->programs, (long)(weather.programs * s->together));
    error = setup_stop(s);
    return error ? complain("stop", ws_strerror(error)) : 0;
}

static void *run(void *unused)
{
    unsigned each = TOGETHER * 4, first = current * each * 4;

    if (program_spoilt >= 0)
        program_spoilt = program_spoilt == (long)current ? (long)first : -1;
    program_waits_for_memory = weather.refuses;
    for (unsigned i = 0; i < weather.starts && !status; i++)
        status = cycle(first + i * each);
    return unused;
}

static _Noreturn void in_child(void)
{
    struct sim_totals totals;
    struct program_log *own = program_log;

    weather_draw(&weather, current);
    weather_begin(&weather, current);
    totals = sim_run(run, NULL);
    add_long(&sums->runs, 1);
    add_to(&sums->points, totals.points);
    add_to(&sums->threads, totals.threads);
    for (size_t i = 0; i < sizeof *own / sizeof(long); i++)
        add_long((long *)(void *)&sums->log + i, ((long *)(void *)own)[i]);
    fflush(stdout);
    _exit(status);
}

/* Starts a process for the seed; what it writes goes to `file`, if there is one. */
static pid_t start_run(unsigned seed, FILE *file)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit most = {SECONDS_MOST, SECONDS_MOST}, none = {0, 0};

        if (file)
            (void)(make_stderr(fileno(file)) && dup2(STDERR_FILENO, STDOUT_FILENO));
        (void)setrlimit(RLIMIT_CPU, &most);
        (void)setrlimit(RLIMIT_CORE, &none);
        current = seed;
        in_child();
    }
    if (child < 0) {
        fprintf(stderr, "%s: no process: %s\n", self, strerror(errno));
        exit(2);
    }
    return child;
}

static void describe(int end)
{
    if (WIFSIGNALED(end))
        printf("killed by signal %d (%s)\n", WTERMSIG(end), strsignal(WTERMSIG(end)));
    else
        printf("exit %d\n", WEXITSTATUS(end));
}

static void report(unsigned seed, int end, FILE *file)
{
    char line[1024];

    printf("failed: seed %u: ", seed);
    describe(end);
    printf("  repeat it: %s %u\n", self, seed);
    rewind(file);
    for (int i = 0; i < LINES_MOST && fgets(line, sizeof line, file); i++)
        printf("    %s%s", line, strchr(line, '\n') ? "" : "\n");
}

static unsigned num_jobs(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return n < 1 ? 1 : n > JOBS_MOST ? JOBS_MOST : (unsigned)n;
}

static long run_all(unsigned first, unsigned count)
{
    struct job {
        pid_t child;
        unsigned seed;
        FILE *file;
    } jobs[JOBS_MOST] = {{0}};
    unsigned running = 0, most = num_jobs();
    long failures = 0;
    int end;

    for (unsigned seed = first; seed - first < count || running;) {
        struct job *j = jobs;
        pid_t child;

        if (running < most && seed - first < count) {
            while (j->child)
                j++;
            j->file = tmpfile();
            if (!j->file) {
                fprintf(stderr, "%s: no temporary file: %s\n", self, strerror(errno));
                exit(2);
            }
            j->seed = seed++;
            j->child = start_run(j->seed, j->file);
            running++;
            continue;
        }
        child = wait(&end);
        while (j->child != child)
            j++;
        if (end != 0) {
            failures++;
            report(j->seed, end, j->file);
        }
        fclose(j->file);
        j->child = 0;
        running--;
    }
    return failures;
}

static int run_one(unsigned seed)
{
    int end;

    weather_draw(&weather, seed);
    weather_print(&weather, seed);
    (void)waitpid(start_run(seed, NULL), &end, 0);
    if (end)
        describe(end);
    return end != 0;
}

static void row(const char *name, uint64_t value)
{
    printf("%-26s %12" PRIu64 "\n", name, value);
}

static void print_sums(void)
{
    const struct program_log *l = &sums->log;
    const struct ws_stats *s = &sums->stats;

    row("runs", (uint64_t)sums->runs);
    row("points", sums->points);
    row("threads", sums->threads);
    row("starts and stops", (uint64_t)sums->starts);
    row("starts refused", (uint64_t)sums->refused);
    row("programs", (uint64_t)sums->programs);
    row("nodes", (uint64_t)l->ran);
    row("spawns", (uint64_t)l->spawns);
    row("steals", s->steals);
    row("failed attempts", s->steals_failed);
    row("exposures answered", s->exposures_answered);
    row("exposures forced", s->exposures_forced);
    row("suspensions", s->suspensions);
    row("parks", s->parks);
    row("wakes", s->wakes);
    row("detached, with a group", (uint64_t)l->submits);
    row("detached, alone", (uint64_t)l->strays_done);
    row("waits", s->waits);
    row("yields", s->yields);
    row("blocking sections", s->blockings);
    row("pins", (uint64_t)l->pins);
    row("roots of other threads", (uint64_t)l->callers);
    row("overflows", s->overflows);
    row("global takes", s->global_takes);
    row("parts of loops", s->splits);
    row("cancelled", s->cancelled);
}

static unsigned number(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || n > 100000000) {
        fprintf(stderr, "%s: %s: expected a number up to 100000000\n", self, text);
        exit(2);
    }
    return (unsigned)n;
}

int main(int argc, char **argv)
{
    unsigned first;
    long failures;

    self = argv[0];
    if (argc > 2 && strcmp(argv[1], "-x") == 0) {
        program_spoilt = number(argv[2]);
        argv += 2, argc -= 2;
    }
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: %s [-x SEED] FIRST COUNT | SEED\n", self);
        return 2;
    }
    sums = mmap(NULL, sizeof *sums, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sums == MAP_FAILED) {
        fprintf(stderr, "%s: no memory\n", self);
        return 2;
    }
    first = number(argv[1]);
    failures = argc == 2 ? run_one(first) : run_all(first, number(argv[2]));
    print_sums();
    if (argc == 3)
        printf("%ld of %u seeds fail\n", failures, number(argv[2]));
    return failures != 0;
}
