/* SPDX-License-Identifier: MIT */
/*
 * glibc lays the thread-local memory of the program and of what is loaded with it into the stack that was asked for: a
 * program with half a MiB of it would leave nothing. musl adds it.
 *
 * Looked up when this library is loaded: later it would mean to wait for the loader's lock, which another thread may have
 * at a fork. A program that contains the library may start the runtime earlier, from a constructor or .preinit_array: then
 * the start looks it up. Objects that are loaded after us have their thread-local memory elsewhere.
 */
#include "base/thread_stack.h"

#ifdef __GLIBC__
#include "base/atomic.h"

#include <link.h>

/* 0: not looked up yet; the sum is never 0, because glibc has thread-local memory itself. Relaxed: every look finds the same
 * sum. */
static size_t locals;

static int add(struct dl_phdr_info *object, size_t size, void *sum)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)sum += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

__attribute__((constructor)) static void look_up(void)
{
    size_t sum = 0;

    if (load_relaxed(&locals))
        return;
    (void)dl_iterate_phdr(add, &sum);
    store_relaxed(&locals, sum);
}

size_t wsfj_thread_stack(size_t needed)
{
    look_up();
    return needed + load_relaxed(&locals);
}
#else
size_t wsfj_thread_stack(size_t needed)
{
    return needed;
}
#endif
