/* SPDX-License-Identifier: MIT */
/* The seed of a schedule, and what is drawn from it. */
#include "schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int race_scheduled;
const char *race_seed;
struct rates race_rates;

static uint64_t state;

/** A number from 0 to below - 1. xorshift64*, S. Vigna 2016. */
unsigned race_draw(unsigned below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (unsigned)((state * UINT64_C(0x2545f4914f6cdd1d) >> 32) * below >> 32);
}

/* The command sees so that the program has schedules. */
static void tell_command(void)
{
    const char *started = getenv("WSFJ_RACE_STARTED");

    if (started)
        (void)close(open(started, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* WSFJ_RACE_SCHEDULE: a seed, or `serial`. */
void race_by_schedule(const char *seed)
{
    static const unsigned char often[] = {0, 1, 4, 8};
    char *end = NULL;

    race_scheduled = 1;
    tell_command();
    if (strcmp(seed, "serial") == 0)
        return;
    errno = 0;
    state = strtoull(seed, &end, 10);
    if (seed[0] < '0' || seed[0] > '9' || *end || errno)
        race_die("WSFJ_RACE_SCHEDULE=%s: expected a seed, from 0 to 18446744073709551615, or `serial`", seed);
    race_seed = seed;
    state = (state + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    state ^= state >> 31;
    state |= (uint64_t)!state;
    (void)race_draw(2);
    race_rates.change_at_locks = 2u << race_draw(3);
    race_rates.between_accesses = 8u << 3 * race_draw(4);
    race_rates.child_first = often[race_draw(4)];
}
