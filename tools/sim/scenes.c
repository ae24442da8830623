/* SPDX-License-Identifier: MIT */
#include "scenes.h"

#include "micro/micro.h"

#include <stdio.h>
#include <string.h>
#include <wsfj.h>

#define VALUES_MOST 500

static const struct scene {
    const char *name;
    micro_fn *measure;
    size_t n;
} scenes[] = {
    {"spawn", micro_spawn, 51},         {"detached", micro_detached, 301},       {"suspend", micro_suspend, 301},
    {"steal", micro_steal_public, 500}, {"answered", micro_steal_answered, 300}, {"forced", micro_steal_forced, 200},
    {"join", micro_join, 200},
};

const char *micro_start(size_t workers, long spin_us)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.spin_us = spin_us;
    return ws_init(&config) == 0 ? NULL : "ws_init failed";
}

double scene_measure(const char *name)
{
    static double values[VALUES_MOST];
    const char *why = "no such scene";

    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(name, scenes[i].name) == 0 && scenes[i].measure(values, scenes[i].n, &why) == MICRO_DONE &&
            ws_fini() == 0)
            return sample_of(values, scenes[i].n).p10;
    fprintf(stderr, "wsfj-sim: --calibrate: %s: %s\n", name, why ? why : "ws_fini() failed");
    return -1;
}
