/* SPDX-License-Identifier: MIT */
/*
 * Atomics, as the compilers call them. Two atomic accesses do not race: each holds a lock of its own kind while it runs.
 * What they order is in order.c. The operations themselves are done with sequential consistency.
 */
#include "schedule.h"

/* Not the address of any object: the lock that all atomic accesses hold. */
#define ATOMIC_LOCK ((uintptr_t)2)

static void atomic_access(const volatile void *p, size_t size, enum kind kind, uintptr_t pc)
{
    const uint32_t locks = race.locks;

    if ((uintptr_t)p - race_private_lo < race_private_span) {
        race_point();
        return;
    }
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

/* The processor has one operation on sixteen bytes. clang would inline it where the target does not count. */
__extension__ typedef unsigned __int128 uint128;
static __attribute__((target("cx16"), noinline)) int wide_compare(volatile uint128 *p, uint128 *expected, uint128 v,
                                                                  int weak, int order, int failure)
{
    const uint128 old = __sync_val_compare_and_swap(p, *expected, v), wanted = *expected;

    (void)weak, (void)order, (void)failure;
    *expected = old;
    return old == wanted;
}
static uint128 wide_load(const volatile uint128 *p, int order)
{
    uint128 old = 0;

    (void)wide_compare((volatile uint128 *)p, &old, 0, 0, order, order);
    return old;
}
#define WIDE(name, value)                                                                                              \
    static uint128 wide_##name(volatile uint128 *p, uint128 v, int order)                                              \
    {                                                                                                                  \
        uint128 old = 0;                                                                                               \
                                                                                                                       \
        while (!wide_compare(p, &old, value, 0, order, order))                                                         \
            ;                                                                                                          \
        return old;                                                                                                    \
    }
WIDE(exchange, v)
WIDE(fetch_add, old + v)
WIDE(fetch_sub, old - v)
WIDE(fetch_and, old &v)
WIDE(fetch_or, old | v)
WIDE(fetch_xor, old ^ v)
WIDE(fetch_nand, ~(old &v))
static void wide_store(volatile uint128 *p, uint128 v, int order)
{
    (void)wide_exchange(p, v, order);
}

#define LOAD(b, T, load)                                                                                               \
    EXPORTED T __tsan_atomic##b##_load(const volatile T *p, int order);                                                \
    T __tsan_atomic##b##_load(const volatile T *p, int order)                                                          \
    {                                                                                                                  \
        atomic_access(p, sizeof *p, READ, RETURN_PC);                                                                  \
        loaded(p, order);                                                                                              \
        return load(p, __ATOMIC_SEQ_CST);                                                                              \
    }
#define STORE(b, T, store)                                                                                             \
    EXPORTED void __tsan_atomic##b##_store(volatile T *p, T v, int order);                                             \
    void __tsan_atomic##b##_store(volatile T *p, T v, int order)                                                       \
    {                                                                                                                  \
        atomic_access(p, sizeof *p, WRITE, RETURN_PC);                                                                 \
        stored(p, order, 0);                                                                                           \
        store(p, v, __ATOMIC_SEQ_CST);                                                                                 \
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
#define EXCHANGED(b, T, compare)                                                                                       \
    static __attribute__((noinline)) int exchanged##b(volatile T *p, T *expected, T v, int order, int failure,         \
                                                      uintptr_t pc)                                                    \
    {                                                                                                                  \
        const int done = compare(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                               \
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
#define ATOMICS(b, T, load, store, swap, compare, operation)                                                           \
    LOAD(b, T, load)                                                                                                   \
    STORE(b, T, store)                                                                                                 \
    UPDATE(b, T, exchange, swap)                                                                                       \
    UPDATE(b, T, fetch_add, operation##fetch_add)                                                                      \
    UPDATE(b, T, fetch_sub, operation##fetch_sub)                                                                      \
    UPDATE(b, T, fetch_and, operation##fetch_and)                                                                      \
    UPDATE(b, T, fetch_or, operation##fetch_or)                                                                        \
    UPDATE(b, T, fetch_xor, operation##fetch_xor)                                                                      \
    UPDATE(b, T, fetch_nand, operation##fetch_nand)                                                                    \
    EXCHANGED(b, T, compare)                                                                                           \
    COMPARE(b, T, strong)                                                                                              \
    COMPARE(b, T, weak)
#define COMMON_ATOMICS(b, T)                                                                                           \
    ATOMICS(b, T, __atomic_load_n, __atomic_store_n, __atomic_exchange_n, __atomic_compare_exchange_n, __atomic_)
COMMON_ATOMICS(8, uint8_t)
COMMON_ATOMICS(16, uint16_t)
COMMON_ATOMICS(32, uint32_t)
COMMON_ATOMICS(64, uint64_t)

/* Of sixteen bytes: without libatomic, which gcc would call. */
ATOMICS(128, uint128, wide_load, wide_store, wide_exchange, wide_compare, wide_)

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
