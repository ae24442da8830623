/* SPDX-License-Identifier: MIT */
/* An idle runtime sleeps: no wake-ups, no processor time. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* CPU_COUNT() */
#endif
#include "../support/fib.h"
#include "workers.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUIET_S 20

/* The kernel's counts for each worker's thread. */
struct snapshot {
    unsigned threads;
    unsigned long switches, ticks; /* summed */
};

static unsigned long number_after(const char *path, const char *key)
{
    char line[256];
    unsigned long value = 0;
    FILE *file = fopen(path, "r");

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtoul(line + strlen(key), NULL, 10);
    if (file)
        fclose(file);
    return value;
}

static unsigned long cpu_ticks(const char *path)
{
    char text[1024] = "";
    unsigned long user = 0, kernel = 0;
    FILE *file = fopen(path, "r");

    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }

    char *behind_name = strrchr(text, ')');

    if (behind_name)
        sscanf(behind_name, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user, &kernel);
    return user + kernel;
}

static struct snapshot look(void)
{
    struct snapshot s = {0, 0, 0};
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;

    ck_assert_ptr_nonnull(tasks);
    while ((entry = readdir(tasks))) {
        char path[300];

        if (*entry->d_name == '.' || atoi(entry->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);

        char name[32] = "";
        FILE *file = fopen(path, "r");

        if (!file)
            continue;
        (void)!fgets(name, sizeof name, file);
        fclose(file);
        if (strncmp(name, "wsfj-", 5) != 0)
            continue;
        s.threads += strncmp(name, "wsfj-preempt", 12) != 0; /* a busy machine may need it */
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        s.switches += number_after(path, "voluntary_ctxt_switches:");
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        s.ticks += cpu_ticks(path);
    }
    closedir(tasks);
    return s;
}

/* Catches: a worker that wakes up now and then to check, or spins for ever: it costs power, and other programs' time.
 * Workers may need a moment to fall asleep, longer on a busy machine: one quiet second must come. */
START_TEST(an_idle_runtime_does_not_wake_up)
{
    struct snapshot before, after;
    long r = 0;

    setenv("WSFJ_MEMBARRIER", _i % 2 ? "0" : "1", 1);
    start(workers[_i / 2]);
    if (_i / 2 != 2) {
        ck_assert_int_eq(ws_phase_begin(), 0);
        for (int i = 0; i < 20; i++)
            ck_assert_int_eq(ws_run(fib, &r, 10), 0); /* the caller takes the slots of searching workers */
        ck_assert_int_eq(ws_phase_end(), 0);
        ck_assert_int_eq(ws_run(fib, &r, 18), 0);
    }
    for (int seconds = 0;; seconds++) {
        before = look();
        sleep(1);
        after = look();
        if (after.switches == before.switches && after.ticks == before.ticks)
            break;
        ck_assert_msg(seconds < QUIET_S, "%lu voluntary switches, %lu ticks in a second",
                      after.switches - before.switches, after.ticks - before.ticks);
    }
    ck_assert_uint_eq(after.threads, workers[_i / 2]);
    ck_assert_int_eq(ws_fini(), 0);
    for (int i = 0; look().threads > 0 && i < 1000; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL); /* a joined thread may be listed for a moment longer */
    ck_assert_uint_eq(look().threads, 0);
}
END_TEST

/* Catches: workers beyond the number of CPUs that search at the start and take a CPU from the others; a worker that begins
 * asleep and is never woken. */
START_TEST(workers_beyond_the_cpus_begin_asleep)
{
    enum { MORE = 5 };
    struct ws_stats stats = {.size = sizeof stats};
    cpu_set_t mask;
    size_t cpus;
    long r = 0;

    ck_assert_int_eq(sched_getaffinity(0, sizeof mask, &mask), 0);
    cpus = (size_t)CPU_COUNT(&mask);
    start(cpus + MORE);
    while (ws_stats_worker(0, &stats) == 0 && stats.parks == 0)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    for (size_t i = cpus; i < cpus + MORE; i++) {
        ck_assert_int_eq(ws_stats_worker(i, &stats), 0);
        ck_assert_uint_eq(stats.searches, 0);
        ck_assert_uint_eq(stats.parks, 1);
    }
    ck_assert_int_eq(ws_phase_begin(), 0); /* wakes all */
    for (size_t i = cpus; i < cpus + MORE; i++)
        do
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        while (ws_stats_worker(i, &stats) == 0 && stats.searches == 0);
    ck_assert_int_eq(ws_run(fib, &r, 18), 0);
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("idle");

    tcase_add_loop_test(tcase, an_idle_runtime_does_not_wake_up, 0, 2 * WORKERS);
    tcase_add_test(tcase, workers_beyond_the_cpus_begin_asleep);
    return run_case("idle", tcase);
}
