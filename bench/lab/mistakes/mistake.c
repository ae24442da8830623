/* SPDX-License-Identifier: MIT */
#include "mistake.h"

#include "../work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROBES_MOST 1000

int main(int argc, char **argv)
{
    if (argc != 2 || (strcmp(argv[1], "mistake") != 0 && strcmp(argv[1], "remedy") != 0)) {
        fprintf(stderr, "Usage: %s mistake|remedy\n", argv[0]);
        return 2;
    }
    work_calibrate();
    mistake_run(strcmp(argv[1], "remedy") == 0);
    mistake_need(ws_fini() == 0, "an end of the runtime");
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void mistake_figure(const char *name, double value)
{
    printf("%s %.*f\n", name, value < 100 && value != (double)(long)value ? 2 : 0, value);
}

void mistake_need(bool held, const char *what)
{
    if (held)
        return;
    fprintf(stderr, "cannot go on without %s\n", what);
    exit(EXIT_FAILURE);
}

void mistake_start(unsigned workers)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    mistake_need(ws_init(&config) == 0, "the runtime");
}

void mistake_spin(uint64_t ns)
{
    uint64_t until = sample_now() + ns;

    while (sample_now() < until)
        ;
}

void mistake_work(double ns)
{
    work(work_turns(ns));
}

static void probe(void *arg)
{
    *(uint64_t *)arg = sample_now();
}

void mistake_probe(const char *name, unsigned n, uint64_t apart_ns)
{
    uint64_t submitted[PROBES_MOST], begun[PROBES_MOST];
    double us[PROBES_MOST];
    char text[64];
    ws_group group = WS_GROUP_INIT;

    mistake_need(n <= PROBES_MOST, "fewer probes");
    for (unsigned i = 0; i < n; i++) {
        submitted[i] = sample_now();
        mistake_need(ws_group_submit(&group, probe, &begun[i]) == 0, "a task");
        nanosleep(&(struct timespec){(time_t)(apart_ns / 1000000000u), (long)(apart_ns % 1000000000u)}, NULL);
    }
    mistake_need(ws_group_wait(&group) == 0, "an end");
    for (unsigned i = 0; i < n; i++)
        us[i] = (double)(begun[i] - submitted[i]) * 1e-3;

    struct sample s = sample_of(us, n);

    snprintf(text, sizeof text, "%s_p50_us", name);
    mistake_figure(text, s.median);
    snprintf(text, sizeof text, "%s_longest_us", name);
    mistake_figure(text, s.max);
}
