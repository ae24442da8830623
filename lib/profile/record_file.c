/* SPDX-License-Identifier: MIT */
/*
 * The record's file. Lines are written as nodes come, through a buffer; sites (record_site.c) and costs (record_cost.c),
 * which are known at the end, stand there. A file without its last line is cut short.
 */
#include "base/alloc.h"
#include "base/debug.h"
#include "base/output.h"
#include "config/settings.h"
#include "profile/profile.h"
#include "profile/record_file.h"

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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static enum { UNTRIED, OPEN, CLOSED } state;
static char *name; /* as in the environment */
static int file = -1;
static char *buffer;
static size_t filled;
static uint64_t num_lines, num_nodes, num_regions, num_posts;
static struct wsfj_node_table table;

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

void wsfj_record_print(const char *format, ...)
{
    char text[160];
    va_list values;
    int n;

    va_start(values, format);
    n = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    put_bytes(text, (size_t)n);
}

void wsfj_record_end_line(void)
{
    put_bytes("\n", 1);
    num_lines++;
}

void wsfj_record_print_text(const char *text)
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
        wsfj_record_print("wsfj-graph 1");
        wsfj_record_end_line();
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

    if (kind == WSFJ_WORD_WORK || kind == WSFJ_WORD_BLOCK || kind == WSFJ_WORD_RUN)
        wsfj_record_cost_is_used(cost);
    switch (kind) {
    case WSFJ_WORD_WORK:
    case WSFJ_WORD_BLOCK: wsfj_record_print(" %s @%u", names[kind], cost); break;
    case WSFJ_WORD_RUN: wsfj_record_print(" run %llu @%u", (unsigned long long)(value >> WSFJ_COST_BITS), cost); break;
    case WSFJ_WORD_YIELD: wsfj_record_print(" yield"); break;
    case WSFJ_WORD_TIMES: wsfj_record_print(" * %llu", (unsigned long long)value); break;
    case WSFJ_WORD_SUBMIT:
        wsfj_record_print(" submit %llu", (unsigned long long)(value & UINT32_MAX));
        if (value >> WSFJ_NODE_BITS)
            wsfj_record_print(" group %llu", (unsigned long long)(value >> WSFJ_NODE_BITS));
        break;
    default: wsfj_record_print(" %s %llu", names[kind], (unsigned long long)value);
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
            wsfj_record_print("node %llu", (unsigned long long)num_nodes++);
            for (size_t i = 0; i < n; i++)
                put_word(words[i]);
            wsfj_record_end_line();
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

void wsfj_record_region(uint64_t number, uint64_t epoch, unsigned thread, bool in_phase, uint64_t node)
{
    pthread_mutex_lock(&lock);
    if (state == OPEN) {
        wsfj_record_print("region %llu epoch %llu thread %u node %llu%s", (unsigned long long)number,
                          (unsigned long long)epoch, thread, (unsigned long long)node, in_phase ? " phase" : "");
        wsfj_record_end_line();
    }
    pthread_mutex_unlock(&lock);
}

void wsfj_record_posted(uint64_t post, uint64_t node, uint64_t group)
{
    pthread_mutex_lock(&lock);
    if (state == OPEN) {
        wsfj_record_print("posted %llu node %llu", (unsigned long long)post, (unsigned long long)node);
        if (group)
            wsfj_record_print(" group %llu", (unsigned long long)group);
        wsfj_record_end_line();
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
    if (state == OPEN && !wsfj_record_add_means(costs, n))
        fail_locked("no memory");
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < n; i++)
        costs[i] = (struct wsfj_cost){0, 0};
}

void wsfj_record_end(double scale, bool is_unit, double work, double blocked, double span)
{
    pthread_mutex_lock(&lock);
    if (state == OPEN) {
        wsfj_record_print_sites();
        wsfj_record_print_costs(scale, is_unit);
        wsfj_record_print("total %s work %.17g blocked %.17g span %.17g", is_unit ? "units" : "ns", work, blocked, span);
        wsfj_record_end_line();
        wsfj_record_print("end %llu\n", (unsigned long long)num_lines);
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
    wsfj_record_costs_forget();
    wsfj_record_sites_forget();
    state = UNTRIED;
}

void wsfj_record_clear(void)
{
    wsfj_record_sites_clear();
    wsfj_record_costs_clear();
    free(name);
    name = NULL;
}
