/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "day.h"

#include "../support/fib.h"
#include "../random/tasks.h"
#include "../random/ways.h"
#include "ledger.h"
#include "stress.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIB_N 14L
#define ITEMS 3000
#define TASKS 40L
#define THREADS 3
#define SIZE_BITS 9
#define ATTEMPTS 5

static const struct day *day;

static void complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    _exit(DAY_WRONG);
}

/* True if there was no error; reports errors that are not allowed. */
static bool went_well(const char *what, int error)
{
    if (error && (error != ENOMEM || !day->refuses || !day->is_hurt()))
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

/* Leaves long enough for a thief to request, to force, and for another thief to fall asleep meanwhile. */
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

/* Arguments and results of all sizes, children pending at the return, loops. */
static void run_program(void)
{
    struct node root = root_of(day->seed, SIZE_BITS);
    struct place place;
    long nodes = 0;
    uint64_t expected = serial_value(root, &nodes);

    program_log->ran = program_log->wrong = 0;
    if (!went_well("program", program_run(root, open_for(&place, root))))
        return;
    way_settle();
    if (program_log->wrong && day->refuses_arguments)
        return; /* a ws_run() inside the program found no room for its arguments, and reported it */
    expect("value of the program", value_of(&place) == expected, 1);
    expect("nodes of the program", program_log->ran, nodes);
    expect("wrong copies", program_log->wrong, 0);
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

/* After a refusal the other values are not tried: each would be another start. */
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
    nanosleep(&(struct timespec){0, 2000000}, NULL); /* all workers fall asleep */
    compute_fib();
    expect("stop", ws_fini(), 0);
    expect("threads left", ledger_threads(), 0);
}

/* One failure costs at most one start. */
static void start_explicitly(void)
{
    ws_config config;
    int attempts = day->refuses_once ? 2 : ATTEMPTS;

    ws_config_default(&config);
    config.num_workers = DAY_WORKERS;
    config.places = "{0:1024}"; /* one place; the list grows several times */
    while (attempts > 0 && !went_well("start", ws_init(&config)))
        attempts--;
    if (day->refuses_once)
        expect("attempts to start", attempts > 0, 1);
}

void allow_one_cpu(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu() % CPU_SETSIZE, &one);
    expect("sched_setaffinity", sched_setaffinity(0, sizeof one, &one), 0);
}

/* Three starts: explicit, by ws_run(), and by a submitted task with one CPU. */
void live_through(const struct day *d)
{
    long blocks = ledger_blocks(), mappings = ledger_mappings();

    day = d;
    program_may = 0;
    setenv("WSFJ_NUM_WORKERS", "3", 1);
    setenv("WSFJ_WAIT", "20", 1);
    start_explicitly();
    work_and_stop();
    setenv("WSFJ_PLACES", "cores", 1);
    work_and_stop();
    setenv("WSFJ_PLACES", "threads", 1);
    unsetenv("WSFJ_NUM_WORKERS");
    allow_one_cpu();
    (void)went_well("submit", ws_submit(detached, NULL));
    expect("more workers than CPUs", ws_num_workers() > 1, 0);
    work_and_stop();
    if (!day->refuses)
        expect("fib outside", fib(FIB_N), serial_fib(FIB_N)); /* its deque is kept for the next call */
    if (ledger_mappings() != mappings) {
        expect("mappings left", ledger_mappings(), mappings + 1);
        blocks++; /* its header */
    }
    expect("blocks left", ledger_blocks(), blocks);
    expect("anything taken", ledger_taken() > 0, 1);
}
