/* SPDX-License-Identifier: MIT */
/*
 * Whichever call fails (lib/base/failpoint.h), the result is right or the documented error is returned, in time, and
 * nothing leaks. Each case is a process of its own that runs one day. Neighbours: day.c, that day; starts.c, starts alone;
 * ledger.h, the count of leaks; limits.c, the same with real shortages.
 */
#include "base/failpoint.h"

#include "../support/fib.h"
#include "../support/process.h"
#include "../unit/fakeroot.h"
#include "day.h"
#include "starts.h"
#include "stress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CALLS_PER_START DAY_WORKERS /* of pthread_create. More come when needed */
#define SEEDS COUNT(40, 10)

#ifdef WSFJ_TEST_CALM
/* Instead of the library's delays, which cost many milliseconds each on a busy machine: builds with --enable-chaos have
 * them. */
void __wrap_wsfj_chaos(void);

void __wrap_wsfj_chaos(void)
{
}
#endif

/* How a day ends: exit codes of the child; or DAY_WRONG. */
enum { UNHURT = 0, HURT = 10 };

/* The allowed effects of a failure of each kind. */
static const struct kind_of_call {
    enum wsfj_failpoint at;
    const char *name;
    const char *before; /* other rules, without which these calls are not reached */
    const char *said;   /* a text in each line on stderr; NULL: no lines are allowed */
    bool errors;        /* ws_init() and others may return ENOMEM */
    int most;           /* how many calls are tried; -1: until there are no more */
} kinds[] = {
    {WSFJ_AT_ALLOC, "alloc", "", "memory", true, -1},
    {WSFJ_AT_MMAP, "mmap", "", "memory", true, -1},
    {WSFJ_AT_STACK, "stack", "", NULL, false, 15},
    {WSFJ_AT_MPROTECT, "mprotect", "madvise:1+,", "memory", true, -1},
    {WSFJ_AT_MADVISE, "madvise", "", NULL, false, 15},
    {WSFJ_AT_THREAD, "thread", "", "be started (", false, -1},
    {WSFJ_AT_FUTEX, "futex", "", NULL, false, 15},
    {WSFJ_AT_MEMBARRIER, "membarrier", "", "membarrier() is refused", false, -1},
    {WSFJ_AT_BARRIER, "barrier", "", NULL, false, 15},
    {WSFJ_AT_MACHINE, "machine", "", NULL, false, -1},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))
#define CALLS_MOST 300 /* far more than a day has of any kind that is tried to its end */

static bool went_on_with_fewer; /* a start with fewer workers, for lack of memory */

/* The failures of a day: the n-th call fails, or all from the n-th on, or many calls of all kinds if `kind` is NULL. */
static const struct kind_of_call *kind;
static unsigned seed;

static bool is_hurt(void)
{
    uint64_t failures = 0;

    for (int i = 0; i < KINDS; i++)
        failures += !kind || kind == &kinds[i] ? wsfj_failpoint_count(kinds[i].at) : 0;
    return failures > 0;
}

static int suffer(long n)
{
    char rules[256];

    if (kind)
        snprintf(rules, sizeof rules, "%s%s:%ld%s", kind->before, kind->name, n < 0 ? -n : n, n < 0 ? "+" : "");
    else
        snprintf(rules, sizeof rules,
                 "alloc:%%3,mmap:%%5,stack:%%10,mprotect:%%20,madvise:%%20,thread:%%10,futex:%%20,"
                 "membarrier:%%20,barrier:%%20,machine:%%10");
    setenv("WSFJ_CHAOS_FAIL", rules, 1);
    if (kind && kind->at == WSFJ_AT_MACHINE && !WITHOUT_MACHINES)
        setenv("HWLOC_SYNTHETIC", "core:1 pu:1", 1); /* this machine is read when that fails */
    live_through(&(struct day){.refuses = !kind || kind->errors,
                               .is_hurt = is_hurt,
                               .refuses_once = kind && n > 0,
                               .refuses_arguments = !kind || kind->at == WSFJ_AT_ALLOC,
                               .seed = seed});
    return is_hurt() ? HURT : UNHURT;
}

/* As much of its stderr as a message of Check can hold. */
static const char *end_of(const struct outcome *o)
{
    size_t length = strlen(o->text);

    return o->text + (length > 1000 ? length - 1000 : 0);
}

static const char *line_without(const char *text, const char *part)
{
    static char line[512];

    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (!part || !strstr(line, part))
            return line;
    }
    return NULL;
}

/* The n-th call of the kind fails; all from -n on if n is negative. False if there are fewer calls. */
static bool suffer_from(const struct kind_of_call *k, long n)
{
    struct outcome o;
    const char *line;

    kind = k;
    seed = (unsigned)labs(n);
    o = in_child(suffer, n);
    ck_assert_msg(WIFEXITED(o.status) && (WEXITSTATUS(o.status) == UNHURT || WEXITSTATUS(o.status) == HURT),
                  "%s %ld: status %x, stderr: %s", k->name, n, (unsigned)o.status, end_of(&o));
    went_on_with_fewer |= strstr(o.text, "no memory for 3 workers; going on with 1") != NULL;
    line = line_without(o.text, k->said);
    ck_assert_msg(!line, "%s %ld: %s", k->name, n, line);
    ck_assert_msg(o.lines <= (n < 0 ? 100 : 1), "%s %ld: stderr: %s", k->name, n, end_of(&o));
    /* The library reports fewer workers than requested, and a lock at each sync. */
    if (WEXITSTATUS(o.status) == HURT && strcmp(k->name, "thread") == 0 && n > 0 && n <= CALLS_PER_START)
        ck_assert_msg(o.lines == 1, "thread %ld: stderr: %s", n, end_of(&o));
    if (WEXITSTATUS(o.status) == HURT && strcmp(k->name, "membarrier") == 0)
        ck_assert_msg(o.lines > 0, "membarrier %ld: stderr: nothing", n);
    return WEXITSTATUS(o.status) == HURT;
}

