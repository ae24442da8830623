/* SPDX-License-Identifier: MIT */
#include "weather.h"

#include "../random/tree.h"
#include "../random/ways.h"
#include "calls.h"
#include "costs.h"
#include "cpu.h"
#include "engine.h"
#include "idle/cpu_limit.h"
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

extern char **environ;

/* The draws of one seed; `what` as for pick(). */
static struct node draws(unsigned seed)
{
    return (struct node){.hash = mix(seed, 5)};
}

static unsigned draw_workers(struct node of)
{
    static const unsigned most[] = {2, 3, 3, 4, 4, 6, 8, 8, 12, 16, 33, 64, 257};

    return 2 + pick(of, 102, most[pick(of, 101, sizeof most / sizeof *most)] - 1);
}

/* Two sockets, one; CPUs for all workers, or for few of them. */
static const char *draw_machine(struct node of)
{
    static const char *const machines[] = {
        NULL, NULL, NULL, "core:1 pu:1", "core:2 pu:1", "core:3 pu:1", "core:2 pu:2", "pack:2 numa:1 l3:2 core:2 pu:2"};

    return machines[pick(of, 103, sizeof machines / sizeof *machines)];
}

/* The calls that fail: first those that cost only time. */
static const char *draw_failures(struct node of, bool *refuses)
{
    static const char *const costly[] = {"madvise:%20,futex:%20,barrier:%20", "futex:%50,stack:%10", "barrier:%70",
                                         "stack:%60", "futex:%90"};
    static const char *const refusing[] = {"thread:%30", "alloc:%5", "mmap:%20,mprotect:%10", "thread:3+,stack:%30"};
    unsigned drawn = pick(of, 104, 16);

    *refuses = drawn < 2;
    if (drawn < 2)
        return refusing[pick(of, 105, sizeof refusing / sizeof *refusing)];
    return drawn < 8 ? costly[pick(of, 106, sizeof costly / sizeof *costly)] : "";
}

void weather_draw(struct weather *w, unsigned seed)
{
    static const unsigned one_in[] = {0, 0, 4, 20, 100, 500};
    struct node of = draws(seed);
    ws_config *c = &w->setup.config;

    *w = (struct weather){.machine = draw_machine(of)};
    setup_draw(&w->setup, seed * GROUP);
    w->setup.cgroup = true;
    c->num_workers = draw_workers(of);
    w->changes = w->machine && pick(of, 107, 3) == 0;
    if (w->changes)
        c->num_workers = 0;                                 /* as many as mask and quota allow */
    w->setup.phase = w->setup.phase && c->num_workers <= 8; /* searchers that never sleep cost the most */
    if (c->spin_us == WS_SPIN_FOREVER && c->num_workers > 8)
        c->spin_us = WS_SPIN_DEFAULT;
    w->quota = pick(of, 108, 5) ? 0 : 50 + pick(of, 109, 400);
    w->fails = draw_failures(of, &w->refuses);
    w->one_in = one_in[pick(of, 110, sizeof one_in / sizeof *one_in)];
    w->longest = 6 + pick(of, 111, 15);
    w->atomics = pick(of, 112, 2);
    w->starts = 1 + pick(of, 113, 3);
    w->programs = 1 + pick(of, 114, 4);
    if (w->setup.size_bits > 9)
        w->setup.size_bits = 9 + pick(of, 115, 3);
    if (c->max_spares == WS_SPARES_DEFAULT && w->setup.may & PROGRAM_HOLD && !strstr(w->fails, "stack"))
        w->setup.may |= PROGRAM_RELY;
    w->setup.may |= PROGRAM_PIN;
    if (w->refuses) { /* a task that waits may find no other thread */
        w->setup.may &= ~(unsigned)(PROGRAM_HOLD | PROGRAM_RELY);
        w->setup.size_bits = 9;
        c->stack_size = 0;
        c->max_spares = WS_SPARES_DEFAULT;
    }
}

static unsigned one_in, longest;

static uint64_t disturb(void)
{
    uint64_t drawn = sim_random();

    if (drawn % one_in)
        return 0;
    return drawn >> 32 & ((UINT64_C(1) << (drawn >> 20) % (longest + 1)) - 1);
}

/* A quarter to sixteen times the usual cost. */
static void scale(uint64_t *cost)
{
    *cost = (*cost << sim_random() % 7) / 4 + 1;
}

/* The same in picoseconds, from nanoseconds to nanoseconds. */
static void scale_fine(uint64_t *cost)
{
    *cost /= 1000;
    scale(cost);
    *cost *= 1000;
}

