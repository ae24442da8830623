/* SPDX-License-Identifier: MIT */
/*
 * Lines on stderr that no other test reads whole: each is printed once, in a process of its own that prints nothing else.
 * A user who reads a line finds the setting, its value, and what happens now. Neighbours: unit/settings.c, which values
 * are valid; scope_misuse.c, leave.c, fork.c, which print lines of their own.
 */
#include "../support/folder.h"

#include "../support/fib.h"
#include "../support/process.h"
#include "../support/sanitizer.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define PLACES "threads, cores, ll_caches, numa_domains, sockets, or a list like {0:4}:2:4"

/* Values of the environment, and what is said of them. */
static const struct {
    const char *name, *value, *expected, *instead;
} variables[] = {
    {"WSFJ_NUM_WORKERS", "4097", "1 to 4096, cores or threads", "one worker for each CPU allowed"},
    {"OMP_NUM_THREADS", "none", "numbers from 1 to 4096", "one worker for each CPU allowed"},
    {"WSFJ_PLACES", "{0", PLACES, "a place for each CPU allowed"},
    {"OMP_PLACES", "here", PLACES, "a place for each CPU allowed"},
    {"WSFJ_BIND", "far", "auto, close, spread, primary, none, true or false", "close"},
    {"OMP_PROC_BIND", "far", "close, spread, primary, true or false", "close"},
    {"WSFJ_STACK_SIZE", "63K", "64K to 64G, with K, M or G", "8M"},
    {"OMP_STACKSIZE", "much", "up to 64G, with B, K, M or G", "8M"},
    {"WSFJ_WAIT", "-1", "active, passive or microseconds", "50"},
    {"OMP_WAIT_POLICY", "50", "active or passive", "50"},
    {"WSFJ_SPARES", "4097", "0 to 4096", "256"},
    {"WSFJ_MEMBARRIER", "2", "0 or 1", "1"},
    {"WSFJ_CGROUP", "yes", "0 or 1", "1"},
    {"WSFJ_OMP", "2", "0 or 1", "1 if no WSFJ_* variable says how to run"},
    {"WSFJ_DISPLAY", "verbose", "0 or 1", "0"},
    {"OMP_DISPLAY_ENV", "maybe", "true, false or verbose", "0"},
    {"WSFJ_STATS", "2", "0 or 1", "0"},
    {"WSFJ_TRACE", "run.pftrace", "a file name that ends in .json", "no trace"},
    {"WSFJ_TRACE_EVENTS", "1023", "1024 to 16777216", "262144"},
    {"WSFJ_SCHEDTRACE", "-1", "0 to 86400000 milliseconds", "0"},
    {"WSFJ_DUMP_SIGNAL", "SEGV",
     "none, or HUP, INT, QUIT, USR1, USR2, ALRM, TERM, URG, WINCH, IO, PWR, RTMIN+n, RTMAX-n, or its number", "none"},
    {"WSFJ_WATCHDOG", "86401", "0 to 86400 seconds", "0"},
};
#define VARIABLES ((int)(sizeof variables / sizeof *variables))

static WS_TASK_VOID(nothing)
{
}

static int run_with(long which)
{
    setenv(variables[which].name, variables[which].value, 1);
    return ws_run(nothing);
}

/* Catches: a line that names another variable, value, range or default than those of this start. */
START_TEST(an_invalid_variable_is_told)
{
    struct outcome o = in_child(run_with, _i);
    char line[400];

    snprintf(line, sizeof line, "libwsfj: invalid value %s=%s (expected %s); using %s\n", variables[_i].name,
             variables[_i].value, variables[_i].expected, variables[_i].instead);
    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, line);
}
END_TEST

