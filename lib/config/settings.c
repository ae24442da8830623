/* SPDX-License-Identifier: MIT */
#include "config/settings.h"

#include "base/chaos.h"
#include "base/debug.h"
#include "base/mapping.h"
#include "config/signame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define STACK_DEFAULT ((size_t)8 << 20)
/* An idle worker searches this long before it sleeps. That is the time of about ten futex wake-ups: a short serial
 * stretch does not cost a wake-up for each worker, and the search does not show as load (bench/micro wake). */
#define SPIN_DEFAULT_NS 50000u
#define SPARES_DEFAULT 256
#define EVENTS_DEFAULT ((size_t)1 << 18) /* 6 MiB for each worker, touched as events come */
#define PENDING_DEFAULT 65536
#define PENDING_MOST ((size_t)1 << 30)

#define PLACES_SYNTAX "threads, cores, ll_caches, numa_domains, sockets, or a list like {0:4}:2:4"

struct wsfj_settings wsfj_settings;

/* Adapters from the environment variables to the parsers. */
/* clang-format off */
static bool set_workers(const char *text) { return wsfj_parse_workers(text, &wsfj_settings.num_workers); }
static bool set_places(const char *text) { return wsfj_places_parse(text, &wsfj_settings.places); }
static bool set_bind(const char *text) { return wsfj_parse_bind(text, &wsfj_settings.bind); }
static bool set_spares(const char *text) { return wsfj_parse_spares(text, &wsfj_settings.max_spares); }
static bool set_stack(const char *text) { return wsfj_parse_size(text, &wsfj_settings.stack_size); }
static bool set_wait(const char *text) { return wsfj_parse_wait(text, &wsfj_settings.spin_ns); }
static bool set_membarrier(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.membarrier); }
static bool set_cgroup(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.cgroup); }
static bool set_omp(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.omp); }
static bool set_display(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.display); }
static bool set_trace(const char *text);
static bool set_record(const char *text);
static bool set_events(const char *text) { return wsfj_parse_events(text, &wsfj_settings.trace_events); }
static bool set_stats(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.stats); }
static bool set_schedtrace(const char *text)
{
    return wsfj_parse_up_to(text, WSFJ_PERIOD_MOST_MS, &wsfj_settings.schedtrace);
}
static bool set_signal(const char *text) { return wsfj_signame_parse(text, &wsfj_settings.dump_signal); }
static bool set_watchdog(const char *text)
{
    return wsfj_parse_up_to(text, WSFJ_WATCHDOG_MOST_S, &wsfj_settings.watchdog);
}

static bool omp_workers(const char *text) { return wsfj_parse_omp_threads(text, &wsfj_settings.num_workers); }
static bool omp_stack(const char *text) { return wsfj_parse_omp_size(text, &wsfj_settings.stack_size); }
static bool omp_wait(const char *text) { return wsfj_parse_omp_wait(text, &wsfj_settings.spin_ns); }
static bool omp_display(const char *text) { return wsfj_parse_omp_display(text, &wsfj_settings.display); }
/* clang-format on */

struct variable {
    const char *name, *expected;
    bool (*set)(const char *text);
};

static const struct {
    struct variable own, omp;
    const char *instead; /* the default, in words: used instead of an invalid value */
} variables[WSFJ_SETTINGS] = {
    [WSFJ_SET_WORKERS] = {{"WSFJ_NUM_WORKERS", "1 to 4096, cores or threads", set_workers},
                          {"OMP_NUM_THREADS", "numbers from 1 to 4096", omp_workers},
                          "one worker for each CPU allowed"},
    [WSFJ_SET_PLACES] = {{"WSFJ_PLACES", PLACES_SYNTAX, set_places},
                         {"OMP_PLACES", PLACES_SYNTAX, set_places},
                         "a place for each CPU allowed"},
    [WSFJ_SET_BIND] = {{"WSFJ_BIND", "auto, close, spread, primary, none, true or false", set_bind},
                       {"OMP_PROC_BIND", "close, spread, primary, true or false", set_bind},
                       "close"},
    [WSFJ_SET_STACK] = {{"WSFJ_STACK_SIZE", "64K to 64G, with K, M or G", set_stack},
                        {"OMP_STACKSIZE", "up to 64G, with B, K, M or G", omp_stack},
                        "8M"},
    [WSFJ_SET_WAIT] = {{"WSFJ_WAIT", "active, passive or microseconds", set_wait},
                       {"OMP_WAIT_POLICY", "active or passive", omp_wait},
                       "50"},
    [WSFJ_SET_SPARES] = {{"WSFJ_SPARES", "0 to 4096", set_spares}, {0}, "256"},
    [WSFJ_SET_MEMBARRIER] = {{"WSFJ_MEMBARRIER", "0 or 1", set_membarrier}, {0}, "1"},
    [WSFJ_SET_CGROUP] = {{"WSFJ_CGROUP", "0 or 1", set_cgroup}, {0}, "1"},
    [WSFJ_SET_OMP] = {{"WSFJ_OMP", "0 or 1", set_omp}, {0}, "1 if no WSFJ_* variable says how to run"},
    [WSFJ_SET_DISPLAY] = {{"WSFJ_DISPLAY", "0 or 1", set_display},
                          {"OMP_DISPLAY_ENV", "true, false or verbose", omp_display},
                          "0"},
    [WSFJ_SET_STATS] = {{"WSFJ_STATS", "0 or 1", set_stats}, {0}, "0"},
    [WSFJ_SET_TRACE] = {{"WSFJ_TRACE", "a file name that ends in .json", set_trace}, {0}, "no trace"},
    [WSFJ_SET_TRACE_EVENTS] = {{"WSFJ_TRACE_EVENTS", "1024 to 16777216", set_events}, {0}, "262144"},
    [WSFJ_SET_RECORD] = {{"WSFJ_RECORD", "a file name", set_record}, {0}, "no record"},
    [WSFJ_SET_SCHEDTRACE] = {{"WSFJ_SCHEDTRACE", "0 to 86400000 milliseconds", set_schedtrace}, {0}, "0"},
    [WSFJ_SET_DUMP_SIGNAL] = {{"WSFJ_DUMP_SIGNAL", WSFJ_SIGNAME_EXPECTED, set_signal}, {0}, "none"},
    [WSFJ_SET_WATCHDOG] = {{"WSFJ_WATCHDOG", "0 to 86400 seconds", set_watchdog}, {0}, "0"},
};

