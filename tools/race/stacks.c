/* SPDX-License-Identifier: MIT */
/*
 * Call stacks. The later access of a race has its stack when the race is found. The earlier one's is gone; a second run
 * knows from the first which accesses are asked for (WSFJ_RACE_STACKS, written with WSFJ_RACE_WANT) and keeps theirs.
 */
#define _GNU_SOURCE
#include "report.h"

#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    uint32_t time, context;
    size_t n;
    uintptr_t pcs[MOST_STACK];
};

static struct wanted *wanted;
static size_t n_wanted;
static FILE *out;

static int by_time(const void *a, const void *b)
{
    const struct wanted *x = a, *y = b;

    return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->context < y->context ? -1 : x->context > y->context;
}

static void read_wanted(const char *name)
{
    FILE *f = fopen(name, "re");
    struct wanted w = {0};

    if (!f)
        race_die("WSFJ_RACE_STACKS=%s cannot be read", name);
    while (fscanf(f, "%x:%x", &w.time, &w.context) == 2) {
        wanted = realloc(wanted, (n_wanted + 1) * sizeof *wanted);
        if (!wanted)
            race_die("no memory");
        wanted[n_wanted++] = w;
    }
    (void)fclose(f);
    if (n_wanted)
        qsort(wanted, n_wanted, sizeof *wanted, by_time);
}

void race_stacks_start(void)
{
    const char *in = getenv("WSFJ_RACE_STACKS"), *want = getenv("WSFJ_RACE_WANT");
    void *first[2];

    (void)backtrace(first, 2); /* loads what it needs */
    race_wanted_time = 0;
    if (in)
        read_wanted(in);
    if (n_wanted)
        race_wanted_time = wanted[0].time;
    if (want && !(out = fopen(want, "we")))
        race_die("WSFJ_RACE_WANT=%s cannot be written", want);
}

size_t race_stack_here(uintptr_t *pcs, size_t most)
{
    void *all[MOST_STACK + 16];
    int n = backtrace(all, MOST_STACK + 16);
    size_t kept = 0;

    for (int i = 0; i < n && kept < most; i++)
        if (!race_is_own((uintptr_t)all[i]))
            pcs[kept++] = (uintptr_t)all[i];
    return kept;
}

/** An access of a strand from which stacks are asked for. */
void race_wanted_here(uint32_t me)
{
    for (size_t i = 0; i < n_wanted; i++)
        if (wanted[i].time == race.now && wanted[i].context == me && !wanted[i].n)
            wanted[i].n = race_stack_here(wanted[i].pcs, MOST_STACK);
}

/** A strand begins behind the wanted one. */
void race_wanted_advance(void)
{
    race_wanted_time = 0;
    for (size_t i = 0; i < n_wanted; i++)
        if (wanted[i].time >= race.now) {
            race_wanted_time = wanted[i].time;
            break;
        }
}

void race_stack_want(uint32_t time, uint32_t context)
{
    if (out)
        (void)fprintf(out, "%x:%x\n", time, context);
}

size_t race_stack_of(uint32_t time, uint32_t context, const uintptr_t **pcs)
{
    for (size_t i = 0; i < n_wanted; i++)
        if (wanted[i].time == time && wanted[i].context == context) {
            *pcs = wanted[i].pcs;
            return wanted[i].n;
        }
    return 0;
}

/* Functions that a user has not written and need not see. */
static int internal(const struct place *p)
{
    static const char *const prefixes[] = {"wsfj_race", "__libc_start", "_start", "wsfj_call_detached"};

    if (!p->function)
        return !p->file;
    if (strstr(p->function, "wsfj_detail::") || strstr(p->function, "__invoke"))
        return 1;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(p->function, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

/* Whether the function's name is `task`, in C++ between namespaces and parameters. */
static int is_task(const char *function, const char *task)
{
    size_t n = strcspn(function, "("), k = strlen(task);

    return n >= k && strncmp(function + n - k, task, k) == 0 && (n == k || function[n - k - 1] == ':');
}

void race_stack_places(struct side *side, const uintptr_t *pcs, size_t n)
{
    side->n_stack = 0;
    for (size_t i = 0; i < n; i++) {
        const struct place *places;
        size_t k = race_places(pcs[i], &places);

        for (size_t j = 0; j < k && side->n_stack < MOST_STACK; j++) {
            const struct place *last = side->n_stack ? &side->stack[side->n_stack - 1] : NULL;

            if (internal(&places[j]) || (places[j].stores_result && side->n_stack) ||
                (places[j].file == NULL && side->n_stack == 0))
                continue;
            if (last && last->body > places[j].body && places[j].function && is_task(places[j].function, last->function))
                continue; /* what the macros put around the user's code */
            side->stack[side->n_stack++] = places[j];
        }
        if (side->n_stack && side->stack[side->n_stack - 1].function &&
            strcmp(side->stack[side->n_stack - 1].function, "main") == 0)
            break;
    }
}
