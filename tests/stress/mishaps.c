/* SPDX-License-Identifier: MIT */
/*
 * Whatever call fails (lib/mishap.h), results are right or the documented error comes back, in time, and nothing is left
 * behind. Each case is a process of its own that lives through a day: start, work of all sorts, stop, three times over.
 * Neighbours: limits.c, the same with real shortages; ledger.h, what is left behind.
 */
#include "mishap.h"

#include "../fib.h"
#include "../process.h"
#include "../program/tasks.h"
#include "ledger.h"
#include "stress.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIB_N 14L
#define ITEMS 3000
#define TASKS 40L
#define THREADS 3
#define STARTS 3 /* of a day */
#define WORKERS 3
#define CALLS_PER_START (1 + WORKERS) /* of pthread_create: one thread reads the machine */
#define SIZE_BITS 9
#define DEADLINE_S COUNT(60, 240)
#define ATTEMPTS 5
#define SEEDS COUNT(40, 10)

/* How a day ends: exit codes of the child. */
enum { UNHURT = 0, HURT = 10, WRONG = 11 };

/* What a failure of each kind may lead to. */
static const struct kind_of_call {
    enum wsfj_mishap at;
    const char *name;
    const char *before; /* other rules without which these calls are not reached */
    const char *said;   /* what each line on stderr contains; NULL: there are none */
    bool errors;        /* ws_init() and others may return ENOMEM */
    int most;           /* so many calls are tried; -1: until there are no more */
} kinds[] = {
    {WSFJ_AT_ALLOC, "alloc", "", "memory", true, -1},
    {WSFJ_AT_MMAP, "mmap", "", "memory", true, -1},
    {WSFJ_AT_MPROTECT, "mprotect", "madvise:1+,", "memory", true, -1},
    {WSFJ_AT_MADVISE, "madvise", "", NULL, false, 15},
    {WSFJ_AT_THREAD, "thread", "", "only ", false, -1},
    {WSFJ_AT_FUTEX, "futex", "", NULL, false, 15},
    {WSFJ_AT_MEMBARRIER, "membarrier", "", "membarrier() is refused", false, -1},
    {WSFJ_AT_BARRIER, "barrier", "", NULL, false, 15},
    {WSFJ_AT_HWLOC, "hwloc", "", NULL, false, -1},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))
#define CALLS_MOST 300 /* far more than a day has of any kind that is tried to its end */

static bool went_on_with_fewer; /* any of them, for want of memory */

/* The day's troubles: the n-th call fails, or all from there on, or many of all kinds if `kind` is NULL. */
static const struct kind_of_call *kind;
static unsigned seed;

static bool is_hurt(void)
{
    uint64_t failures = 0;

    for (int i = 0; i < KINDS; i++)
        failures += !kind || kind == &kinds[i] ? wsfj_mishap_count(kinds[i].at) : 0;
    return failures > 0;
}

static void complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    _exit(WRONG);
}

/* True if there was no error; complains of those that may not be. */
static bool went_well(const char *what, int error)
{
    if (error && (error != ENOMEM || (kind && !kind->errors) || !is_hurt()))
        complain("%s: %s", what, ws_strerror(error));
    return !error;
}

static void expect(const char *what, long value, long expected)
{
    if (value != expected)
        complain("%s: %ld instead of %ld", what, value, expected);
}

static WS_TASK_VOID(sort, int *, v, long, n, int *, room)
{
    long half = n / 2, a = 0, b = half;

    if (n < 2)
        return;
    ws_spawn(sort, v, half, room);
    ws_call(sort, v + half, n - half, room + half);
    ws_sync();
    for (long i = 0; i < n; i++)
        room[i] = b == n || (a < half && v[a] <= v[b]) ? v[a++] : v[b++];
    memcpy(v, room, (size_t)n * sizeof *v);
}

static void sort_numbers(void)
{
    static int v[ITEMS], room[ITEMS];
    uint64_t state = 1;

    for (int i = 0; i < ITEMS; i++)
        v[i] = (int)draw(&state, 1000000);
    if (!went_well("sort", ws_run(sort, v, (long)ITEMS, room)))
        return;
    for (int i = 1; i < ITEMS; i++)
        expect("order", v[i - 1] <= v[i], 1);
}

static void compute_fib(void)
{
    long result = -1;

    if (went_well("fib", ws_run(fib, &result, FIB_N)))
        expect("fib", result, serial_fib(FIB_N));
}

/* Leaves that are long enough for a thief to ask, to force, and for another one to go to sleep meanwhile. */
static WS_TASK(long, long_leaves, int, n)
{
    long sum = 0, one;

    for (int i = 0; i < n; i++) {
        ws_spawn(fib, &one, 5L);
        spin(50000);
        ws_sync();
        sum += one;
    }
    return sum;
}

