/* SPDX-License-Identifier: MIT */
/*
 * Atomics, as the compilers call them. Two atomic accesses do not race: each holds a lock of its own kind while it runs.
 * What they order is in order.c. The operations themselves are done with sequential consistency.
 */
#include "detector.h"

/* Not the address of any object: the lock that all atomic accesses hold. */
#define ATOMIC_LOCK ((uintptr_t)2)

static void atomic_access(const volatile void *p, size_t size, enum kind kind, uintptr_t pc)
{
    const uint32_t locks = race.locks;

    if ((uintptr_t)p - race_private_lo < race_private_span)
        return;
    race.locks = race_locks_with(locks, ATOMIC_LOCK);
    race.flags |= WAS_ATOMIC;
    race_range((uintptr_t)p, size, kind, pc);
    race.flags &= ~(uint32_t)WAS_ATOMIC;
    race.locks = locks;
}

static void loaded(const volatile void *p, int order)
{
    if (!race_checks())
        return;
    if (order == __ATOMIC_RELAXED || order == __ATOMIC_RELEASE)
        race_relaxed_load((uintptr_t)p);
    else
        race_acquire((uintptr_t)p);
}

static void stored(const volatile void *p, int order, int adds)
{
    if (!race_checks())
        return;
    if (order == __ATOMIC_RELAXED || order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME)
        race_relaxed_store((uintptr_t)p, adds);
    else
        race_release((uintptr_t)p, adds);
}

#define LOAD(b, T)                                                                                                     \
    EXPORTED T __tsan_atomic##b##_load(const volatile T *p, int order);                                                \
    T __tsan_atomic##b##_load(const volatile T *p, int order)                                                          \
    {                                                                                                                  \
        atomic_access(p, sizeof *p, READ, RETURN_PC);                                                                  \
        loaded(p, order);                                                                                              \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                   \
    }
#define STORE(b, T)                                                                                                    \
    EXPORTED void __tsan_atomic##b##_store(volatile T *p, T v, int order);                                             \
    void __tsan_atomic##b##_store(volatile T *p, T v, int order)                                                       \
    {                                                                                                                  \
        atomic_access(p, sizeof *p, WRITE, RETURN_PC);                                                                 \
        stored(p, order, 0);                                                                                           \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                      \
    }
#define UPDATE(b, T, name, builtin)                                                                                    \
    EXPORTED T __tsan_atomic##b##_##name(volatile T *p, T v, int order);                                               \
    T __tsan_atomic##b##_##name(volatile T *p, T v, int order)                                                         \
    {                                                                                                                  \
        atomic_access(p, sizeof *p, WRITE, RETURN_PC);                                                                 \
        loaded(p, order);                                                                                              \
        stored(p, order, 1);                                                                                           \
        return builtin(p, v, __ATOMIC_SEQ_CST);                                                                        \
    }
/* One that fails only reads. */
#define EXCHANGED(b, T)                                                                                                \
    static __attribute__((noinline)) int exchanged##b(volatile T *p, T *expected, T v, int order, int failure,         \
                                                      uintptr_t pc)                                                    \
    {                                                                                                                  \
        const int done = __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
                                                                                                                       \
        atomic_access(p, sizeof *p, done ? WRITE : READ, pc);                                                          \
        loaded(p, done ? order : failure);                                                                             \
        if (done)                                                                                                      \
            stored(p, order, 1);                                                                                       \
        return done;                                                                                                   \
    }                                                                                                                  \
    EXPORTED T __tsan_atomic##b##_compare_exchange_val(volatile T *p, T expected, T v, int order, int failure);        \
    T __tsan_atomic##b##_compare_exchange_val(volatile T *p, T expected, T v, int order, int failure)                  \
    {                                                                                                                  \
        (void)exchanged##b(p, &expected, v, order, failure, RETURN_PC);                                                \
        return expected;                                                                                               \
    }
#define COMPARE(b, T, name)                                                                                            \
    EXPORTED int __tsan_atomic##b##_compare_exchange_##name(volatile T *p, T *expected, T v, int order, int failure);  \
    int __tsan_atomic##b##_compare_exchange_##name(volatile T *p, T *expected, T v, int order, int failure)            \
    {                                                                                                                  \
        return exchanged##b(p, expected, v, order, failure, RETURN_PC);                                                \
    }
#define ATOMICS(b, T)                                                                                                  \
    LOAD(b, T)                                                                                                         \
    STORE(b, T)                                                                                                        \
    UPDATE(b, T, exchange, __atomic_exchange_n)                                                                        \
    UPDATE(b, T, fetch_add, __atomic_fetch_add)                                                                        \
    UPDATE(b, T, fetch_sub, __atomic_fetch_sub)                                                                        \
    UPDATE(b, T, fetch_and, __atomic_fetch_and)                                                                        \
    UPDATE(b, T, fetch_or, __atomic_fetch_or)                                                                          \
    UPDATE(b, T, fetch_xor, __atomic_fetch_xor)                                                                        \
    UPDATE(b, T, fetch_nand, __atomic_fetch_nand)                                                                      \
    EXCHANGED(b, T)                                                                                                    \
    COMPARE(b, T, strong)                                                                                              \
    COMPARE(b, T, weak)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

EXPORTED void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    if (race_checks())
        race_fence(order);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
EXPORTED void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
