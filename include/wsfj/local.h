/* SPDX-License-Identifier: MIT */
/**
 * @file local.h
 * Data of which each worker has its own: counters, histograms, scratch memory.
 *
 * @code
 * static WS_LOCAL(struct counts, tally);
 *
 * static WS_TASK_VOID(visit, struct node *, n)
 * {
 *     struct counts *mine = ws_local(&tally);
 *     ...
 *     ws_local_each(&tally, p) { total += p->n; }
 *     ws_local_free(&tally);
 * @endcode
 *
 * Each worker has a slot of type T, made of zero bytes where the worker first asks for it, on its NUMA node, and at least
 * 128 bytes from every other slot. All other code shares one further slot, as with ws_slot(): threads outside of tasks,
 * and tasks in blocking sections. Code that uses that one from several threads needs a lock or atomics. Slots and values
 * outlive ws_fini(): worker 3 of the next runtime continues with the slot of worker 3.
 *
 * ws_local() takes 5 to 7 ns (gcc -O2, Zen 4), a load and an addition through its pointer 0.3 ns: ask once per range, not
 * in each iteration of a loop (WS_RANGE in loop.h gives the body a range).
 *
 * Which worker runs which task changes from run to run, so the slots do, too: combine them with an operation whose order
 * does not matter. What must come in the order of the serial program is returned to the parent instead. A reducer that
 * keeps the serial order over arbitrary spawns would cost every spawn, because a child runs after the code that follows
 * its spawn.
 */
#ifndef WSFJ_LOCAL_H
#define WSFJ_LOCAL_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "inline/compiler.h"

#include <stddef.h>

#if defined WSFJ_SERIAL || defined WSFJ_RACE
#include <string.h>
#endif
#ifdef WSFJ_PROFILE
#include "inline/renamed.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined WSFJ_SERIAL || defined WSFJ_RACE

/* There is one slot, and it is in the variable. */
struct wsfj_local {
    size_t wsfj_size;
    int wsfj_used;
};
#define WS_LOCAL(T, name)                                                                                              \
    struct wsfj_local_of_##name {                                                                                      \
        struct wsfj_local wsfj_slots;                                                                                  \
        union {                                                                                                        \
            char wsfj_zero;                                                                                            \
            __typeof__(T) wsfj_value;                                                                                  \
        } wsfj_slot;                                                                                                   \
        __typeof__(T) *wsfj_type;                                                                                      \
    } name = {{sizeof(T), 0}, {0}, NULL};                                                                              \
    WSFJ_LOCAL_CHECK(T, name)
#ifdef WSFJ_RACE
#define WSFJ_LOCAL_HERE(local)                                                                                         \
    wsfj_race_local(&(local)->wsfj_slots.wsfj_used, &(local)->wsfj_slot, (local)->wsfj_slots.wsfj_size)
#define WSFJ_LOCAL_NEXT(local, p) wsfj_race_local_next(&(local)->wsfj_slots.wsfj_used, &(local)->wsfj_slot, p)
#define ws_local_free(local)                                                                                           \
    wsfj_race_local_free(&(local)->wsfj_slots.wsfj_used, &(local)->wsfj_slot, (local)->wsfj_slots.wsfj_size)
void *wsfj_race_local(int *wsfj_used, void *wsfj_slot, size_t wsfj_size);
void *wsfj_race_local_next(const int *wsfj_used, void *wsfj_slot, const void *wsfj_last);
void wsfj_race_local_free(int *wsfj_used, void *wsfj_slot, size_t wsfj_size);
#else
#define WSFJ_LOCAL_HERE(local) wsfj_local_here(&(local)->wsfj_slots, &(local)->wsfj_slot)
#define WSFJ_LOCAL_NEXT(local, p) wsfj_local_next(&(local)->wsfj_slots, &(local)->wsfj_slot, p)
#define ws_local_free(local) wsfj_local_free(&(local)->wsfj_slots, &(local)->wsfj_slot)
static inline void *wsfj_local_here(struct wsfj_local *wsfj_local, void *wsfj_slot)
{
    wsfj_local->wsfj_used = 1;
    return wsfj_slot;
}
static inline void *wsfj_local_next(struct wsfj_local *wsfj_local, void *wsfj_slot, const void *wsfj_p)
{
    return wsfj_local->wsfj_used && !wsfj_p ? wsfj_slot : NULL;
}
static inline void wsfj_local_free(struct wsfj_local *wsfj_local, void *wsfj_slot)
{
    memset(wsfj_slot, 0, wsfj_local->wsfj_size);
    wsfj_local->wsfj_used = 0;
}
#endif

#else

/* Slots by number: 0 is that of all other code, worker w has w + 1. They are in segments, the first of 64 slots and each
 * further one as large as all before it, which stay where they are until the end. */
#define WSFJ_LOCAL_SEGMENTS 8
struct wsfj_local {
    size_t wsfj_size, wsfj_align;
    void **wsfj_segment[WSFJ_LOCAL_SEGMENTS];
};

void *wsfj_local_here(struct wsfj_local *wsfj_local);
void *wsfj_local_next(struct wsfj_local *wsfj_local, const void *wsfj_p);
void wsfj_local_free(struct wsfj_local *wsfj_local);

/**
 * WS_LOCAL(T, name); at file scope, `static` if you like: a variable `name` with a slot of type T for each worker. In C++
 * T is a trivial type.
 */
#define WS_LOCAL(T, name)                                                                                              \
    struct wsfj_local_of_##name {                                                                                      \
        struct wsfj_local wsfj_slots;                                                                                  \
        __typeof__(T) *wsfj_type;                                                                                      \
    } name = {{sizeof(T), __alignof__(T), {NULL}}, NULL};                                                              \
    WSFJ_LOCAL_CHECK(T, name)
#define WSFJ_LOCAL_HERE(local) wsfj_local_here(&(local)->wsfj_slots)
#define WSFJ_LOCAL_NEXT(local, p) wsfj_local_next(&(local)->wsfj_slots, p)

/**
 * ws_local_free(&name): frees all slots; the next ws_local() starts from zero. Not while anybody uses them. Without it they
 * are kept until the program ends.
 */
#define ws_local_free(local) wsfj_local_free(&(local)->wsfj_slots)

#endif

#ifdef __cplusplus
#define WSFJ_LOCAL_CHECK(T, name)                                                                                      \
    static_assert(__is_trivial(__typeof__(T)),                                                                         \
                  "libwsfj: WS_LOCAL(" #T ", " #name "): a slot begins as zero bytes, and "                            \
                  "its end calls no destructor: T must be trivial")
#else
#define WSFJ_LOCAL_CHECK(T, name) WSFJ_NOTHING
#endif

/**
 * ws_local(&name): a pointer to the calling worker's slot, T *. It is invalid after the next ws_sync() or call that syncs
 * inside, because the task may then be on another worker: ask again. NULL if there is no memory for the slot, and then
 * also for this worker's next call unless there is memory again. Thread-safe.
 */
#define ws_local(local) ((__typeof__((local)->wsfj_type))WSFJ_LOCAL_HERE(local))

/**
 * ws_local_each(&name, p) { ... }: runs the block with p, a T *, at each slot that exists: that of all other code, then
 * those of the workers in turn. Call it where no task uses them: after ws_run(), or after the sync of all that do.
 */
#define ws_local_each(local, p)                                                                                        \
    for (__typeof__((local)->wsfj_type) p = NULL;                                                                      \
         ((p) = (__typeof__((local)->wsfj_type))WSFJ_LOCAL_NEXT(local, p)) != NULL;)

#ifdef __cplusplus
}
#endif

#endif