/* Fields of ws_config, each with a value that is refused. */
static const struct {
    size_t offset, size;
    long long value;
    const char *name, *expected;
} fields[] = {
#define FIELD(name, value, expected)                                                                                   \
    {                                                                                                                  \
        offsetof(ws_config, name), sizeof((ws_config){.size = 0}).name, value, #name, expected                         \
    }
    FIELD(size, 1, "sizeof(ws_config), set by ws_config_default()"),
    FIELD(num_workers, 4097, "0 to 4096"),
    FIELD(bind, 99, "one of enum ws_bind"),
    FIELD(stack_size, 65535, "0 or 65536 to 68719476736 bytes"),
    FIELD(spin_us, -3, "microseconds, WS_SPIN_DEFAULT or WS_SPIN_FOREVER"),
    FIELD(max_spares, 4097, "0 to 4096, or WS_SPARES_DEFAULT"),
    FIELD(max_pending, 1073741825, "0 to 1073741824"),
};
#define FIELDS ((int)(sizeof fields / sizeof *fields))

static int init_with(long which)
{
    ws_config config;
    int narrow = (int)fields[which].value;

    ws_config_default(&config);
    if (fields[which].size == sizeof narrow)
        memcpy((char *)&config + fields[which].offset, &narrow, sizeof narrow);
    else
        memcpy((char *)&config + fields[which].offset, &fields[which].value, fields[which].size);
    return ws_init(&config) != EINVAL || ws_num_workers() != 0;
}

/* Catches: the same of ws_config; a refused ws_init() that starts the runtime. */
START_TEST(an_invalid_field_is_told)
{
    struct outcome o = in_child(init_with, _i);
    char line[400];

    snprintf(line, sizeof line, "libwsfj: invalid value ws_config.%s = %lld (expected %s)\n", fields[_i].name,
             fields[_i].value, fields[_i].expected);
    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, line);
}
END_TEST

static int start_with(ws_config *config)
{
    int error = ws_init(config);

    return error ? error : ws_run(nothing);
}

static int with_places(void)
{
    ws_config config;

    ws_config_default(&config);
    config.places = "elsewhere";
    return start_with(&config) != EINVAL;
}

static int with_unknown(void)
{
    setenv("WSFJ_NUM_WORKER", "2", 1);
    return ws_run(nothing);
}

static int with_no_place(void)
{
    setenv("WSFJ_PLACES", "{16000}", 1);
    return ws_run(nothing);
}

static void limit_memory(void)
{
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 30, (rlim_t)1 << 30});
}

static int with_much_pending(void)
{
    ws_config config;

    ws_config_default(&config);
    config.max_pending = 1 << 30;
    limit_memory();
    return start_with(&config) != ENOMEM || ws_num_workers() != 0;
}

static int with_large_stacks(void)
{
    setenv("WSFJ_STACK_SIZE", "1G", 1);
    limit_memory();
    return ws_run(nothing) != ENOMEM;
}

static int with_many_events(void)
{
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    setenv("WSFJ_TRACE", folder_path("many.json"), 1);
    setenv("WSFJ_TRACE_EVENTS", "16777216", 1);
    limit_memory();
    return ws_run(nothing) || ws_fini() || access(folder_path("many.json"), F_OK) == 0;
}

static int with_a_long_name(void)
{
    static char name[5000];

    memset(name, 'x', sizeof name - 1);
    memcpy(name + sizeof name - 6, ".json", 5);
    setenv("WSFJ_TRACE", name, 1);
    return ws_run(nothing);
}

static void mark(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++)
        ws_trace_mark("mark");
}

static int with_few_events(void)
{
    ws_group group = WS_GROUP_INIT;

    setenv("WSFJ_NUM_WORKERS", "1", 1);
    setenv("WSFJ_TRACE", folder_path("few.json"), 1);
    setenv("WSFJ_TRACE_EVENTS", "1024", 1);
    if (ws_group_submit(&group, mark, NULL) || ws_group_wait(&group))
        return 1;
    while (ws_fini() != 0)
        sched_yield();
    return 0;
}

static void block(void *unused)
{
    (void)unused;
    WS_BLOCKING
    {
        nanosleep(&(struct timespec){0, 1000}, NULL);
    }
}