/* Keeps a pointer into the environment, because the text may be long. A program that changes its environment must start
 * the runtime first. */
static bool set_trace(const char *text)
{
    if (!wsfj_parse_trace(text))
        return false;
    wsfj_settings.trace = text;
    return true;
}

static bool set_record(const char *text)
{
    wsfj_settings.record = text;
    return true;
}

const char *wsfj_settings_name(enum wsfj_setting setting)
{
    return variables[setting].own.name;
}

const char *wsfj_settings_origin(enum wsfj_setting setting)
{
    switch (wsfj_settings.from[setting]) {
    case WSFJ_FROM_API: return "ws_config";
    case WSFJ_FROM_ENVIRONMENT: return "environment";
    case WSFJ_FROM_OMP: return variables[setting].omp.name;
    case WSFJ_FROM_DEFAULT: break;
    }
    return "default";
}

/* Reads one variable into one setting, if it has a value. */
static void read_variable(size_t setting, const struct variable *variable, enum wsfj_origin origin)
{
    const char *text = variable->name ? secure_getenv(variable->name) : NULL;

    if (!text || !*text)
        return;
    errno = 0;
    if (variable->set(text))
        wsfj_settings.from[setting] = origin;
    else if (errno == ENOMEM)
        wsfj_say("%s: no memory for its value; using %s", variable->name, variables[setting].instead);
    else
        wsfj_say("invalid value %s=%.80s (expected %s); using %s", variable->name, text, variable->expected,
                 variables[setting].instead);
}

/* The setting that an entry of the environment, "NAME=VALUE", belongs to; WSFJ_SETTINGS: none. */
static enum wsfj_setting setting_of(const char *entry, size_t length)
{
    for (size_t i = 0; i < WSFJ_SETTINGS; i++) {
        if (strlen(variables[i].own.name) == length && strncmp(entry, variables[i].own.name, length) == 0)
            return (enum wsfj_setting)i;
    }
    return WSFJ_SETTINGS;
}

/* Variables that other code reads: the tests, the profiler, the race detector, and --enable-chaos. */
static bool is_foreign(const char *entry)
{
    static const char *const others[] = {"WSFJ_TEST_", "WSFJ_PROFILE_", "WSFJ_RACE_", "WSFJ_MPI_"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(entry, others[i], strlen(others[i])) == 0)
            return true;
    return wsfj_chaos_owns(entry);
}

/* True if a WSFJ_* variable says how to run, not only what to show, or is unknown. Warns of each unknown one. */
static bool any_own_variable(void)
{
    static const char prefix[] = "WSFJ_";
    bool any = false;

    for (char **entry = environ; !getauxval(AT_SECURE) && entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        size_t length = equals ? (size_t)(equals - *entry) : 0;
        enum wsfj_setting setting;

        if (!equals || !equals[1] || strncmp(*entry, prefix, sizeof prefix - 1) != 0 || is_foreign(*entry))
            continue;
        setting = setting_of(*entry, length);
        if (setting == WSFJ_SETTINGS)
            wsfj_say("unknown variable %.*s ignored (wsfj-info shows all)", (int)(length < 80 ? length : 80), *entry);
        any = any || setting < WSFJ_SET_OMP || setting == WSFJ_SETTINGS;
    }
    return any;
}

