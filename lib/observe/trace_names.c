/* SPDX-License-Identifier: MIT */
#include "observe/trace_names.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "signals/symbols.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define NAMES_MOST 4096

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct wsfj_trace_name *names; /* the first `count` are complete and stay as they are */
static uint32_t count;
static const struct wsfj_trace_name nameless = {.text = "task"};

bool wsfj_trace_names_start(void)
{
    void *map = wsfj_map(NAMES_MOST * sizeof *names, PROT_READ | PROT_WRITE, MAP_NORESERVE);

    if (!map)
        return false;
    names = map;
    store_release(&count, 1);
    return true;
}

void wsfj_trace_names_stop(void)
{
    store_relaxed(&count, 0);
    if (names)
        munmap(names, NAMES_MOST * sizeof *names);
    names = NULL;
}

void wsfj_trace_names_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    wsfj_symbols_forget_threads();
    wsfj_trace_names_stop();
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* A linear search will do: the table is short, and each thread caches what it has found. */
static uint32_t find_locked(const void *key)
{
    for (uint32_t i = 1; i < load_relaxed(&count); i++) {
        if (names[i].key == key)
            return i;
    }
    return 0;
}

/* The index of the key's name. Adds the name if it is new; `fill` makes it. */
static uint32_t find_or_add(const void *key, void (*fill)(struct wsfj_trace_name *name, const void *key))
{
    struct wsfj_trace_name name = {.key = key};
    uint32_t index;

    fill(&name, key); /* not under the mutex: it may read a file */
    pthread_mutex_lock(&mutex);
    index = find_locked(key);
    if (index == 0 && load_relaxed(&count) < NAMES_MOST) {
        index = load_relaxed(&count);
        names[index] = name;
        store_release(&count, index + 1); /* publishes the name to a signal handler */
    }
    pthread_mutex_unlock(&mutex);
    return index;
}

static void fill_kind(struct wsfj_trace_name *name, const void *key)
{
    const struct wsfj_kind *kind = key;

    snprintf(name->text, sizeof name->text, "%s", kind->wsfj_name);
    snprintf(name->where, sizeof name->where, "%.50s:%u", base(kind->wsfj_file), kind->wsfj_lineno);
}

static void fill_function(struct wsfj_trace_name *name, const void *key)
{
    struct wsfj_symbol symbol;

    if (!wsfj_symbol_find((uintptr_t)key, &symbol) || !symbol.object[0])
        snprintf(name->text, sizeof name->text, "%p", key);
    else if (symbol.function[0])
        snprintf(name->text, sizeof name->text, "%.95s", symbol.function);
    else /* stripped */
        snprintf(name->text, sizeof name->text, "%s+%#" PRIxPTR, symbol.object, symbol.address);
}

static void fill_text(struct wsfj_trace_name *name, const void *key)
{
    snprintf(name->text, sizeof name->text, "%s", (const char *)key);
}

uint32_t wsfj_trace_name_of_kind(const struct wsfj_kind *kind)
{
    return find_or_add(kind, fill_kind);
}

uint32_t wsfj_trace_name_of_function(void (*function)(void *))
{
    return find_or_add((const void *)(uintptr_t)function, fill_function);
}

uint32_t wsfj_trace_name_of_text(const char *text)
{
    return find_or_add(text, fill_text);
}

const struct wsfj_trace_name *wsfj_trace_name(uint32_t index)
{
    return index > 0 && index < load_acquire(&count) ? &names[index] : &nameless;
}
