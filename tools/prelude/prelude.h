/* SPDX-License-Identifier: MIT */
/*
 * Included first into files of the library (-include), so that an engine runs them instead of the machine. Turns into
 * calls of the engine: futex, membarrier, mutexes, conditions, threads, spin pauses and the clock. The text of the
 * library stays as it is.
 *
 * There are two engines. tests/explore runs all schedules of a few threads; explored.h turns each atomic access into a
 * call. tools/sim runs many threads in virtual time (ENGINE_VIRTUAL_TIME); virtual.h leaves atomics what they are, and
 * replaces the rest of the machine.
 *
 * Each call names its site: function, operation and text. Mutants of the explorer refer to sites; the simulator says
 * with them where a thread waits.
 */
#ifndef TOOLS_PRELUDE_PRELUDE_H
#define TOOLS_PRELUDE_PRELUDE_H
#ifndef __ASSEMBLER__

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

/* A site's object: one for each place in the text. */
#define ENGINE_SITE(operation, place)                                                                                  \
    __extension__({                                                                                                    \
        static struct engine_site here_ = {NULL, operation, place, __FILE__, __LINE__, NULL, 0, 0};                    \
        here_.function = __func__;                                                                                     \
        &here_;                                                                                                        \
    })

/* Which keys share a bucket of the wait table must not depend on where they are. */
#define WSFJ_BUCKET_OF(key) engine_number(key)

#ifdef ENGINE_VIRTUAL_TIME
#include "virtual.h"
#else
#include "explored.h"
#endif

#define syscall(number, ...) engine_syscall(ENGINE_SITE("syscall", #number), number, ##__VA_ARGS__)
#define pthread_mutex_lock(m) engine_lock(ENGINE_SITE("lock", #m), m)
#define pthread_mutex_unlock(m) engine_unlock(ENGINE_SITE("unlock", #m), m)
#define pthread_cond_wait(c, m) engine_wait(ENGINE_SITE("wait", #c), c, m)
#define pthread_cond_broadcast(c) engine_broadcast(ENGINE_SITE("broadcast", #c), c)
#define pthread_join(t, result) engine_join(ENGINE_SITE("join", #t), t) /* for the explorer: its thread number t */
#define sched_yield() engine_yield()

#include "arch/arch.h"
#define wsfj_pause() engine_pause()
#define wsfj_now() engine_now()

#include "arch/ticks.h"
#define wsfj_rough_now() engine_now()
#define wsfj_rough_ticks() engine_now()
#ifndef ENGINE_VIRTUAL_TIME
#define wsfj_rough_find() ((void)0) /* the explored files do not have ticks.c */
#endif

#endif
#endif