static void draw_costs(void)
{
    struct sim_costs *c = &sim_costs;
    uint64_t *before[] = {&c->pause, &c->clock, &c->lock}, *fine[] = {&c->atomic, &c->spawn},
             *after[] = {&c->futex, &c->wake_call,  &c->yield,   &c->create, &c->answered,
                         &c->asked, &c->membarrier, &c->suspend, &c->resume};
    static const uint64_t slices[] = {3 * MS, 1 * MS, 100000, 20000};

    for (unsigned i = 0; i < sizeof before / sizeof *before; i++)
        scale(before[i]);
    for (unsigned i = 0; i < sizeof fine / sizeof *fine; i++)
        scale_fine(fine[i]);
    c->rmw = c->atomic;
    for (unsigned i = 0; i < sizeof after / sizeof *after; i++)
        scale(after[i]);
    c->slice = slices[sim_random() % 4];
    c->wake.p50 = (uint64_t)100 << sim_random() % 9;
    c->wake.p90 = c->wake.p50 << sim_random() % 6;
    c->wake.p99 = c->wake.p90 << sim_random() % 6;
}

/* Settings of whoever runs the test do not count. */
static void clear_environment(void)
{
    for (char **at = environ; *at;) {
        char name[256];
        size_t length = strcspn(*at, "=");

        if (length < sizeof name && (strncmp(*at, "WSFJ_", 5) == 0 || strncmp(*at, "OMP_", 4) == 0)) {
            memcpy(name, *at, length);
            name[length] = '\0';
            unsetenv(name);
        } else {
            at++;
        }
    }
}

void weather_begin(const struct weather *w, unsigned seed)
{
    char text[16];

    clear_environment();
    snprintf(text, sizeof text, "%u", seed);
    setenv("WSFJ_CHAOS_SEED", text, 1);
    setenv("WSFJ_CHAOS_FAIL", w->fails, 1);
    sim_machine_start(w->machine, w->setup.config.num_workers ? (unsigned)w->setup.config.num_workers : 1);
    sim_costs_seed(mix(seed, 6));
    draw_costs();
    sim_cpu_quota(w->quota * MS, 100 * MS);
    if (w->atomics)
        engine_atomics_most = 1;
    one_in = w->one_in;
    longest = w->longest;
    if (one_in)
        sim_disturb = disturb;
    wsfj_cpu_limit_period = MS;
}

static volatile int stop;
static pthread_t changer;

/* One thread, or all of the process at once, to some of the CPUs. */
static void move(void)
{
    cpu_set_t some;
    unsigned cpus = sim_cpu_end(), only = (unsigned)(sim_random() % (2 * sim_num_threads));

    CPU_ZERO(&some);
    for (unsigned i = 0; i < cpus; i++)
        if (sim_random() % 2)
            CPU_SET(i, &some);
    for (unsigned i = 0; i < sim_num_threads; i++)
        if ((only >= sim_num_threads || only == i) && sim_threads[i]->state != SIM_ENDED)
            (void)engine_mask_set(SIM_PID + (pid_t)i, sizeof some, &some);
}

static void *change(void *unused)
{
    while (!stop) {
        uint64_t ns = sim_random() % (2 * MS);

        (void)engine_sleep(&(struct timespec){0, (long)ns}, NULL);
        if (sim_random() % 3)
            move();
        else
            sim_cpu_quota(sim_random() % 2 ? (50 + sim_random() % 400) * MS / 50 : 0, 2 * MS);
    }
    sim_cpu_quota(0, 0);
    return unused;
}

void weather_change(const struct weather *w)
{
    stop = 0;
    if (w->changes)
        (void)engine_create(&changer, NULL, change, NULL);
}

void weather_settle(const struct weather *w)
{
    static struct engine_site site = {"weather_settle", "join", "the changer", "weather.c", 0, NULL, 0, 0};

    stop = 1;
    if (w->changes)
        (void)engine_join(&site, changer);
}

void weather_print(const struct weather *w, unsigned seed)
{
    printf("seed %u: machine %s, fails '%s', quota %u, disturbed 1 in %u up to 2^%u ns, starts %u, programs %u, "
           "atomics %d, changes %d\n  ",
           seed, w->machine ? w->machine : "flat", w->fails, w->quota, w->one_in, w->longest, w->starts, w->programs,
           w->atomics, w->changes);
    setup_print(&w->setup);
}