static void run_long_leaves(void)
{
    long sum = -1;

    if (went_well("leaves", ws_run(long_leaves, &sum, 10)))
        expect("leaves", sum, 10 * serial_fib(5));
}

/* Arguments and results of all sizes, children left behind, loops. */
static void run_program(void)
{
    struct node root = root_of(seed, SIZE_BITS);
    struct place place;
    long nodes = 0;
    uint64_t expected = serial_value(root, &nodes);

    program_ran = program_wrong = 0;
    if (!went_well("program", program_run(root, open_for(&place, root))))
        return;
    if (program_wrong && (!kind || kind->at == WSFJ_AT_ALLOC))
        return; /* a ws_run() inside the program found no room for its arguments, and said so */
    expect("value of the program", value_of(&place) == expected, 1);
    expect("nodes of the program", program_ran, nodes);
    expect("wrong copies", program_wrong, 0);
}

static long tasks_ran, tasks_refused;

static void detached(void *argument)
{
    long result = 0;

    ws_frame();
    ws_spawn(fib, &result, 6L);
    ws_sync();
    if (result == serial_fib(6) && argument)
        count((long *)argument);
}

/* After a refusal the others are not tried: each would be another start. */
static void submit_some(ws_group *group, long n)
{
    while (n > 0 && went_well("submit", ws_group_submit(group, detached, &tasks_ran)))
        n--;
    (void)__atomic_fetch_add(&tasks_refused, n, __ATOMIC_RELAXED);
}

static WS_TASK(int, submit_and_wait, long, n)
{
    ws_group group = WS_GROUP_INIT;

    submit_some(&group, n / 2);
    ws_yield();
    submit_some(&group, n - n / 2);
    return ws_group_wait(&group);
}

static void run_groups(void)
{
    ws_group group = WS_GROUP_INIT;
    int waited = 0;
    long n = TASKS;

    tasks_ran = tasks_refused = 0;
    submit_some(&group, TASKS);
    if (went_well("group", ws_run(submit_and_wait, &waited, TASKS)))
        n += TASKS;
    expect("wait inside", waited, 0);
    expect("wait outside", ws_group_wait(&group), 0);
    expect("tasks", tasks_ran + tasks_refused, n);
}

static void *run_in_thread(void *argument)
{
    compute_fib();
    compute_fib();
    return argument;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        expect("thread", pthread_create(&threads[i], NULL, run_in_thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        expect("join", pthread_join(threads[i], NULL), 0);
}

static void work_and_stop(void)
{
    compute_fib();
    sort_numbers();
    run_long_leaves();
    run_program();
    run_groups();
    run_threads();
    nanosleep(&(struct timespec){0, 2000000}, NULL); /* all fall asleep */
    compute_fib();
    expect("stop", ws_fini(), 0);
    expect("threads left", ledger_threads(), 0);
}

/* One failure costs one start at most. */
static void start_explicitly(bool once)
{
    ws_config config;
    int attempts = once ? 2 : ATTEMPTS;

    ws_config_default(&config);
    config.num_workers = WORKERS;
    config.places = "{0:1024}"; /* one place; the list grows several times */
    while (attempts > 0 && !went_well("start", ws_init(&config)))
        attempts--;
    if (once)
        expect("attempts to start", attempts > 0, 1);
}

static void allow_one_cpu(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu() % CPU_SETSIZE, &one);
    expect("sched_setaffinity", sched_setaffinity(0, sizeof one, &one), 0);
}

/* Three starts: explicit, by a run, by a task that is submitted when there is one CPU. */
static void live_through_a_day(bool once)
{
    long blocks = ledger_blocks(), mappings = ledger_mappings();

    alarm((unsigned)DEADLINE_S);
    setenv("WSFJ_NUM_WORKERS", "3", 1);
    setenv("WSFJ_WAIT", "20", 1);
    start_explicitly(once);
    work_and_stop();
    setenv("WSFJ_PLACES", "cores", 1);
    work_and_stop();
    setenv("WSFJ_PLACES", "threads", 1);
    unsetenv("WSFJ_NUM_WORKERS");
    allow_one_cpu();
    (void)went_well("submit", ws_submit(detached, NULL));
    expect("more workers than CPUs", ws_num_workers() > 1, 0);
    work_and_stop();
    if (kind && !kind->errors)
        expect("fib outside", fib(FIB_N), serial_fib(FIB_N)); /* its deque is kept for the next time */
    expect("blocks left", ledger_blocks(), blocks);
    if (ledger_mappings() != mappings)
        expect("mappings left", ledger_mappings(), mappings + 1);
    expect("anything taken", ledger_taken() > 0, 1);
}

static int suffer(long n)
{
    char rules[256];

    if (kind)
        snprintf(rules, sizeof rules, "%s%s:%ld%s", kind->before, kind->name, n < 0 ? -n : n, n < 0 ? "+" : "");
    else
        snprintf(rules, sizeof rules, "alloc:%%3,mmap:%%5,mprotect:%%20,madvise:%%20,thread:%%10,futex:%%20,"
                                      "membarrier:%%20,barrier:%%20,hwloc:%%10");
    setenv("WSFJ_CHAOS_FAIL", rules, 1);
    live_through_a_day(kind && n > 0);
    return is_hurt() ? HURT : UNHURT;
}

/* Of what it wrote to stderr, what a message of Check has room for. */
static const char *end_of(const struct outcome *o)
{
    size_t length = strlen(o->text);

    return o->text + (length > 1000 ? length - 1000 : 0);
}

static const char *line_without(const char *text, const char *part)
{
    static char line[512];

    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (!part || !strstr(line, part))
            return line;
    }
    return NULL;
}