static void pin(void *unused)
{
    (void)unused;
    if (ws_pin() != EAGAIN)
        abort();
}

static int without_spares(ws_function *fn)
{
    ws_group group = WS_GROUP_INIT;

    setenv("WSFJ_SPARES", "0", 1);
    for (int i = 0; i < 3; i++) /* told once */
        if (ws_group_submit(&group, fn, NULL) || ws_group_wait(&group))
            return 1;
    return 0;
}

static int block_without_spares(void)
{
    return without_spares(block);
}

static int pin_without_spares(void)
{
    return without_spares(pin);
}

/* As in a container that does not allow the call. */
static int without(unsigned call)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof program / sizeof *program, program};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all))
        return EXIT_SKIPPED;
    return ws_run(nothing);
}

static int without_membarrier(void)
{
    return without(SYS_membarrier);
}

static int without_mprotect(void)
{
    int error = without(SYS_mprotect);

    return error == ENOMEM ? 0 : error ? error : 1;
}

#define L "libwsfj: "

/* What is done, and the whole of stderr, as a pattern. */
static const struct {
    int (*body)(void);
    const char *expected;
    bool limits; /* the address space */
} cases[] = {
    {with_places, L "invalid value ws_config.places = elsewhere (expected " PLACES ")\n", false},
    {with_unknown, L "unknown variable WSFJ_NUM_WORKER ignored (wsfj-info shows all)\n", false},
    {with_no_place, L "WSFJ_PLACES: none of these places has a CPU that may be used here; using each CPU\n", false},
    {with_much_pending, L "ws_config.max_pending = 1073741824: no memory for so many\n", true},
    {with_large_stacks, L "WSFJ_STACK_SIZE=1048576K: there is not even one task stack: mmap() failed (*memory)\n", true},
    {without_mprotect,
     L "WSFJ_STACK_SIZE=8192K: there is not even one task stack: mprotect() failed (Operation not permitted)\n", true},
    {with_many_events, L "WSFJ_TRACE: no memory for 16777216 events of each worker (WSFJ_TRACE_EVENTS); no trace\n",
     true},
    {with_a_long_name, L "WSFJ_TRACE=xxxxxxxxx*xxxxxxxxx: the name is too long; no trace\n", false},
    {with_few_events,
     L "WSFJ_TRACE: a worker's oldest [0-9]* events were dropped, the last 1024 are there (WSFJ_TRACE_EVENTS)\n", false},
    {block_without_spares, L "ws_blocking_begin(): no spare thread (WSFJ_SPARES=0): the worker waits with its task\n",
     false},
    {pin_without_spares, L "ws_pin(): no spare thread (WSFJ_SPARES=0): the task may resume on another thread\n", false},
    {without_membarrier,
     L "membarrier() is refused here: each sync takes a lock (WSFJ_MEMBARRIER=0 avoids the attempt)\n", false},
};
#define CASES ((int)(sizeof cases / sizeof *cases))

static int run_case_of(long which)
{
    return cases[which].body();
}

/* Catches: a line with a wrong word or number, or none, or another one besides. */
START_TEST(what_happens_is_told)
{
    struct outcome o;

    if (cases[_i].limits && (SANITIZED || emulated(NO_LIMITS)))
        return;
    folder_make();
    o = in_child(run_case_of, _i);
    if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == EXIT_SKIPPED)
        return;
    expect_exit(&o, 0);
    ck_assert_msg(fnmatch(cases[_i].expected, o.text, FNM_NOESCAPE) == 0, "said: %sexpected: %s", o.text,
                  cases[_i].expected);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("messages");

    if (folder_begin("messages") != 0)
        return EXIT_FAILURE;
    tcase_add_loop_test(tcase, an_invalid_variable_is_told, 0, VARIABLES);
    tcase_add_loop_test(tcase, an_invalid_field_is_told, 0, FIELDS);
    tcase_add_loop_test(tcase, what_happens_is_told, 0, CASES);

    int status = run_case("messages", tcase);

    folder_end();
    return status;
}
