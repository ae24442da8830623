/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include "debug.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Far more workers than processors are allowed; a million would only be a mistake. */
#define WORKERS_MOST 4096
#define STACK_DEFAULT ((size_t)8 << 20)
#define STACK_LEAST ((size_t)64 << 10) /* AVX-512 and SVE signal frames take several KiB */
#define STACK_MOST ((size_t)64 << 30)
/* An idle worker searches this long before it sleeps: about ten futex wake-ups, so that a short serial stretch does not
 * cost one each, and little enough not to show as load (bench/micro wake). */
#define PENDING_DEFAULT 65536
#define PENDING_MOST ((size_t)1 << 30)
#define SPIN_DEFAULT_NS 50000u
#define SPIN_MOST_US 1000000000u

struct wsfj_settings wsfj_settings;

/* A whole decimal number, nothing before or behind it. */
static bool parse_number(const char *text, uint64_t *value, const char **end)
{
    char *stop;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &stop, 10);
    if (errno)
        return false;
    *value = n;
    *end = stop;
    return true;
}

bool wsfj_parse_workers(const char *text, size_t *value)
{
    uint64_t n;
    const char *end;

    if (strcmp(text, "cores") == 0) {
        *value = WSFJ_WORKERS_CORES;
        return true;
    }
    if (strcmp(text, "threads") == 0) {
        *value = WSFJ_WORKERS_THREADS;
        return true;
    }
    if (!parse_number(text, &n, &end) || *end || n < 1 || n > WORKERS_MOST)
        return false;
    *value = (size_t)n;
    return true;
}

bool wsfj_parse_bind(const char *text, enum ws_bind *value)
{
    static const struct {
        const char *text;
        enum ws_bind value;
    } known[] = {{"close", WS_BIND_CLOSE}, {"spread", WS_BIND_SPREAD}, {"none", WS_BIND_NONE}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(text, known[i].text) == 0) {
            *value = known[i].value;
            return true;
        }
    }
    return false;
}

bool wsfj_parse_size(const char *text, size_t *value)
{
    uint64_t n;
    const char *end;
    unsigned shift = 0;

    if (!parse_number(text, &n, &end))
        return false;
    switch (toupper((unsigned char)*end)) {
    case 'G':
        shift += 10; /* fall through */
    case 'M':
        shift += 10; /* fall through */
    case 'K':
        shift += 10;
        end++;
        break;
    case 'B':
        end++;
        break;
    default:
        break;
    }
    if (*end || n > STACK_MOST >> shift || n << shift < STACK_LEAST)
        return false;
    *value = (size_t)(n << shift);
    return true;
}

bool wsfj_parse_wait(const char *text, uint64_t *ns)
{
    uint64_t us;
    const char *end;

    if (strcmp(text, "active") == 0) {
        *ns = WSFJ_FOREVER;
        return true;
    }
    if (strcmp(text, "passive") == 0) {
        *ns = 0;
        return true;
    }
    if (!parse_number(text, &us, &end) || *end || us > SPIN_MOST_US)
        return false;
    *ns = us * 1000u;
    return true;
}

bool wsfj_parse_flag(const char *text, bool *value)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return false;
    *value = *text == '1';
    return true;
}

/* Every environment variable: what it may be, and the parser's adapter. */
static bool set_workers(const char *text) { return wsfj_parse_workers(text, &wsfj_settings.num_workers); }
static bool set_bind(const char *text) { return wsfj_settings.bind_asked = wsfj_parse_bind(text, &wsfj_settings.bind); }
static bool set_stack(const char *text) { return wsfj_parse_size(text, &wsfj_settings.stack_size); }
static bool set_wait(const char *text) { return wsfj_parse_wait(text, &wsfj_settings.spin_ns); }
static bool set_membarrier(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.membarrier); }
static bool set_cgroup(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.cgroup); }
static bool set_display(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.display); }
static bool set_stats(const char *text) { return wsfj_parse_flag(text, &wsfj_settings.stats); }

