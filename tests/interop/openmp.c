/* SPDX-License-Identifier: MIT */
/*
 * OpenMP and libwsfj in one process, in all the ways that doc/runtimes.md says work. Prints the errors; the exit status
 * is the number of ways that failed.
 */
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wsfj.h>

#include "../support/fib_task.h"

#ifdef __clang__
static const bool has_libomp = true;
#else
static const bool has_libomp = false;
#endif

#define TEAM 3
#define REPEATS 50

/* 1 if ws_run() fails. */
static int wrong_run(void)
{
    long r = -1;

    return ws_run(fib, &r, 15) != 0 || r != 610 || ws_worker_id() != -1;
}

/* Every thread of a team is a foreign thread. */
static int run_inside_a_parallel_region(void)
{
    int wrong = 0, team = 0;

    for (int i = 0; i < REPEATS; i++) {
#pragma omp parallel num_threads(TEAM) reduction(+ : wrong)
        {
            int thread = omp_get_thread_num();

            wrong += wrong_run();
            wrong += thread != omp_get_thread_num();
#pragma omp single
            team = omp_get_num_threads();
        }
    }
    return wrong + (team != TEAM);
}

static WS_LOOP(count, long, i, unsigned char *, hits)
{
    (void)__atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
}

static WS_LOOP_STATIC(count_slices, long, i, unsigned char *, hits)
{
    (void)__atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
}

static WS_REDUCE(long, 0, WS_ADD, sum_of, long, i, unsigned char *, hits)
{
    return hits[i] * i;
}

/* All threads of a team run loops over the same elements, and one loop each over its own. */
static int loops_inside_a_parallel_region(void)
{
    enum { EACH = 20000, ALL = EACH * (TEAM + 1) };
    static unsigned char hits[ALL];
    int wrong = 0;

    for (int i = 0; i < REPEATS; i++) {
        memset(hits, 0, sizeof hits);
#pragma omp parallel num_threads(TEAM) reduction(+ : wrong)
        {
            long from = (long)EACH * (omp_get_thread_num() + 1), sum = -1;

            wrong += ws_for(count, 0, EACH, hits) != 0 || ws_for(count_slices, from, from + EACH, hits) != 0;
            wrong += ws_for(sum_of, &sum, from, from + EACH, hits) != 0 || sum != (2 * from + EACH - 1) * EACH / 2;
        }
        for (long k = 0; k < ALL; k++)
            wrong += hits[k] != (k < EACH ? TEAM : 1);
    }
    return wrong;
}

static int run_inside_openmp_tasks(void)
{
    int wrong = 0;

#pragma omp parallel num_threads(TEAM)
#pragma omp single
    for (int i = 0; i < 10 * REPEATS; i++) {
#pragma omp task shared(wrong)
        {
            int one = wrong_run();

#pragma omp atomic
            wrong += one;
        }
    }
    return wrong;
}

/* The sum of 0 to n - 1, by a team that this thread leads. Each thread of the team needs some stack. */
static long team_sum(long n)
{
    long sum = 0;

#pragma omp parallel for num_threads(TEAM) reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        volatile char room[64 << 10];

        room[i % 60000] = 1;
        sum += i * room[i % 60000];
    }
    return sum;
}

static WS_TASK(int, opens_teams, long, depth)
{
    int below = 0, here;

    if (depth == 0)
        return team_sum(200) != 19900;
    ws_spawn(opens_teams, &below, depth - 1);
    here = ws_call(opens_teams, depth - 1);
    here += team_sum(100) != 4950;
    ws_sync();
    here += team_sum(100) != 4950; /* perhaps on another thread, which leads a team of its own */
    return below + here;
}

static int teams_inside_tasks(void)
{
    int wrong = -1;

    return ws_run(opens_teams, &wrong, 6) != 0 || wrong;
}

static bool stop;

static void *runs(void *wrong)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        *(int *)wrong += wrong_run();
    return NULL;
}

static int both_at_once(void)
{
    pthread_t thread;
    int other = 0, wrong = 0;

    stop = false;
    if (pthread_create(&thread, NULL, runs, &other) != 0)
        return 1;
    for (int i = 0; i < REPEATS; i++)
        wrong += team_sum(1000) != 499500;
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    return wrong + other;
}

static int threads_of_process(void)
{
    DIR *dir = opendir("/proc/self/task");
    int n = 0;

    if (!dir)
        return -1;
    for (struct dirent *entry; (entry = readdir(dir));)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

/* libgomp ends the teams that workers led when they end; the team of this thread stays. clang's libomp keeps threads
 * for later. */
static int teams_end_with_their_workers(void)
{
    int n = 0;

    if (ws_fini() != 0 || ws_num_workers() != 0)
        return 1;
    if (has_libomp)
        return 0;
    for (int i = 0; i < 5000; i++) { /* a thread may be listed a moment longer */
        n = threads_of_process();
        if (n <= TEAM)
            return 0;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    printf("%d threads are left\n", n);
    return 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*wrong)(void);
    } ways[] = {
        {"ws_run() inside a parallel region", run_inside_a_parallel_region},
        {"loops inside a parallel region", loops_inside_a_parallel_region},
        {"ws_run() inside OpenMP tasks", run_inside_openmp_tasks},
        {"parallel regions inside tasks", teams_inside_tasks},
        {"both at once, from two threads", both_at_once},
        {"the workers' teams end with them", teams_end_with_their_workers},
        {"a second start", run_inside_a_parallel_region},
    };
    int failed = 0;
    ws_config config;

    ws_config_default(&config);
    config.num_workers = argc > 1 && strcmp(argv[1], "small") == 0 ? 2 : 3;
    if (config.num_workers == 2)
        config.stack_size = 128 << 10; /* a team's leader runs on the task's stack */
    failed += ws_init(&config) != 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int wrong = ways[i].wrong();

        if (wrong)
            printf("%s: %d wrong\n", ways[i].name, wrong);
        failed += wrong != 0;
    }
    return failed;
}
