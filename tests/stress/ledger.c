/* SPDX-License-Identifier: MIT */
#include "ledger.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>

static long blocks, mappings, threads, taken;

/* The linker's names: __wrap_ is called instead, __real_ is the original function. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *memory);
void *__real_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t length);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __real_pthread_join(pthread_t thread, void **result);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __wrap_free(void *memory);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *address, size_t length);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_join(pthread_t thread, void **result);

static void change(long *account, long by)
{
    (void)__atomic_fetch_add(account, by, __ATOMIC_RELAXED); /* read when all threads are joined */
    if (by > 0)
        (void)__atomic_fetch_add(&taken, by, __ATOMIC_RELAXED);
}

static long read_account(const long *account)
{
    return __atomic_load_n(account, __ATOMIC_RELAXED);
}

void *__wrap_malloc(size_t size)
{
    void *memory = __real_malloc(size);

    change(&blocks, memory != NULL);
    return memory;
}

void *__wrap_calloc(size_t n, size_t size)
{
    void *memory = __real_calloc(n, size);

    change(&blocks, memory != NULL);
    return memory;
}

void *__wrap_realloc(void *memory, size_t size)
{
    void *more = __real_realloc(memory, size);

    change(&blocks, !memory && more);
    return more;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    void *memory = __real_aligned_alloc(align, size);

    change(&blocks, memory != NULL);
    return memory;
}

void __wrap_free(void *memory)
{
    change(&blocks, memory ? -1 : 0);
    __real_free(memory);
}

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    void *map = __real_mmap(address, length, protection, flags, fd, offset);

    change(&mappings, map != MAP_FAILED);
    return map;
}

int __wrap_munmap(void *address, size_t length)
{
    int result = __real_munmap(address, length);

    change(&mappings, result == 0 ? -1 : 0);
    return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    int error = __real_pthread_create(thread, attributes, body, argument);

    change(&threads, error == 0);
    return error;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    int error = __real_pthread_join(thread, result);

    change(&threads, error == 0 ? -1 : 0);
    return error;
}

long ledger_blocks(void)
{
    return read_account(&blocks);
}

long ledger_mappings(void)
{
    return read_account(&mappings);
}

long ledger_threads(void)
{
    return read_account(&threads);
}

long ledger_taken(void)
{
    return read_account(&taken);
}
