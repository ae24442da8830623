/* SPDX-License-Identifier: MIT */
/*
 * Races: a plain access to shared memory that is not ordered with another thread's access, where at least one of them
 * writes. The compiler reports each plain access as it would to ThreadSanitizer; memory.c defines the order.
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#define GRANULE 4u
#define MOST_AREAS 16

/* The time of each thread's last read and last write of four bytes. */
struct cell {
    unsigned execution;
    uint32_t clock[ATOMIC_WRITE + 1][EXPLORE_THREADS];
};

static struct area {
    uintptr_t low;
    size_t size;
    struct cell *cells;
} areas[MOST_AREAS];
static unsigned num_areas;

void explore_shared(void *low, size_t size)
{
    for (unsigned i = 0; i < num_areas; i++) {
        if (areas[i].low == (uintptr_t)low && areas[i].size == size)
            return;
    }

    struct cell *cells = calloc(size / GRANULE + 1, sizeof *cells);

    if (!cells || num_areas == MOST_AREAS)
        abort();
    areas[num_areas++] = (struct area){(uintptr_t)low, size, cells};
}

static bool conflict(enum access a, enum access b)
{
    bool writes = a == PLAIN_WRITE || a == ATOMIC_WRITE || b == PLAIN_WRITE || b == ATOMIC_WRITE;
    bool plain = a == PLAIN_READ || a == PLAIN_WRITE || b == PLAIN_READ || b == PLAIN_WRITE;

    return writes && plain;
}

static void touch(struct cell *c, enum access access)
{
    const struct view *v = &views[current];

    if (c->execution != execution) {
        memset(c, 0, sizeof *c);
        c->execution = execution;
    }
    for (enum access other = PLAIN_READ; other <= ATOMIC_WRITE; other++) {
        for (int t = 0; t < EXPLORE_THREADS && conflict(access, other); t++) {
            if (t != current && c->clock[other][t] > v->clock[t])
                search_note_race();
        }
    }
    c->clock[access][current] = v->clock[current];
}

void race_touch(const volatile void *p, size_t size, enum access access)
{
    if (current < 0)
        return;
    for (unsigned i = 0; i < num_areas; i++) {
        uintptr_t offset = (uintptr_t)p - areas[i].low;

        if (offset < areas[i].size) {
            for (uintptr_t at = offset; at < offset + size && at < areas[i].size; at += GRANULE)
                touch(&areas[i].cells[at / GRANULE], access);
            return;
        }
    }
}

/* The functions that the compiler calls. */
#define READ(name, size)                                                                                               \
    void __tsan_##name(void *p);                                                                                       \
    void __tsan_##name(void *p)                                                                                        \
    {                                                                                                                  \
        race_touch(p, size, PLAIN_READ);                                                                               \
    }
#define WRITE(name, size)                                                                                              \
    void __tsan_##name(void *p);                                                                                       \
    void __tsan_##name(void *p)                                                                                        \
    {                                                                                                                  \
        race_touch(p, size, PLAIN_WRITE);                                                                              \
    }
READ(read1, 1)
READ(read2, 2)
READ(read4, 4)
READ(read8, 8)
READ(read16, 16)
READ(unaligned_read2, 2)
READ(unaligned_read4, 4)
READ(unaligned_read8, 8)
READ(unaligned_read16, 16)
WRITE(write1, 1)
WRITE(write2, 2)
WRITE(write4, 4)
WRITE(write8, 8)
WRITE(write16, 16)
WRITE(unaligned_write2, 2)
WRITE(unaligned_write4, 4)
WRITE(unaligned_write8, 8)
WRITE(unaligned_write16, 16)

void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size)
{
    race_touch(p, size, PLAIN_READ);
}

void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size)
{
    race_touch(p, size, PLAIN_WRITE);
}

void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    race_touch(from, size, PLAIN_READ);
    race_touch(to, size, PLAIN_WRITE);
    return memcpy(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size);
void *__tsan_memset(void *to, int byte, size_t size)
{
    race_touch(to, size, PLAIN_WRITE);
    return memset(to, byte, size);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
