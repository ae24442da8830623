/* SPDX-License-Identifier: MIT */
/* For cpus.sh: threads without tasks, on virtual CPUs. The engine is called as the library does through the prelude. */
#include <wsfj/sim.h>

#include "calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

void sim_cpu_quota(uint64_t quota, uint64_t period); /* tools/sim/cpu.h */

static struct engine_site site = {"threads", "join", "thread", "threads.c", 0, NULL, 0, 0};
static uint64_t ended[8];
static __thread int local;

static void must(int holds, const char *what, uint64_t value)
{
    if (!holds) {
        printf("%s: %ju\n", what, (uintmax_t)value);
        exit(1);
    }
}

static void *works(void *number)
{
    sim_work(100 * MS);
    ended[(size_t)number] = sim_time();
    return NULL;
}

static void run(unsigned n, void *(*function)(void *))
{
    pthread_t thread[8];

    for (size_t i = 0; i < n; i++)
        (void)engine_create(&thread[i], NULL, function, (void *)i);
    for (unsigned i = 0; i < n; i++)
        (void)engine_join(&site, thread[i]);
}

static void between(uint64_t low, uint64_t value, uint64_t high, const char *what)
{
    must(low <= value && value <= high, what, value);
}

/* 4 threads of 100 ms on 2 CPUs: slices let all end at about 200 ms. */
static void share(void)
{
    run(4, works);
    for (unsigned i = 0; i < 4; i++)
        between(180 * MS, ended[i], 206 * MS, "a thread's end");
}

static void *short_work(void *number)
{
    sim_work(number ? 1 * MS : 100 * MS);
    ended[(size_t)number] = sim_time();
    return NULL;
}

/* A short thread does not wait for the end of a long one. */
static void slices(void)
{
    run(2, short_work);
    between(1 * MS, ended[1], 10 * MS, "the end of the short thread");
    between(101 * MS, ended[0], 104 * MS, "the end of the long thread");
}

/* A CPU that becomes idle takes a thread from the other one's queue, whichever threads are together at first. */
static uint64_t lengths[4];

static void *works_so_long(void *number)
{
    sim_work(lengths[(size_t)number]);
    ended[(size_t)number] = sim_time();
    return NULL;
}

static void pull(void)
{
    for (unsigned other = 1; other < 4; other++) {
        uint64_t start = sim_time();

        for (unsigned i = 0; i < 4; i++)
            lengths[i] = i == 0 || i == other ? 100 * MS : 10 * MS;
        run(4, works_so_long);
        between(110 * MS, sim_time() - start, 116 * MS, "two long threads and two short ones");
    }
}

/* One CPU's worth of two: 40 of 100 ms are used after 20, and the rest after 80. */
static void quota(void)
{
    lengths[0] = 20 * MS;
    lengths[1] = 100 * MS;
    run(2, works_so_long);
    between(20 * MS, ended[0], 21 * MS, "the end of the first thread");
    between(119 * MS, ended[1], 121 * MS, "the end of the second thread");
}

static void bind_to(unsigned cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    must(engine_mask_set(0, sizeof set, &set) == 0, "a mask is refused", cpu);
}

