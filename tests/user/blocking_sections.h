/* SPDX-License-Identifier: MIT */
/* Tasks that read in blocking sections, each at a gate of its own. For blocking_sections.c and blocking_limits.c. */
#ifndef TESTS_USER_BLOCKING_SECTIONS_H
#define TESTS_USER_BLOCKING_SECTIONS_H

#include "../support/flags.h"
#include "workers.h"

#include <semaphore.h>
#include <stdlib.h>

#define READERS_MOST 8

static sem_t gates[READERS_MOST]; /* one for each reader */
static long children, errors;
static ws_group group;

static inline void reset(void)
{
    children = errors = 0;
    for (int i = 0; i < READERS_MOST; i++)
        ck_assert_int_eq(sem_init(&gates[i], 0, 0), 0);
}

static inline void read_gate(long i)
{
    while (sem_wait(&gates[i]) != 0)
        ;
}

static inline void submit(ws_function *fn, long i)
{
    if (ws_group_submit(&group, fn, (void *)(intptr_t)i) != 0)
        abort();
}

static inline void await_all(void)
{
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(get(&errors), 0);
    ck_assert_int_eq(ws_fini(), 0);
}

static WS_TASK_VOID(child)
{
    add(&children, 1);
}

static inline void read_with_a_child(void *arg)
{
    ws_frame();
    ws_spawn(child);
    WS_BLOCKING read_gate((long)(intptr_t)arg);
    ws_sync();
}

static inline void write_to_all(void *readers)
{
    for (long i = 0; i < (long)(intptr_t)readers; i++)
        sem_post(&gates[i]);
}

#endif
