/* SPDX-License-Identifier: MIT */
#include "calibrate.h"

#include "arch/arch.h"
#include "costs.h"
#include "fail.h"
#include "machine.h"

#include <pthread.h>
#include <sched.h>

#define BATCH 50     /* of these passes; the fastest batch counts */
#define PASSES 10000 /* of a word from one thread to another */
#define SCANS 1000   /* of so many lines, as a thief looks at many workers */
#define LINES 64
#define MOVES 200                /* of a thread to another CPU */
#define WARM ((size_t)128 << 10) /* bytes that it has used there */

/* Two threads take turns: while `turn` is 0, it is the first one's. The second one calls work() before it ends its turn. */
static struct {
    unsigned cpu, passes;
    bool yields; /* instead of spinning: both are on one CPU */
    void (*work)(void);
    uint32_t turn __attribute__((aligned(128)));
} pass;

static void await_turn(uint32_t turn)
{
    while (__atomic_load_n(&pass.turn, __ATOMIC_ACQUIRE) != turn)
        if (pass.yields)
            sched_yield();
}

static void *second(void *unused)
{
    calibrate_bind(pass.cpu);
    for (unsigned i = 0; i < pass.passes; i++) {
        await_turn(1);
        if (pass.work)
            pass.work();
        __atomic_store_n(&pass.turn, 0, __ATOMIC_RELEASE);
    }
    return unused;
}

static void hand_over(void)
{
    __atomic_store_n(&pass.turn, 1, __ATOMIC_RELEASE);
    await_turn(0);
}

static pthread_t begin(unsigned cpu, unsigned other, unsigned passes, void (*work)(void))
{
    pthread_t thread;

    pass.cpu = other;
    pass.passes = passes;
    pass.yields = cpu == other;
    pass.work = work;
    calibrate_bind(cpu);
    if (pthread_create(&thread, NULL, second, NULL) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: no thread");
    return thread;
}

/* The nanoseconds of one hand-over. */
static uint64_t measure_pass(unsigned cpu, unsigned other)
{
    pthread_t thread = begin(cpu, other, PASSES, NULL);
    uint64_t start = wsfj_now(), best = UINT64_MAX;

    for (unsigned i = 1; i <= PASSES; i++) {
        hand_over();
        if (i % BATCH == 0) {
            uint64_t now = wsfj_now(), time = (now - start) / (2 * BATCH);

            best = time < best ? time : best;
            start = now;
        }
    }
    pthread_join(thread, NULL);
    return best;
}

static struct {
    uint64_t word __attribute__((aligned(256))); /* a processor may fetch the neighbouring line, too */
} lines[LINES];

static void change_lines(void)
{
    for (unsigned i = 0; i < LINES; i++)
        __atomic_store_n(&lines[i].word, lines[i].word + 1, __ATOMIC_RELEASE);
}

static uint64_t scan(void)
{
    uint64_t start = wsfj_now();

    for (unsigned i = 0; i < LINES; i++)
        (void)*(volatile uint64_t *)&lines[i].word;
    return wsfj_now() - start;
}

/* How much longer, in picoseconds, it takes to read a line that the other CPU has changed than a near one. */
static uint64_t measure_line(unsigned cpu, unsigned other)
{
    static uint64_t foreign[SCANS], own[SCANS];
    pthread_t thread = begin(cpu, other, SCANS, change_lines);
    uint64_t more, less;

    for (unsigned i = 0; i < SCANS; i++) {
        hand_over();
        foreign[i] = scan();
        own[i] = scan();
    }
    pthread_join(thread, NULL);
    more = calibrate_rank(foreign, SCANS, 50);
    less = calibrate_rank(own, SCANS, 50);
    return more > less ? (more - less) * 1000 / LINES : 0;
}

static char warm[WARM];

static uint64_t use(void)
{
    uint64_t start = wsfj_now();

    for (size_t i = 0; i < WARM; i += 64)
        ((volatile char *)warm)[i]++;
    return wsfj_now() - start;
}

/* A thread uses its memory, moves to the other CPU, and uses it twice: how much longer the first of the two takes. */
static uint64_t measure_move(unsigned cpu, unsigned other)
{
    static uint64_t more[MOVES];

    for (unsigned i = 0; i < MOVES; i++) {
        uint64_t cold, again;

        calibrate_bind(i % 2 ? other : cpu);
        (void)use();
        calibrate_bind(i % 2 ? cpu : other);
        cold = use();
        again = use();
        more[i] = cold > again ? cold - again : 0;
    }
    return calibrate_rank(more, MOVES, 50);
}

void calibrate_switch(FILE *file, unsigned cpu)
{
    sim_costs.change = measure_pass(cpu, cpu);
    calibrate_free();
    calibrate_say(file, "switch", "two threads take turns on CPU %u, the fastest %d of %d", cpu, BATCH, PASSES);
}

static void say(FILE *file, const char *cost, const char *tier, const char *comment, unsigned cpu, unsigned other)
{
    char name[64];

    snprintf(name, sizeof name, "%s.%s", cost, tier);
    calibrate_say(file, name, "%s CPU %u to CPU %u", comment, cpu, other);
}

void calibrate_lines(FILE *file, unsigned cpu, unsigned other)
{
    enum wsfj_tier tier = sim_machine_tier(cpu, other);

    sim_costs.attempt[tier] = measure_pass(cpu, other);
    say(file, "steal-attempt", wsfj_tier_names[tier], "a line goes from", cpu, other);
    sim_costs.line[tier] = measure_line(cpu, other);
    say(file, "line", wsfj_tier_names[tier], "each of 64 lines that are read in a row, from", other, cpu);
    sim_costs.migrate[tier] = measure_move(cpu, other);
    calibrate_free();
    say(file, "migrate", wsfj_tier_names[tier], "128 KiB after a move from", cpu, other);
}