/* The n-th call of the kind fails, and all later ones if n is negative. False if there are no so many. */
static bool suffer_from(const struct kind_of_call *k, long n)
{
    struct outcome o;
    const char *line;

    kind = k;
    seed = (unsigned)labs(n);
    o = in_child(suffer, n);
    ck_assert_msg(WIFEXITED(o.status) && (WEXITSTATUS(o.status) == UNHURT || WEXITSTATUS(o.status) == HURT),
                  "%s %ld: status %x, stderr: %s", k->name, n, (unsigned)o.status, end_of(&o));
    went_on_with_fewer |= strstr(o.text, "no memory for 3 workers; going on with 1") != NULL;
    line = line_without(o.text, k->said);
    ck_assert_msg(!line, "%s %ld: %s", k->name, n, line);
    ck_assert_msg(o.lines <= (n < 0 ? 100 : 1), "%s %ld: stderr: %s", k->name, n, end_of(&o));
    /* Fewer workers than asked for, or a lock at each sync, are told. */
    if (WEXITSTATUS(o.status) == HURT && strcmp(k->name, "thread") == 0 && n > 0)
        ck_assert_msg(o.lines == (n % CALLS_PER_START != 1), "thread %ld: stderr: %s", n, end_of(&o));
    if (WEXITSTATUS(o.status) == HURT && strcmp(k->name, "membarrier") == 0)
        ck_assert_msg(o.lines > 0, "membarrier %ld: stderr: nothing", n);
    return WEXITSTATUS(o.status) == HURT;
}

/* Catches: at each place where a call may fail, what is lost, left behind, freed twice or waited for in vain when it
 * does, and what is not told. Even _i: the one call; odd: all from there on. */
START_TEST(whatever_call_fails_nothing_is_wrong_lost_or_left)
{
    const struct kind_of_call *k = &kinds[_i / 2];
    long n = 1;

    while (n <= (k->most < 0 ? CALLS_MOST : k->most) && suffer_from(k, _i % 2 ? -n : n))
        n++;
    ck_assert_msg(n > 1, "%s: no call has failed", k->name);
    ck_assert_msg(k->most >= 0 || n <= CALLS_MOST, "%s: there is no end", k->name);
    ck_assert_msg(went_on_with_fewer || k->at != WSFJ_AT_ALLOC || _i % 2, "no start went on with fewer workers");
}
END_TEST

/* Catches: what takes several failures. WSFJ_TEST_SEED=n repeats one. */
START_TEST(whatever_calls_fail_nothing_is_wrong_lost_or_left)
{
    const char *replay = getenv("WSFJ_TEST_SEED");
    unsigned first = replay ? (unsigned)strtoul(replay, NULL, 0) : (unsigned)(now() % 1000000);

    kind = NULL;
    for (seed = first; seed < first + (replay ? 1 : SEEDS); seed++) {
        char text[16];
        struct outcome o;

        snprintf(text, sizeof text, "%u", seed);
        setenv("WSFJ_CHAOS_SEED", text, 1);
        o = in_child(suffer, 0);
        ck_assert_msg(WIFEXITED(o.status) && WEXITSTATUS(o.status) == HURT,
                      "WSFJ_TEST_SEED=%u: status %x, stderr: %s", seed, (unsigned)o.status, end_of(&o));
        ck_assert_msg(!line_without(o.text, "libwsfj: "), "WSFJ_TEST_SEED=%u: stderr: %s", seed, end_of(&o));
    }
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (!CHAOS)
        return EXIT_SKIPPED;
    tcase = new_case("mishaps");
    tcase_add_loop_test(tcase, whatever_call_fails_nothing_is_wrong_lost_or_left, 0, 2 * KINDS);
    tcase_add_test(tcase, whatever_calls_fail_nothing_is_wrong_lost_or_left);
    return run_case("mishaps", tcase);
}