static void *bound(void *number)
{
    cpu_set_t set;

    bind_to(1);
    must(engine_cpu() == 1, "a bound thread is on CPU", (uint64_t)engine_cpu());
    must(engine_mask_get(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1, "its mask", (uint64_t)CPU_COUNT(&set));
    return works(number);
}

/* Two threads that may only use one of two CPUs take turns there; the other one is idle. */
static void mask(void)
{
    cpu_set_t none;

    run(2, bound);
    between(195 * MS, ended[ended[0] < ended[1]], 206 * MS, "the last end");
    CPU_ZERO(&none);
    must(engine_mask_set(0, sizeof none, &none) == -1 && errno == EINVAL, "an empty mask", (uint64_t)errno);
    must(engine_mask_set(4711, sizeof none, &none) == -1 && errno == ESRCH, "nobody's mask", (uint64_t)errno);
}

/* A thread that is moved pays for its cache, once. */
static void moved(void)
{
    uint64_t start;

    bind_to(0);
    start = sim_time();
    bind_to(1);
    between(1000, sim_time() - start, 1 * MS, "a move");
    start = sim_time();
    bind_to(1);
    between(0, sim_time() - start, 999, "no move");
}

/* A sleeper needs no CPU. */
static void *sleeps(void *number)
{
    (void)number;
    (void)engine_sleep(&(struct timespec){0, 100000000}, NULL);
    return NULL;
}

static void sleep_all(void)
{
    run(8, sleeps);
    between(100 * MS, sim_time(), 103 * MS, "8 sleepers");
}

static void *writes(void *number)
{
    local = errno = (int)(size_t)number;
    sim_work(10 * MS);
    must(local == (int)(size_t)number, "a thread-local variable", (uint64_t)local);
    must(errno == (int)(size_t)number, "errno", (uint64_t)errno);
    return NULL;
}

static void locals(void)
{
    local = 47;
    run(5, writes);
    must(local == 47, "main's variable", (uint64_t)local);
}

WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2) {
        sim_work(10000);
        return n;
    }
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static void *runs(void *number)
{
    long result = 0;

    must(ws_run(fib, &result, 10 + (long)(size_t)number) == 0, "ws_run()", 0);
    must(result == (number ? 89 : 55), "its result", (uint64_t)result);
    return NULL;
}

/* Two threads of the program call ws_run() at once, and the runtime starts and stops again and again. */
static void cycles(void)
{
    for (unsigned i = 0; i < 20; i++) {
        must(ws_init(NULL) == 0, "ws_init()", i);
        run(2, runs);
        must(ws_fini() == 0, "ws_fini()", i);
    }
    between(11 * MS, sim_time(), 40 * MS, "20 cycles");
}

static void *works_long(void *unused)
{
    sim_work(2500 * MS);
    return unused;
}

/* The library reads quota and masks of the virtual machine once a second, while it searches for work. */
static void follow(void)
{
    pthread_t thread;
    long result;

    must(ws_init(NULL) == 0, "ws_init()", 0);
    (void)ws_run(fib, &result, 5);
    sim_cpu_quota(300 * MS, 100 * MS);
    (void)engine_create(&thread, NULL, works_long, NULL);
    (void)engine_join(&site, thread);
    (void)ws_run(fib, &result, 12);
    must(ws_fini() == 0, "ws_fini()", 0);
}

/* What threads have told each other: a word beyond all that was told before. */
static uint64_t shared[64] __attribute__((aligned(64)));
static uint64_t *const word = &shared[32];

static uint64_t cost_of(enum engine_access access)
{
    uint64_t begin = sim_time();

    engine_line(word, access);
    sim_work(1);
    return sim_time() - begin - 1;
}

static void *uses_line(void *number)
{
    if (!number) {
        between(0, cost_of(ENGINE_CHANGE), 0, "a line that nobody has");
        sim_work(3 * MS);
        between(1000, cost_of(ENGINE_CHANGE), 1000, "a change of a line that another one has read");
        between(0, cost_of(ENGINE_CHANGE), 0, "the next change");
    } else {
        sim_work(1 * MS);
        between(1000, cost_of(ENGINE_LOAD), 1000, "a read of a line that another one has changed");
        between(0, cost_of(ENGINE_LOAD), 0, "the next read");
        sim_work(3 * MS);
        between(0, cost_of(ENGINE_STORE), 0, "a store");
        between(0, cost_of(ENGINE_CHANGE), 0, "a change after a store");
    }
    return NULL;
}

/* With `line.machine 1 us` on two CPUs. */
static void lines(void)
{
    run(2, uses_line);
}

int sim_main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"share", share},   {"slices", slices}, {"pull", pull},       {"quota", quota},
               {"mask", mask},     {"moved", moved},   {"sleep", sleep_all}, {"locals", locals},
               {"cycles", cycles}, {"follow", follow}, {"lines", lines}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0) {
            all[i].run();
            return 0;
        }
    }
    return 2;
}
