/* SPDX-License-Identifier: MIT */
/*
 * The record's file. Lines are written as nodes come, through a buffer; sites and costs, which are known at the end, stand
 * there. A file without its last line is cut short.
 */
#include "base/alloc.h"
#include "base/debug.h"
#include "base/output.h"
#include "config/settings.h"
#include "profile/profile.h"
#include "profile/record.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "WSFJ_RECORD"
#define BUFFER 65536
/* For nodes that are found again: 48 MiB of words, and 8 MiB to find a million and a half of them. */
#define WORDS_MOST ((size_t)6 << 20)
#define SLOTS_LOG 21
#define SITES_MOST (((1u << WSFJ_COST_BITS) - WSFJ_COSTS_LENGTHS) / (3 * WSFJ_ENDS))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static enum { UNTRIED, OPEN, CLOSED } state;
static char *name; /* as in the environment */
static int file = -1;
static char *buffer;
static size_t filled;
static uint64_t num_lines, num_nodes, num_regions, num_posts;
static struct wsfj_node_table table;
static bool is_used[WSFJ_COSTS_LENGTHS];
static struct wsfj_cost *means;
static size_t num_means;
static struct wsfj_site *sites; /* 0: own, 1: those without memory */
static uint32_t num_sites;

static void close_locked(void)
{
    if (file >= 0)
        close(file);
    file = -1;
    free(buffer);
    buffer = NULL;
    wsfj_node_table_free(&table);
    state = CLOSED;
}

static void say_cut_short(const char *why)
{
    wsfj_say("%s=%.80s was cut short (%s)", NAME, name, why);
}

static void flush_locked(void)
{
    int error = filled ? wsfj_output_write(file, buffer, filled) : 0;

    filled = 0;
    if (!error)
        return;
    say_cut_short(wsfj_output_reason(error));
    close_locked();
}

static void put_bytes(const char *bytes, size_t n)
{
    while (n > 0 && state == OPEN) {
        size_t some = n < BUFFER - filled ? n : BUFFER - filled;

        memcpy(buffer + filled, bytes, some);
        filled += some;
        bytes += some;
        n -= some;
        if (filled == BUFFER)
            flush_locked();
    }
}

static __attribute__((format(printf, 1, 2))) void put(const char *format, ...)
{
    char text[160];
    va_list values;
    int n;

    va_start(values, format);
    n = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    put_bytes(text, (size_t)n);
}

static void end_line(void)
{
    put_bytes("\n", 1);
    num_lines++;
}

/* Text of the program's: no character of it ends a column or a line. */
static void put_text(const char *text)
{
    for (; *text; text++) {
        char c = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;

        put_bytes(&c, 1);
    }
}

/* Under the lock. */
static const char *open_file(bool is_child)
{
    const char *why = "no memory";
    char *path;

    name = strdup(wsfj_settings.record);
    buffer = wsfj_malloc(BUFFER);
    path = wsfj_profile_path(wsfj_settings.record, is_child);
    if (name && buffer && path && wsfj_node_table_init(&table, WORDS_MOST, SLOTS_LOG))
        file = wsfj_output_open(path, false, &why);
    free(path);
    return file >= 0 ? NULL : why;
}

bool wsfj_record_open(bool is_child)
{
    const char *why;
    bool is_open;

    if (!wsfj_settings.record)
        return false;
    pthread_mutex_lock(&lock);
    if (state == UNTRIED) {
        state = OPEN;
        why = open_file(is_child);
        if (why) {
            wsfj_say("%s=%.80s cannot be written (%s); nothing is recorded", NAME, wsfj_settings.record, why);
            close_locked();
        }
        put("wsfj-graph 1");
        end_line();
    }
    is_open = state == OPEN;
    pthread_mutex_unlock(&lock);
    return is_open;
}

