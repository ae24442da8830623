/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "../stress/stress.h"
#include "ways.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

struct program {
    struct node root;
    struct place place;
    uint64_t expected;
    int error;
    bool in_thread;
    pthread_t thread;
};

long program_spoilt = -1;

static void *run(void *argument)
{
    struct program *p = argument;

    p->error = program_run(p->root, open_for(&p->place, p->root));
    return NULL;
}

/* Without memory for another thread the caller's thread runs this program, too. */
static void run_all(struct program *programs, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        programs[i].in_thread = pthread_create(&programs[i].thread, NULL, run, &programs[i]) == 0;
    for (unsigned i = 0; i < n; i++)
        if (!programs[i].in_thread)
            (void)run(&programs[i]);
    for (unsigned i = 0; i < n; i++)
        if (programs[i].in_thread)
            pthread_join(programs[i].thread, NULL);
    way_settle();
}

const char *program_compare(unsigned first, unsigned n, unsigned size_bits)
{
    static char text[256];
    struct program programs[TOGETHER] = {0};
    struct program_log before;
    long nodes = 0;

    for (unsigned i = 0; i < n; i++) {
        programs[i].root = root_of(first + i, size_bits);
        programs[i].expected = serial_value(programs[i].root, &nodes) + (first + i == program_spoilt);
    }
    before = *program_log;
    run_all(programs, n);
    for (unsigned i = 0; i < n; i++) {
        uint64_t value = programs[i].error ? 0 : value_of(&programs[i].place);

        if (value == programs[i].expected)
            continue;
        snprintf(text, sizeof text, "seed %u: error %d, value %#llx instead of %#llx", first + i, programs[i].error,
                 (unsigned long long)value, (unsigned long long)programs[i].expected);
        return text;
    }
    if (program_log->ran - before.ran == nodes && program_log->wrong == before.wrong)
        return NULL;
    snprintf(text, sizeof text, "seed %u: %ld nodes instead of %ld, %ld copies wrong", first,
             program_log->ran - before.ran, nodes, program_log->wrong - before.wrong);
    return text;
}

int program_stop(void)
{
    int error;

    way_settle();
    while ((error = ws_fini()) == EBUSY)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    return error;
}
