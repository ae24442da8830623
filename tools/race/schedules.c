/* SPDX-License-Identifier: MIT */
/* wsfj-race --schedules N: a serial run, then a run for each seed, which must have the same output and exit status. */
#define _GNU_SOURCE
#include "command.h"
#include "outcome.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60 };

/** A number of decimal digits alone, or one line. */
uint64_t number_of(const char *what, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    unsigned long long n;

    errno = 0;
    n = text ? strtoull(text, &end, 10) : 0;
    if (!text || text[0] < '0' || text[0] > '9' || *end || errno || n < least || n > most)
        die("%s%s%s: expected a number from %llu to %llu", what, text ? " " : "", text ? text : "",
            (unsigned long long)least, (unsigned long long)most);
    return n;
}

/* The same addresses in each run: what a program does may depend on them. If the system refuses, they differ. */
static void same_addresses(void)
{
    const int now = personality(0xffffffff);

    if (now >= 0)
        (void)personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* What the library cannot do: no schedule would. */
static void refuse(const struct outcome *o, const char *seed)
{
    if (WIFEXITED(o->status) && WEXITSTATUS(o->status) == BROKEN && o->said[0])
        die("seed %s: %s", seed, o->said);
}

/* The one line about a difference. */
static int differs(char **program, const char *seed, const char *how)
{
    char command[1000] = "";
    size_t n = 0;

    for (; *program && n < sizeof command; program++)
        n += (size_t)snprintf(command + n, sizeof command - n, " %s", *program);
    say("seed %s: %s; wsfj-race --seed %s%s replays it", seed, how, seed, command);
    return FOUND;
}

/* The serial run, twice: a program that differs by itself cannot be compared. */
static void run_serially(struct outcome *serial, char **program, unsigned seconds)
{
    char text[1000], started[128];
    struct outcome again;

    (void)snprintf(started, sizeof started, "%s/started", temporary_folder());
    (void)setenv("WSFJ_RACE_STARTED", started, 1);
    outcome_of(serial, program, "serial", seconds, SIZE_MAX, 1);
    (void)unsetenv("WSFJ_RACE_STARTED");
    if (serial->is_late)
        die("the serial run has not ended after %u s: WSFJ_RACE_LIMIT=SECONDS allows more", seconds);
    if (access(started, F_OK) != 0)
        die("%s: not compiled and linked by `wsfj-race cc`, or its libwsfj-race is too old: it has no schedules",
            program[0]);
    if (WIFEXITED(serial->status) && WEXITSTATUS(serial->status) == BROKEN) {
        temporary_folder_end();
        exit(BROKEN);
    }
    outcome_of(&again, program, "serial", seconds, SIZE_MAX, 0);
    if (outcome_differs(&again, serial, text, sizeof text))
        die("two serial runs differ, so schedules cannot be compared with them: the second one: %s", text);
    free(again.out);
}

int run_schedules(char **program, uint64_t n, uint64_t first)
{
    const char *limit = getenv("WSFJ_RACE_LIMIT");
    const unsigned seconds =
        limit && *limit ? (unsigned)number_of("WSFJ_RACE_LIMIT", limit, 1, 1000000) : (unsigned)SECONDS;
    struct outcome serial, o;
    char seed[32], text[1000];

    same_addresses();
    run_serially(&serial, program, seconds);
    for (uint64_t i = 0; i < n; i++) {
        (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)(first + i));
        outcome_of(&o, program, seed, seconds, serial.n_kept + 4096, 0);
        refuse(&o, seed);
        if (outcome_differs(&o, &serial, text, sizeof text))
            return differs(program, seed, text);
        free(o.out);
    }
    say("%llu schedule%s: each had the output and the exit status of the serial run", (unsigned long long)n,
        n == 1 ? "" : "s");
    free(serial.out);
    return 0;
}

int run_seed(char **program, uint64_t seed)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    same_addresses();
    if (setenv("WSFJ_RACE_SCHEDULE", text, 1) != 0)
        die("no memory");
    (void)execvp(program[0], program);
    die("%s cannot be run: %s", program[0], strerror(errno));
}
