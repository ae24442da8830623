/* SPDX-License-Identifier: MIT */
/*
 * wsfj-start WORKERS - starts the runtime with so many workers, and stops it when all of them sleep. Prints one line:
 * the processor time of the start, the elapsed time of ws_init(), the processor time of the stop and the elapsed time of
 * ws_fini(), in milliseconds; then by how many KiB the process has grown while all workers sleep.
 *
 * wsfj-start first - prints the processor time and the elapsed time, in milliseconds, of a first empty ws_run() with two
 * workers that fall asleep soon.
 *
 * The program uses the public interface only, so LD_LIBRARY_PATH can choose another library (bench/start/run).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wsfj.h>

#define LOOK_NS 20000000 /* longer than an idle worker searches */
#define QUIET_MS 0.05    /* a process that used no more between two looks is at rest */

static double ms(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The processor time of all threads, once all of them are at rest. With many threads a reading itself takes long,
 * because the kernel adds them all up. */
static double used(void)
{
    double first, now, reading;

    do {
        first = ms(CLOCK_PROCESS_CPUTIME_ID);
        reading = ms(CLOCK_PROCESS_CPUTIME_ID) - first;
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
        now = ms(CLOCK_PROCESS_CPUTIME_ID);
    } while (now - first > QUIET_MS + 3 * reading);
    return first;
}

static long resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        exit(1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static WS_TASK_VOID(nothing)
{
}

static void check(int error)
{
    if (!error)
        return;
    fprintf(stderr, "wsfj-start: %s\n", ws_strerror(error));
    exit(1);
}

static void start_and_stop(size_t workers)
{
    double cpu[3], wall[4];
    long memory;
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    memory = resident();
    cpu[0] = ms(CLOCK_PROCESS_CPUTIME_ID);
    wall[0] = ms(CLOCK_MONOTONIC);
    check(ws_init(&config));
    wall[1] = ms(CLOCK_MONOTONIC);
    cpu[1] = used();
    memory = resident() - memory;
    wall[2] = ms(CLOCK_MONOTONIC);
    check(ws_fini());
    wall[3] = ms(CLOCK_MONOTONIC);
    cpu[2] = used();
    printf("%.3f %.3f %.3f %.3f %ld\n", cpu[1] - cpu[0], wall[1] - wall[0], cpu[2] - cpu[1], wall[3] - wall[2], memory);
}

static void first_use(void)
{
    double cpu, wall;

    setenv("WSFJ_NUM_WORKERS", "2", 1);
    setenv("WSFJ_WAIT", "passive", 1);
    cpu = ms(CLOCK_PROCESS_CPUTIME_ID);
    wall = ms(CLOCK_MONOTONIC);
    check(ws_run(nothing));
    wall = ms(CLOCK_MONOTONIC) - wall;
    printf("%.3f %.3f\n", used() - cpu, wall);
}

int main(int argc, char **argv)
{
    size_t workers = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

    if (argc == 2 && strcmp(argv[1], "first") == 0) {
        first_use();
    } else if (workers) {
        start_and_stop(workers);
    } else {
        fputs("usage: wsfj-start WORKERS|first\n", stderr);
        return 2;
    }
    return 0;
}