static const struct {
    const char *name, *expected, *instead;
    bool (*set)(const char *text);
} variables[] = {
    {"WSFJ_NUM_WORKERS", "1 to 4096, cores or threads", "one worker for each CPU allowed", set_workers},
    {"WSFJ_BIND", "close, spread or none", "close", set_bind},
    {"WSFJ_STACK_SIZE", "64K to 64G, with K, M or G", "8M", set_stack},
    {"WSFJ_WAIT", "active, passive or microseconds", "50", set_wait},
    {"WSFJ_MEMBARRIER", "0 or 1", "1", set_membarrier},
    {"WSFJ_CGROUP", "0 or 1", "1", set_cgroup},
    {"WSFJ_DISPLAY", "0 or 1", "0", set_display},
    {"WSFJ_STATS", "0 or 1", "0", set_stats},
};

static int impossible(const char *field, long long value, const char *expected)
{
    wsfj_say("ws_config.%s = %lld is impossible: expected %s", field, value, expected);
    return EINVAL;
}

static int read_config(const ws_config *c)
{
    if (c->size < sizeof *c)
        return impossible("size", (long long)c->size, "sizeof(ws_config), set by ws_config_default()");
    if (c->num_workers > WORKERS_MOST)
        return impossible("num_workers", (long long)c->num_workers, "0 to 4096");
    if ((unsigned)c->bind > WS_BIND_NONE)
        return impossible("bind", (long long)c->bind, "one of enum ws_bind");
    if (c->stack_size && (c->stack_size < STACK_LEAST || c->stack_size > STACK_MOST))
        return impossible("stack_size", (long long)c->stack_size, "0 or 65536 to 68719476736 bytes");
    if (c->spin_us < WS_SPIN_FOREVER || c->spin_us > (long)SPIN_MOST_US)
        return impossible("spin_us", c->spin_us, "microseconds, WS_SPIN_DEFAULT or WS_SPIN_FOREVER");
    if (c->max_pending > PENDING_MOST)
        return impossible("max_pending", (long long)c->max_pending, "0 to 1073741824");
    if (c->num_workers)
        wsfj_settings.num_workers = c->num_workers;
    if (c->bind)
        wsfj_settings.bind = c->bind;
    wsfj_settings.bind_asked |= c->bind != WS_BIND_DEFAULT;
    if (c->stack_size)
        wsfj_settings.stack_size = c->stack_size;
    if (c->spin_us != WS_SPIN_DEFAULT)
        wsfj_settings.spin_ns = c->spin_us == WS_SPIN_FOREVER ? WSFJ_FOREVER : (uint64_t)c->spin_us * 1000u;
    wsfj_settings.max_stacks = c->max_stacks;
    if (c->max_pending)
        wsfj_settings.max_pending = c->max_pending;
    return 0;
}

int wsfj_settings_read(const ws_config *config)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int error = 0;

    wsfj_settings = (struct wsfj_settings){.num_workers = WSFJ_WORKERS_THREADS,
                                           .bind = WS_BIND_CLOSE,
                                           .stack_size = STACK_DEFAULT,
                                           .spin_ns = SPIN_DEFAULT_NS,
                                           .max_pending = PENDING_DEFAULT,
                                           .membarrier = true,
                                           .cgroup = true};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = secure_getenv(variables[i].name);

        if (text && *text && !variables[i].set(text))
            wsfj_say("%s=%.80s makes no sense (expected %s); using %s", variables[i].name, text, variables[i].expected,
                     variables[i].instead);
    }
    if (config)
        error = read_config(config);
    wsfj_settings.stack_size = (wsfj_settings.stack_size + page - 1) / page * page;
    return error;
}

WSFJ_EXPORT void ws_config_default(ws_config *config)
{
    *config = (ws_config){.size = sizeof *config, .spin_us = WS_SPIN_DEFAULT};
}