static void put_word(uint64_t word)
{
    static const char *const names[] = {
        [WSFJ_WORD_WORK] = "work", [WSFJ_WORD_BLOCK] = "block", [WSFJ_WORD_SPAWN] = "spawn", [WSFJ_WORD_CALL] = "call",
        [WSFJ_WORD_PART] = "part", [WSFJ_WORD_LOOP] = "loop",   [WSFJ_WORD_POST] = "post",   [WSFJ_WORD_WAIT] = "wait"};
    unsigned kind = word & WSFJ_WORD_MASK;
    uint64_t value = word >> WSFJ_WORD_BITS;
    uint32_t cost = value & ((1u << WSFJ_COST_BITS) - 1);

    if ((kind == WSFJ_WORD_WORK || kind == WSFJ_WORD_BLOCK || kind == WSFJ_WORD_RUN) && cost < WSFJ_COSTS_LENGTHS)
        is_used[cost] = true;
    switch (kind) {
    case WSFJ_WORD_WORK:
    case WSFJ_WORD_BLOCK: put(" %s @%u", names[kind], cost); break;
    case WSFJ_WORD_RUN: put(" run %llu @%u", (unsigned long long)(value >> WSFJ_COST_BITS), cost); break;
    case WSFJ_WORD_YIELD: put(" yield"); break;
    case WSFJ_WORD_TIMES: put(" * %llu", (unsigned long long)value); break;
    case WSFJ_WORD_SUBMIT:
        put(" submit %llu", (unsigned long long)(value & UINT32_MAX));
        if (value >> WSFJ_NODE_BITS)
            put(" group %llu", (unsigned long long)(value >> WSFJ_NODE_BITS) - 1);
        break;
    default: put(" %s %llu", names[kind], (unsigned long long)value);
    }
}

bool wsfj_record_node(const uint64_t *words, size_t n, uint64_t *node)
{
    bool is_open;

    pthread_mutex_lock(&lock);
    is_open = state == OPEN && num_nodes <= UINT32_MAX;
    if (state == OPEN && !is_open) {
        say_cut_short("too many nodes");
        close_locked();
    }
    if (is_open) {
        *node = wsfj_node_table_find(&table, words, n, num_nodes);
        if (*node == num_nodes) {
            put("node %llu", (unsigned long long)num_nodes++);
            for (size_t i = 0; i < n; i++)
                put_word(words[i]);
            end_line();
        }
    }
    pthread_mutex_unlock(&lock);
    return is_open;
}

static uint64_t next(uint64_t *number)
{
    uint64_t result;

    pthread_mutex_lock(&lock);
    result = (*number)++;
    pthread_mutex_unlock(&lock);
    return result;
}

uint64_t wsfj_record_next_region(void)
{
    return next(&num_regions);
}

uint64_t wsfj_record_next_post(void)
{
    return next(&num_posts) + 1;
}

void wsfj_record_region(uint64_t number, uint64_t epoch, unsigned thread, uint64_t node)
{
    pthread_mutex_lock(&lock);
    if (state == OPEN) {
        put("region %llu epoch %llu thread %u node %llu", (unsigned long long)number, (unsigned long long)epoch, thread,
            (unsigned long long)node);
        end_line();
    }
    pthread_mutex_unlock(&lock);
}

void wsfj_record_posted(uint64_t post, uint64_t node, uint64_t group)
{
    pthread_mutex_lock(&lock);
    if (state == OPEN) {
        put("posted %llu node %llu", (unsigned long long)post, (unsigned long long)node);
        if (group)
            put(" group %llu", (unsigned long long)group - 1);
        end_line();
    }
    pthread_mutex_unlock(&lock);
}

static void fail_locked(const char *why)
{
    if (state != OPEN)
        return;
    flush_locked();
    if (state == OPEN)
        say_cut_short(why);
    close_locked();
}

void wsfj_record_fail(const char *why)
{
    pthread_mutex_lock(&lock);
    fail_locked(why);
    pthread_mutex_unlock(&lock);
}

void wsfj_record_costs(struct wsfj_cost *costs, size_t n)
{
    pthread_mutex_lock(&lock);
    if (n > num_means) {
        struct wsfj_cost *more = wsfj_realloc(means, n * sizeof *more);

        if (more) {
            memset(more + num_means, 0, (n - num_means) * sizeof *more);
            means = more;
            num_means = n;
        } else {
            fail_locked("no memory");
            n = num_means;
        }
    }
    for (size_t i = 0; i < n; i++) {
        means[i].sum += costs[i].sum;
        means[i].count += costs[i].count;
        costs[i] = (struct wsfj_cost){0, 0};
    }
    pthread_mutex_unlock(&lock);
}