/* Catches: for each call that may fail, what is lost, leaked, freed twice or waited for in vain after the failure, and
 * a failure that is not reported. Even _i: only the one call; odd: all from there on. */
START_TEST(whatever_call_fails_nothing_is_wrong_lost_or_left)
{
    const struct kind_of_call *k = &kinds[_i / 2];
    long n = 1;

    while (n <= (k->most < 0 ? CALLS_MOST : k->most) && suffer_from(k, _i % 2 ? -n : n))
        n++;
    ck_assert_msg(n > 1, "%s: no call has failed", k->name);
    ck_assert_msg(k->most >= 0 || n <= CALLS_MOST, "%s: there is no end", k->name);
    ck_assert_msg(went_on_with_fewer || k->at != WSFJ_AT_ALLOC || _i % 2, "no start went on with fewer workers");
}
END_TEST

/* Catches: errors that need several failures. WSFJ_TEST_SEED=n repeats one run. */
START_TEST(whatever_calls_fail_nothing_is_wrong_lost_or_left)
{
    const char *replay = getenv("WSFJ_TEST_SEED");
    unsigned first = replay ? (unsigned)strtoul(replay, NULL, 0) : (unsigned)(now() % 1000000);

    kind = NULL;
    for (seed = first; seed < first + (replay ? 1 : SEEDS); seed++) {
        char text[16];
        struct outcome o;

        snprintf(text, sizeof text, "%u", seed);
        setenv("WSFJ_CHAOS_SEED", text, 1);
        o = in_child(suffer, 0);
        ck_assert_msg(WIFEXITED(o.status) && WEXITSTATUS(o.status) == HURT, "WSFJ_TEST_SEED=%u: status %x, stderr: %s",
                      seed, (unsigned)o.status, end_of(&o));
        ck_assert_msg(!line_without(o.text, "libwsfj: "), "WSFJ_TEST_SEED=%u: stderr: %s", seed, end_of(&o));
    }
}
END_TEST

static int start_on_one_cpu(long n)
{
    char rules[32];
    int error;

    snprintf(rules, sizeof rules, "alloc:%ld", n);
    setenv("WSFJ_CHAOS_FAIL", rules, 1);
    allow_one_cpu();
    error = ws_init(NULL);
    if (error != 0 && error != ENOMEM)
        return DAY_WRONG;
    return ws_num_workers() > 1 ? DAY_WRONG : is_hurt() ? HURT : UNHURT;
}

/* Catches: a mask that cannot be read and is taken for all CPUs. In a day the position of this call varies. */
START_TEST(no_failure_makes_more_workers_than_there_are_cpus)
{
    struct outcome o = {0};

    kind = NULL;
    for (long n = 1; n <= CALLS_MOST; n++) {
        o = in_child(start_on_one_cpu, n);
        if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == UNHURT)
            break;
        expect_exit(&o, HURT);
    }
    expect_exit(&o, UNHURT);
}
END_TEST

static int start_often(long setting)
{
    return starts_leave_something(setting, fakeroot);
}

/* Catches: what a start leaves behind with a quota, with fewer threads, without its monitor or trace; or when it is refused
 * in between. */
START_TEST(no_start_leaves_anything)
{
    struct outcome o;

    fakeroot_make();
    fakeroot_file("/proc/self/mountinfo", "30 20 0:26 / /g rw - cgroup2 x rw\n");
    fakeroot_file("/proc/self/cgroup", "0::/\n");
    fakeroot_file("/g/cpu.max", "100000 100000\n");
    o = in_child(start_often, _i);
    fakeroot_remove();
    ck_assert_msg(WIFEXITED(o.status) && WEXITSTATUS(o.status) == 0, "status %x, stderr: %s", (unsigned)o.status,
                  end_of(&o));
}
END_TEST

static int call_a_task(long unused)
{
    (void)unused;
    setenv("WSFJ_CHAOS_FAIL", "mmap:1+", 1);
    return ws_init(NULL) == ENOMEM ? (int)fib(5) : UNHURT;
}

/* Catches: a crash instead of a line where no caller could take an error. */
START_TEST(without_memory_a_task_outside_any_region_ends_the_process_with_one_line)
{
    struct outcome o = in_child(call_a_task, 0);

    expect_death(&o, SIGABRT);
    ck_assert_msg(o.lines == 2 && strstr(o.text, "no memory for a task outside ws_run()"), "stderr: %s", o.text);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("failpoints");

    tcase_add_loop_test(tcase, whatever_call_fails_nothing_is_wrong_lost_or_left, 0, 2 * KINDS);
    tcase_add_test(tcase, whatever_calls_fail_nothing_is_wrong_lost_or_left);
    tcase_add_loop_test(tcase, no_start_leaves_anything, 0, starts_settings());
    tcase_add_test(tcase, no_failure_makes_more_workers_than_there_are_cpus);
    tcase_add_test(tcase, without_memory_a_task_outside_any_region_ends_the_process_with_one_line);
    return run_case("failpoints", tcase);
}
