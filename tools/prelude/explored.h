/* SPDX-License-Identifier: MIT */
/*
 * Atomic built-ins as calls of the explorer, and so lib/base/atomic.h, the public headers and the few places that use
 * built-ins directly. Only for prelude.h.
 *
 * -fsanitize=thread reports plain accesses (tests/explore/race.c); the files are told that there is no sanitizer, since
 * they differ under one.
 */
#ifndef TOOLS_PRELUDE_EXPLORED_H
#define TOOLS_PRELUDE_EXPLORED_H

#undef __SANITIZE_THREAD__
#ifdef __clang__
#undef __has_feature
#define __has_feature(x) 0
#endif

uint64_t engine_load(struct engine_site *site, const volatile void *p, size_t size, int order);
void engine_store(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order);
uint64_t engine_exchange(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order);
uint64_t engine_add(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order);
uint64_t engine_or(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order);
uint64_t engine_and(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order);
bool engine_cas(struct engine_site *site, volatile void *p, size_t size, uint64_t *expected, uint64_t value, int order,
                int failure);
void engine_compiler_fence(struct engine_site *site);

/* The type of what p points to, without const. */
#define ENGINE_TYPE(p) __typeof__((void)0, *(p))
#define ENGINE_OLD(p, value) ((ENGINE_TYPE(p))(uintptr_t)(value))

#define __atomic_load_n(p, order) ENGINE_OLD(p, engine_load(ENGINE_SITE("load", #p), p, sizeof *(p), order))
#define __atomic_store_n(p, v, order)                                                                                  \
    engine_store(ENGINE_SITE("store", #p), p, sizeof *(p), (uint64_t)(uintptr_t)(v), order)
#define __atomic_exchange_n(p, v, order)                                                                               \
    ENGINE_OLD(p, engine_exchange(ENGINE_SITE("exchange", #p), p, sizeof *(p), (uint64_t)(uintptr_t)(v), order))
#define __atomic_fetch_add(p, v, order)                                                                                \
    ENGINE_OLD(p, engine_add(ENGINE_SITE("add", #p), p, sizeof *(p), (uint64_t)(v), order))
#define __atomic_fetch_sub(p, v, order)                                                                                \
    ENGINE_OLD(p, engine_add(ENGINE_SITE("sub", #p), p, sizeof *(p), -(uint64_t)(v), order))
#define __atomic_fetch_or(p, v, order)                                                                                 \
    ENGINE_OLD(p, engine_or(ENGINE_SITE("or", #p), p, sizeof *(p), (uint64_t)(v), order))
#define __atomic_fetch_and(p, v, order)                                                                                \
    ENGINE_OLD(p, engine_and(ENGINE_SITE("and", #p), p, sizeof *(p), (uint64_t)(v), order))
#define __atomic_compare_exchange_n(p, expected, v, weak, success, failure)                                            \
    __extension__({                                                                                                    \
        __typeof__(expected) expected_ = (expected);                                                                   \
        uint64_t old_ = (uint64_t)(uintptr_t)*expected_;                                                               \
        bool done_ =                                                                                                   \
            engine_cas(ENGINE_SITE("cas", #p), p, sizeof *(p), &old_, (uint64_t)(uintptr_t)(v), success, failure);     \
        if (!done_)                                                                                                    \
            *expected_ = ENGINE_OLD(p, old_);                                                                          \
        done_;                                                                                                         \
    })
#define __atomic_signal_fence(order) engine_compiler_fence(ENGINE_SITE("compiler fence", ""))

#define pthread_mutex_trylock(m) engine_trylock(ENGINE_SITE("trylock", #m), m)
#define nanosleep(...) engine_nap()

#endif
