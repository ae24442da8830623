/* SPDX-License-Identifier: MIT */
#include "policy.h"

#include "base/policy.h"

#include "fail.h"
#include "join.h"
#include "options.h"
#include "others.h"

#include <stdlib.h>
#include <string.h>

struct wsfj_policy wsfj_policy = WSFJ_POLICY;
struct sim_others sim_others;

/* Joins, in the order of their words. */
static void (*const joins[])(struct wsfj_stack *own) = {NULL, sim_join_block, sim_join_leapfrog};

static void join_is(unsigned other)
{
    sim_others.join = joins[other];
}

/* Nobody takes over the tasks of a worker that sleeps, so no worker may sleep. */
static void steal_is(unsigned other)
{
    sim_others.never_steal = other;
    if (other)
        (void)setenv("WSFJ_WAIT", "active", 1);
}

static unsigned join_now(void)
{
    unsigned n = 0;

    while (joins[n] != sim_others.join)
        n++;
    return n;
}

static unsigned steal_now(void)
{
    return sim_others.never_steal;
}

#define NUMBER(field, least, most) &wsfj_policy.field, NULL, NULL, NULL, least, most
#define WORD(place, words) &place, words, NULL, NULL, 0, 0
#define FUNCTION(name, words) NULL, words, name##_is, name##_now, 0, 0
#define MANY 1000000000u

/* Either number or set. Words are separated by '|'; the first is 0. */
static const struct item {
    const char *name, *help;
    unsigned *number;
    const char *words;          /* NULL: a number from least to most */
    void (*set)(unsigned word); /* a function that is not the runtime's, unless it is the first word */
    unsigned (*get)(void);
    unsigned least, most;
} items[] = {
    {"victim", "whom to try first", WORD(sim_others.victim, "near|uniform|largest|round-robin")},
    {"waking", "which sleeper is woken", WORD(sim_others.waking, "near|random")},
    {"steal", "victim: as above; never: no stealing, no sleep; not the runtime's", FUNCTION(steal, "victim|never")},
    {"join", "block, leapfrog: a parent keeps its worker; not the runtime's", FUNCTION(join, "suspend|block|leapfrog")},
    {"join-wait", "ns that a parent waits before it is suspended", NUMBER(join_wait_ns, 0, MANY)},
    {"search-part", "one searcher for so many busy workers; 0: without cap", NUMBER(search_part, 0, 4096)},
    {"watch", "answers: a pause ends when an owner answers", WORD(wsfj_policy.watch, "nothing|answers")},
    {"pause-least", "a searcher pauses 2^this between rounds, with 2 workers", NUMBER(pause_least, 0, 16)},
    {"pause-most", "the same with many workers; pauses double up to it", NUMBER(pause_most, 0, 16)},
    {"polite-rounds", "rounds before a searcher lets other threads run", NUMBER(polite_rounds, 1, MANY)},
    {"offer-every", "from then on, once in so many rounds", NUMBER(offer_every, 1, MANY)},
    {"wake-found", "a searcher that finds work wakes so many", NUMBER(wake_found, 1, 4096)},
    {"wake-below", "new work wakes one if fewer search", NUMBER(wake_below, 1, 4096)},
    {"wake-looks", "a waker compares so many of the nearest sleepers", NUMBER(wake_looks, 1, 4096)},
    {"queue-order", "own detached tasks", WORD(sim_others.queue_lifo, "fifo|lifo")},
    {"queue-quarters", "of a run queue for a thief; 0: one task", NUMBER(queue_quarters, 0, 4)},
    {"submit", "common: detached tasks go to the global queue", WORD(sim_others.submit_common, "own|common")},
    {"common-most", "a worker takes so many of them at once; 0: its share", &sim_others.common_most, NULL, NULL, NULL,
     0, 128},
    {"common-every", "in so many dispatches the global queue is first", NUMBER(common_every, 1, MANY)},
    {"next-in-a-row", "so often run-next is first", NUMBER(next_in_a_row, 0, MANY)},
    {"steal-every", "one of so many dispatches steals", NUMBER(steal_every, 1, MANY)},
    {"room-part", "producers wake when one of so many entries is free", NUMBER(room_part, 1, 65536)},
    {"ask", "ns that a thief waits before it forces", NUMBER(ask_ns, 0, MANY)},
    {"force-pause", "ns without force after a failure; doubles", NUMBER(force_pause_ns, 0, MANY)},
    {"force-pause-most", "up to here", NUMBER(force_pause_most_ns, 0, MANY)},
    {"expose-part", "an owner exposes one of so many tasks", NUMBER(expose_part, 1, 65536)},
    {"renew", "ns between two exposures without a request", NUMBER(renew_ns, 0, MANY)},
    {"suspended-most", "suspended deques in a round", NUMBER(suspended_most, 1, MANY)},
    {"near-forgets", "one of so many rounds forgets the last victim", NUMBER(near_forgets, 1, MANY)},
    {"near-passes", "one of so many rounds passes a tier by", NUMBER(near_passes, 2, MANY)},
    {"start-draws", "most draws of where a thief begins in a tier; a worker that is awake there ends them",
     NUMBER(start_draws, 1, MANY)},
    {"recheck-blind", "ns between two looks, without membarrier", NUMBER(recheck_blind_ns, 1000, 999999999)},
};
enum { ITEMS = sizeof items / sizeof *items };