static void read_environment(void)
{
    bool any = any_own_variable();

    for (size_t i = 0; i < WSFJ_SETTINGS; i++)
        read_variable(i, &variables[i].own, WSFJ_FROM_ENVIRONMENT);
    if (wsfj_settings.from[WSFJ_SET_OMP] == WSFJ_FROM_DEFAULT)
        wsfj_settings.omp = !any;
    for (size_t i = 0; wsfj_settings.omp && i < WSFJ_SETTINGS; i++)
        if (wsfj_settings.from[i] == WSFJ_FROM_DEFAULT)
            read_variable(i, &variables[i].omp, WSFJ_FROM_OMP);
}

static int invalid(const char *field, long long value, const char *expected)
{
    wsfj_say("invalid value ws_config.%s = %lld (expected %s)", field, value, expected);
    return EINVAL;
}

static int check_config(const ws_config *c)
{
    if (c->size < sizeof *c)
        return invalid("size", (long long)c->size, "sizeof(ws_config), set by ws_config_default()");
    if (c->num_workers > WSFJ_WORKERS_MOST)
        return invalid("num_workers", (long long)c->num_workers, "0 to 4096");
    if ((unsigned)c->bind > WS_BIND_AUTO)
        return invalid("bind", (long long)c->bind, "one of enum ws_bind");
    if (c->stack_size && (c->stack_size < WSFJ_STACK_LEAST || c->stack_size > WSFJ_STACK_MOST))
        return invalid("stack_size", (long long)c->stack_size, "0 or 65536 to 68719476736 bytes");
    if (c->spin_us < WS_SPIN_FOREVER || c->spin_us > (long)WSFJ_SPIN_MOST_US)
        return invalid("spin_us", c->spin_us, "microseconds, WS_SPIN_DEFAULT or WS_SPIN_FOREVER");
    if (c->max_spares < WS_SPARES_DEFAULT || c->max_spares > (long)WSFJ_SPARES_MOST)
        return invalid("max_spares", c->max_spares, "0 to 4096, or WS_SPARES_DEFAULT");
    if (c->max_pending > PENDING_MOST)
        return invalid("max_pending", (long long)c->max_pending, "0 to 1073741824");
    return 0;
}

/* A value that the program has given (`said`) replaces the setting. */
#define TAKE(setting, said, field, value)                                                                              \
    do {                                                                                                               \
        if (said) {                                                                                                    \
            wsfj_settings.field = (value);                                                                             \
            wsfj_settings.from[setting] = WSFJ_FROM_API;                                                               \
        }                                                                                                              \
    } while (0)

static int read_config(const ws_config *c)
{
    int error = check_config(c);

    if (error)
        return error;
    if (c->places) {
        errno = 0;
        if (!set_places(c->places)) {
            if (errno == ENOMEM)
                return ENOMEM;
            wsfj_say("invalid value ws_config.places = %.80s (expected %s)", c->places, PLACES_SYNTAX);
            return EINVAL;
        }
        wsfj_settings.from[WSFJ_SET_PLACES] = WSFJ_FROM_API;
    }
    TAKE(WSFJ_SET_WORKERS, c->num_workers, num_workers, c->num_workers);
    TAKE(WSFJ_SET_BIND, c->bind, bind, c->bind);
    TAKE(WSFJ_SET_STACK, c->stack_size, stack_size, c->stack_size);
    TAKE(WSFJ_SET_WAIT, c->spin_us != WS_SPIN_DEFAULT, spin_ns,
         c->spin_us == WS_SPIN_FOREVER ? WSFJ_FOREVER : (uint64_t)c->spin_us * 1000u);
    TAKE(WSFJ_SET_SPARES, c->max_spares != WS_SPARES_DEFAULT, max_spares, (size_t)c->max_spares);
    wsfj_settings.max_stacks = c->max_stacks;
    wsfj_settings.poll = c->poll;
    wsfj_settings.poll_arg = c->poll_arg;
    if (c->max_pending)
        wsfj_settings.max_pending = c->max_pending;
    return 0;
}

int wsfj_settings_read(const ws_config *config)
{
    int error = 0;

    wsfj_places_free(&wsfj_settings.places);
    wsfj_settings = (struct wsfj_settings){.num_workers = WSFJ_WORKERS_THREADS,
                                           .bind = WS_BIND_CLOSE,
                                           .stack_size = STACK_DEFAULT,
                                           .spin_ns = SPIN_DEFAULT_NS,
                                           .max_pending = PENDING_DEFAULT,
                                           .max_spares = SPARES_DEFAULT,
                                           .trace_events = EVENTS_DEFAULT,
                                           .membarrier = true,
                                           .cgroup = true};
    read_environment();
    if (config)
        error = read_config(config);
    wsfj_settings.stack_size = wsfj_whole_pages(wsfj_settings.stack_size);
    return error;
}

WSFJ_EXPORT void ws_config_default(ws_config *config)
{
    *config = (ws_config){.size = sizeof *config, .spin_us = WS_SPIN_DEFAULT, .max_spares = WS_SPARES_DEFAULT};
}