static bool is_same(const struct wsfj_site *a, const struct wsfj_site *b)
{
    return a->wsfj_line == b->wsfj_line && strcmp(a->wsfj_task, b->wsfj_task) == 0 &&
           strcmp(a->wsfj_file, b->wsfj_file) == 0;
}

/* A copy: the code that has the site may be unloaded. 1, the sites without memory, if there is none, or too many sites. */
static uint32_t add_site(const struct wsfj_site *site)
{
    struct wsfj_site *more, copy = {NULL, NULL, site->wsfj_line};

    if (num_sites == SITES_MOST)
        return 1;
    more = num_sites & (num_sites - 1) ? sites : wsfj_realloc(sites, (num_sites ? num_sites * 2 : 1) * sizeof *more);
    if (more) {
        sites = more;
        copy.wsfj_file = strdup(site->wsfj_file);
        copy.wsfj_task = strdup(site->wsfj_task);
    }
    if (copy.wsfj_file && copy.wsfj_task) {
        sites[num_sites] = copy;
        return num_sites++;
    }
    free((char *)copy.wsfj_file);
    free((char *)copy.wsfj_task);
    return 1;
}

uint32_t wsfj_record_site(const struct wsfj_site *site)
{
    uint32_t i = 0;

    if (!wsfj_settings.record)
        return 1;
    pthread_mutex_lock(&lock);
    while (i < num_sites && !is_same(&sites[i], site))
        i++;
    if (i == num_sites)
        i = add_site(site);
    pthread_mutex_unlock(&lock);
    return i;
}

static void put_site(uint32_t i)
{
    put("site %u %u ", i, sites[i].wsfj_line);
    put_text(*sites[i].wsfj_file ? sites[i].wsfj_file : "-");
    put("\t");
    put_text(sites[i].wsfj_task);
    end_line();
}

static void put_means(double scale)
{
    static const char *const begins[] = {"child", "after", "synced"}, *const ends[] = {"spawn", "end", "sync"};

    for (size_t i = 0; i < num_means; i++) {
        if (!means[i].count)
            continue;
        put("cost %zu %.17g site %zu %s %s", WSFJ_COSTS_LENGTHS + i,
            (double)means[i].sum * scale / (double)means[i].count, i / WSFJ_ENDS / 3, begins[i / WSFJ_ENDS % 3],
            ends[i % WSFJ_ENDS]);
        end_line();
    }
}

void wsfj_record_end(double scale, bool is_unit, double work, double blocked, double span)
{
    pthread_mutex_lock(&lock);
    if (state == OPEN) {
        for (uint32_t i = 0; i < num_sites; i++)
            put_site(i);
        for (uint32_t i = 0; i < WSFJ_COSTS_LENGTHS; i++) {
            if (is_used[i]) {
                put("cost %u %.17g", i, (double)wsfj_cost_length(i) * (is_unit ? 1 : scale));
                end_line();
            }
        }
        put_means(scale);
        put("total %s work %.17g blocked %.17g span %.17g", is_unit ? "units" : "ns", work, blocked, span);
        end_line();
        put("end %llu\n", (unsigned long long)num_lines);
        flush_locked();
    }
    if (state == OPEN && close(file) != 0) /* a network file system may report a failed write only now */
        say_cut_short(wsfj_output_reason(errno));
    file = -1;
    close_locked();
    pthread_mutex_unlock(&lock);
}

void wsfj_record_missed(void)
{
    if (wsfj_settings.record)
        wsfj_say("%s=%.80s: nothing was recorded (only tasks compiled with -DWSFJ_PROFILE are)", NAME,
                 wsfj_settings.record);
}

/* The file, and what of it is in the buffer, is the parent's. */
void wsfj_record_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    close_locked();
    free(name);
    name = NULL;
    filled = 0;
    num_lines = num_nodes = num_regions = num_posts = 0;
    memset(is_used, 0, sizeof is_used);
    if (means)
        memset(means, 0, num_means * sizeof *means);
    wsfj_record_groups_forget();
    state = UNTRIED;
}

void wsfj_record_clear(void)
{
    wsfj_record_groups_forget();
    while (num_sites) {
        num_sites--;
        free((char *)sites[num_sites].wsfj_file);
        free((char *)sites[num_sites].wsfj_task);
    }
    free(sites);
    sites = NULL;
    free(means);
    means = NULL;
    num_means = 0;
    free(name);
    name = NULL;
}
