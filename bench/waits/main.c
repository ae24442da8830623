/* SPDX-License-Identifier: MIT */
/* wsfj-waits MEASUREMENT [N [SECONDS]] - what thousands of tasks that wait take: see waits.h. `run` makes tables of it. */
#include "waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <wsfj.h>

void waits_check(const char *what, int error)
{
    if (!error)
        return;
    fprintf(stderr, "wsfj-waits: %s: %s\n", what, strerror(error));
    exit(1);
}

double waits_cpu(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

double waits_status(const char *key)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    double value = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtod(line + strlen(key), NULL);
    if (file)
        fclose(file);
    return value;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? strtol(argv[2], NULL, 10) : 1, seconds = argc > 3 ? strtol(argv[3], NULL, 10) : 10;

    if (argc > 4 || n < 1 || n > 1000000 || seconds < 1 || seconds > 3600)
        what = "";
    if (strcmp(what, "many") == 0)
        waits_many((size_t)n);
    else if (strcmp(what, "timers") == 0)
        waits_timers((size_t)n);
    else if (strcmp(what, "idle") == 0)
        waits_idle((size_t)n, (int)seconds);
    else if (strcmp(what, "echo") == 0)
        waits_echo(0);
    else if (strcmp(what, "echo-fib") == 0)
        waits_echo(1);
    else
        return fprintf(stderr, "usage: wsfj-waits many|timers N, idle N [SECONDS], or echo|echo-fib\n"), 2;
    return 0;
}
