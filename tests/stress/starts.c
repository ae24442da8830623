/* SPDX-License-Identifier: MIT */
#include "starts.h"

#include "base/failpoint.h"
#include "idle/cpu_limit.h"

#include "../support/fib.h"
#include "../support/resources.h"
#include "day.h"
#include "ledger.h"
#include "stress.h"

#include <stdio.h>
#include <stdlib.h>

#define CALLS_MOST 200 /* far more than a start has of any kind */

/* With all of them there would be fewer ways: a refused monitor has no trace to stop. */
static const struct {
    const char *name, *value, *other_name, *other_value;
} settings[] = {
    {"WSFJ_NUM_WORKERS", "3", "WSFJ_PLACES", "cores"},
    {"WSFJ_NUM_WORKERS", "3", "WSFJ_MEMBARRIER", "0"},
    {"WSFJ_WATCHDOG", "1000", "WSFJ_NUM_WORKERS", "2"},
    {"WSFJ_DUMP_SIGNAL", "USR1", "WSFJ_SCHEDTRACE", "1000000"},
    {"WSFJ_TRACE", "trace.json", "WSFJ_TRACE_EVENTS", "1024"},
    {"WSFJ_TRACE", "nowhere/trace.json", "WSFJ_NUM_WORKERS", "2"},
    {"WSFJ_STATS", "1", "WSFJ_DISPLAY", "1"},
    {"WSFJ_CGROUP", "1", "WSFJ_DISPLAY", "0"}, /* the quota of one CPU */
};
#define SETTINGS ((int)(sizeof settings / sizeof *settings))

static const char *const kinds[WSFJ_FAILPOINTS] = {
    [WSFJ_AT_ALLOC] = "alloc",           [WSFJ_AT_MMAP] = "mmap",
    [WSFJ_AT_MPROTECT] = "mprotect",     [WSFJ_AT_THREAD] = "thread",
    [WSFJ_AT_MEMBARRIER] = "membarrier", [WSFJ_AT_MACHINE] = "machine",
};

struct account {
    long blocks, mappings, threads;
    int files;
};

static struct account read_account(void)
{
    return (struct account){ledger_blocks(), ledger_mappings(), ledger_threads(), count_files()};
}

/* A start that may be refused, work, and a stop. False if the result is wrong, or there is no stop. */
static bool start_and_stop(const char *rules)
{
    long result = 144;

    setenv("WSFJ_CHAOS_FAIL", rules, 1);
    wsfj_failpoint_forget();
    if (ws_init(NULL) == 0 && ws_run(fib, &result, 12L) != 0)
        return false;
    return ws_fini() == 0 && result == 144;
}

/* False, with a line, if something is wrong or stays. */
static bool start_leaves_nothing(const char *setting, const char *rules, struct account before)
{
    bool right = start_and_stop(rules);
    struct account after = read_account();

    if (!right)
        fprintf(stderr, "%s, %s: a wrong result, or no stop\n", setting, rules);
    if (after.blocks == before.blocks && after.mappings == before.mappings && after.threads == before.threads &&
        after.files == before.files)
        return right;
    fprintf(stderr, "%s, %s: left %ld blocks, %ld mappings, %ld threads, %d files\n", setting, rules,
            after.blocks - before.blocks, after.mappings - before.mappings, after.threads - before.threads,
            after.files - before.files);
    return false;
}

/* The n-th call of the kind fails, for each n that a start has. */
static bool no_failure_leaves_anything(const char *setting, enum wsfj_failpoint kind, struct account before)
{
    char rules[64];

    for (int n = 1; n <= CALLS_MOST; n++) {
        /* Guards are made with mprotect. */
        snprintf(rules, sizeof rules, "%s%s:%d", kind == WSFJ_AT_MPROTECT ? "madvise:1+," : "", kinds[kind], n);
        if (!start_leaves_nothing(setting, rules, before))
            return false;
        if (wsfj_failpoint_count(kind) == 0)
            return true;
    }
    fprintf(stderr, "%s, %s: there is no end\n", setting, rules);
    return false;
}

int starts_settings(void)
{
    return SETTINGS;
}

int starts_leave_something(long i, const char *root)
{
    struct account before;

    setenv(settings[i].name, settings[i].value, 1);
    setenv(settings[i].other_name, settings[i].other_value, 1);
    setenv("WSFJ_WAIT", "0", 1);
    wsfj_cpu_limit_root = root;
    if (chdir(root) != 0) /* for traces */
        return DAY_WRONG;
    (void)fib(5L); /* outside any region: this thread keeps the deque, as it keeps its signal stack */
    for (int round = 0; round < 2; round++)
        (void)start_and_stop("");
    before = read_account();
    if (!start_leaves_nothing(settings[i].name, "", before))
        return DAY_WRONG;
    for (int kind = 0; kind < WSFJ_FAILPOINTS; kind++)
        if (kinds[kind] && !no_failure_leaves_anything(settings[i].name, (enum wsfj_failpoint)kind, before))
            return DAY_WRONG;
    return 0;
}