/* The word with this number. */
static const char *word(const char *words, unsigned n, size_t *length)
{
    while (n--)
        words += strcspn(words, "|") + 1;
    *length = strcspn(words, "|");
    return words;
}

/* Its number; UINT32_MAX: it is none of them. */
static unsigned number_of(const char *words, const char *text)
{
    for (unsigned n = 0;; n++) {
        size_t length;
        const char *at = word(words, n, &length);

        if (strlen(text) == length && strncmp(at, text, length) == 0)
            return n;
        if (at[length] == '\0')
            return UINT32_MAX;
    }
}

static void set(const struct item *item, const char *text)
{
    unsigned n;

    if (!item->words) {
        char option[64];

        snprintf(option, sizeof option, "policy %s", item->name);
        *item->number = (unsigned)sim_option_number(option, text, item->least, item->most);
        return;
    }
    n = number_of(item->words, text);
    if (n == UINT32_MAX)
        sim_fail(SIM_EXIT_USAGE, "--policy %s=%s: expected one of %s", item->name, text, item->words);
    if (item->number)
        *item->number = n;
    else
        item->set(n);
}

void sim_policy_set(const char *text)
{
    char *copy = sim_new(strlen(text) + 1, 1), *rest = copy, *name;

    strcpy(copy, text);
    while ((name = strsep(&rest, ","))) {
        char *value = strchr(name, '=');
        const struct item *item = items;

        if (!value || value == name || value[1] == '\0')
            sim_fail(SIM_EXIT_USAGE, "--policy %s: '%s' is not NAME=VALUE", text, name);
        *value++ = '\0';
        while (item < items + ITEMS && strcmp(item->name, name) != 0)
            item++;
        if (item == items + ITEMS)
            sim_fail(SIM_EXIT_USAGE, "--policy %s=%s: no such name (--policy-list lists them)", name, value);
        set(item, value);
    }
    free(copy);
}

/* What it is now; for a word its length, for a number `number` is the text. */
static const char *value_of(const struct item *item, char *number, size_t size, size_t *length)
{
    if (!item->words) {
        snprintf(number, size, "%u", *item->number);
        *length = strlen(number);
        return number;
    }
    return word(item->words, item->number ? *item->number : item->get(), length);
}

void sim_policy_list(FILE *file)
{
    for (const struct item *item = items; item < items + ITEMS; item++) {
        char number[16], range[32];
        size_t length;
        const char *value = value_of(item, number, sizeof number, &length);

        snprintf(range, sizeof range, "%u to %u", item->least, item->most);
        fprintf(file, "%s=%.*s%*s %-34s %s\n", item->name, (int)length, value,
                (int)(28 > strlen(item->name) + length ? 28 - strlen(item->name) - length : 0), "",
                item->words ? item->words : range, item->help);
    }
}

void sim_policy_tell(void)
{
    for (const struct item *item = items; item < items + ITEMS; item++) {
        size_t length;
        const char *value = item->set ? value_of(item, NULL, 0, &length) : NULL;

        if (item->set && item->get())
            fprintf(stderr, "wsfj-sim: %s=%.*s is not the runtime's\n", item->name, (int)length, value);
    }
}
