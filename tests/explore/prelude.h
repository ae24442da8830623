/* SPDX-License-Identifier: MIT */
/*
 * Included first into every explored file (-include). Turns atomic built-ins into calls of the explorer, and so
 * lib/base/atomic.h, the public headers and the few places that use built-ins directly; also the calls by which threads
 * meet in the kernel. The explored text stays as it is.
 *
 * Each operation is a site, named by function, operation and the text of its address; mutants (explore.h) refer to
 * sites. -fsanitize=thread reports plain accesses (race.c); the files are told that there is no sanitizer, since they
 * differ under one.
 */
#ifndef TESTS_EXPLORE_PRELUDE_H
#define TESTS_EXPLORE_PRELUDE_H

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#undef __SANITIZE_THREAD__
#ifdef __clang__
#undef __has_feature
#define __has_feature(x) 0
#endif

struct explore_site {
    const char *function, *operation, *place, *file;
    int line;
    const struct explore_mutant *mutant; /* the error planted here, as of `epoch` */
    unsigned epoch, noted;               /* noted: by orders.c */
};

uint64_t explore_load(struct explore_site *site, const volatile void *p, size_t size, int order);
void explore_store(struct explore_site *site, volatile void *p, size_t size, uint64_t value, int order);
uint64_t explore_exchange(struct explore_site *site, volatile void *p, size_t size, uint64_t value, int order);
uint64_t explore_add(struct explore_site *site, volatile void *p, size_t size, uint64_t value, int order);
uint64_t explore_or(struct explore_site *site, volatile void *p, size_t size, uint64_t value, int order);
bool explore_cas(struct explore_site *site, volatile void *p, size_t size, uint64_t *expected, uint64_t value,
                 int order, int failure);
void explore_compiler_fence(struct explore_site *site);
long explore_syscall(struct explore_site *site, long number, ...);
int explore_lock(struct explore_site *site, pthread_mutex_t *mutex);
int explore_unlock(struct explore_site *site, pthread_mutex_t *mutex);
int explore_wait(struct explore_site *site, pthread_cond_t *condition, pthread_mutex_t *mutex);
int explore_broadcast(struct explore_site *site, pthread_cond_t *condition);
int explore_join(struct explore_site *site, pthread_t thread);
void explore_pause(void);
int explore_yield(void);
uint64_t explore_now(void);

/* A site's object: one for each place in the text. */
#define EXPLORE_SITE(operation, place)                                                                                 \
    __extension__({                                                                                                    \
        static struct explore_site here_ = {NULL, operation, place, __FILE__, __LINE__, NULL, 0, 0};                   \
        here_.function = __func__;                                                                                     \
        &here_;                                                                                                        \
    })
/* The type of what p points to, without const. */
#define EXPLORE_TYPE(p) __typeof__((void)0, *(p))
#define EXPLORE_OLD(p, value) ((EXPLORE_TYPE(p))(uintptr_t)(value))

#define __atomic_load_n(p, order) EXPLORE_OLD(p, explore_load(EXPLORE_SITE("load", #p), p, sizeof *(p), order))
#define __atomic_store_n(p, v, order)                                                                                  \
    explore_store(EXPLORE_SITE("store", #p), p, sizeof *(p), (uint64_t)(uintptr_t)(v), order)
#define __atomic_exchange_n(p, v, order)                                                                               \
    EXPLORE_OLD(p, explore_exchange(EXPLORE_SITE("exchange", #p), p, sizeof *(p), (uint64_t)(uintptr_t)(v), order))
#define __atomic_fetch_add(p, v, order)                                                                                \
    EXPLORE_OLD(p, explore_add(EXPLORE_SITE("add", #p), p, sizeof *(p), (uint64_t)(v), order))
#define __atomic_fetch_sub(p, v, order)                                                                                \
    EXPLORE_OLD(p, explore_add(EXPLORE_SITE("sub", #p), p, sizeof *(p), -(uint64_t)(v), order))
#define __atomic_fetch_or(p, v, order)                                                                                 \
    EXPLORE_OLD(p, explore_or(EXPLORE_SITE("or", #p), p, sizeof *(p), (uint64_t)(v), order))
#define __atomic_compare_exchange_n(p, expected, v, weak, success, failure)                                            \
    __extension__({                                                                                                    \
        __typeof__(expected) expected_ = (expected);                                                                   \
        uint64_t old_ = (uint64_t)(uintptr_t)*expected_;                                                               \
        bool done_ =                                                                                                   \
            explore_cas(EXPLORE_SITE("cas", #p), p, sizeof *(p), &old_, (uint64_t)(uintptr_t)(v), success, failure);   \
        if (!done_)                                                                                                    \
            *expected_ = EXPLORE_OLD(p, old_);                                                                         \
        done_;                                                                                                         \
    })
#define __atomic_signal_fence(order) explore_compiler_fence(EXPLORE_SITE("compiler fence", ""))

#define syscall(number, ...) explore_syscall(EXPLORE_SITE("syscall", #number), number, __VA_ARGS__)
#define pthread_mutex_lock(m) explore_lock(EXPLORE_SITE("lock", #m), m)
#define pthread_mutex_unlock(m) explore_unlock(EXPLORE_SITE("unlock", #m), m)
#define pthread_cond_wait(c, m) explore_wait(EXPLORE_SITE("wait", #c), c, m)
#define pthread_cond_broadcast(c) explore_broadcast(EXPLORE_SITE("broadcast", #c), c)
#define pthread_join(t, result) explore_join(EXPLORE_SITE("join", #t), t) /* explored thread number t */
#define sched_yield() explore_yield()
#define nanosleep(...) explore_yield()

#include "arch/arch.h"
#define wsfj_pause() explore_pause()
#define wsfj_now() explore_now()

#endif
