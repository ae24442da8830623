/* SPDX-License-Identifier: MIT */
#include "setup.h"

#include "../../random/compare.h"
#include "../../random/ways.h"
#include "../../stress/stress.h"

#include <stdio.h>

#define POLLS_PER_STRAY 64

static int stop_polling;

/* The program's own source of work: it seldom has some. */
static int poll_source(void *argument)
{
    static unsigned calls;

    (void)argument;
    if (__atomic_load_n(&stop_polling, __ATOMIC_ACQUIRE))
        return 0;
    return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % POLLS_PER_STRAY == 0 && way_send_stray();
}

/* Few workers are more frequent, because most of the work is done there. */
static size_t draw_workers(struct node group)
{
    static const unsigned most[] = {1, 2, 2, 3, 4, 8, 16, WORKERS_MOST};

    return 1 + pick(group, 33, most[pick(group, 32, sizeof most / sizeof *most)]);
}

/* Searchers that never sleep take processors from workers with tasks: few workers only. */
static long draw_spin(struct node group, size_t workers)
{
    static const long us[] = {WS_SPIN_DEFAULT, WS_SPIN_DEFAULT, WS_SPIN_DEFAULT, 0, 1, 20, 500, WS_SPIN_FOREVER};
    long drawn = us[pick(group, 34, sizeof us / sizeof *us)];

    return drawn == WS_SPIN_FOREVER && workers > 3 ? WS_SPIN_DEFAULT : drawn;
}

/* Few stacks only with small programs, since a task that waits may have to call others on its own stack. */
static void draw_stacks(struct setup *s, struct node group)
{
    static const size_t sizes[] = {0, 0, (size_t)1 << 20, (size_t)4 << 20, (size_t)64 << 20};

    s->config.stack_size = sizes[pick(group, 35, sizeof sizes / sizeof *sizes)];
    if (pick(group, 36, 8))
        return;
    s->config.max_stacks = 1 + pick(group, 37, 6);
    s->config.stack_size = 0;
    s->size_bits = 9;
    s->may &= ~(unsigned)PROGRAM_HOLD;
}

void setup_draw(struct setup *s, unsigned seed)
{
    static const char *const places[] = {NULL, NULL, NULL, NULL, "threads", "cores", "sockets", "ll_caches"};
    struct node group = {.hash = mix(seed / GROUP, 3)};
    ws_config *c = &s->config;

    *s = (struct setup){.may = PROGRAM_BLOCK | PROGRAM_HOLD, .size_bits = COUNT(14, 11), .together = 1};
    ws_config_default(c);
    c->num_workers = draw_workers(group);
    c->spin_us = draw_spin(group, c->num_workers);
    draw_stacks(s, group);
    c->bind = (enum ws_bind)pick(group, 38, WS_BIND_AUTO + 1);
    c->places = places[pick(group, 41, sizeof places / sizeof *places)];
    if (pick(group, 42, 3) == 0)
        c->max_spares = (long)pick(group, 43, 4);
    if (pick(group, 44, 3) == 0)
        c->max_pending = 1 + pick(group, 45, 64);
    s->membarrier = pick(group, 46, 4);
    s->cgroup = pick(group, 47, 4);
    s->polls = pick(group, 48, 4) == 0;
    s->phase = pick(group, 49, 6) == 0 && c->num_workers <= 4;
    if (pick(group, 50, 3) == 0)
        s->together = 2 + pick(group, 51, TOGETHER - 1);
    if (pick(group, 52, 4) == 0)
        s->nap_ms = 1 + pick(group, 53, 3);
}

void setup_process(unsigned seed)
{
    static const char *const fail[] = {"", "madvise:%20,futex:%20,barrier:%20", "futex:%50,stack:%10", "barrier:%70"};
    struct node process = {.hash = mix(seed / PER_PROCESS, 4)};
    char text[16];

    if (!CHAOS)
        return;
    snprintf(text, sizeof text, "%u", seed / PER_PROCESS);
    setenv("WSFJ_CHAOS_SEED", text, 1);
    setenv("WSFJ_CHAOS_FAIL", fail[pick(process, 54, sizeof fail / sizeof *fail)], 1);
}

int setup_start(const struct setup *s)
{
    ws_config config = s->config;
    int error;

    setenv("WSFJ_MEMBARRIER", s->membarrier ? "1" : "0", 1);
    setenv("WSFJ_CGROUP", s->cgroup ? "1" : "0", 1);
    config.poll = s->polls ? poll_source : NULL;
    __atomic_store_n(&stop_polling, 0, __ATOMIC_RELEASE);
    program_may = s->may;
    error = ws_init(&config);
    return !error && s->phase ? ws_phase_begin() : error;
}

int setup_stop(const struct setup *s)
{
    int error = s->phase ? ws_phase_end() : 0;

    __atomic_store_n(&stop_polling, 1, __ATOMIC_RELEASE);
    return error ? error : program_stop();
}

void setup_print(const struct setup *s)
{
    const ws_config *c = &s->config;

    printf("workers %zu, spin %ld, stack %zu, stacks %zu, bind %d, places %s, spares %ld, "
           "pending %zu, membarrier %d, cgroup %d, poll %d, phase %d, at once %u, naps of %u ms\n",
           c->num_workers, c->spin_us, c->stack_size, c->max_stacks, (int)c->bind, c->places ? c->places : "-",
           c->max_spares, c->max_pending, s->membarrier, s->cgroup, s->polls, s->phase, s->together, s->nap_ms);
}
