/* SPDX-License-Identifier: MIT */
/*
 * glibc lays the thread-local memory of the program and of what is loaded with it into the stack that was asked for: a
 * program with half a MiB of it would leave nothing. musl adds it.
 *
 * Looked up when this library is loaded: later it would mean to wait for the loader's lock, which another thread may have
 * at a fork. What is loaded after us has its thread-local memory elsewhere.
 */
#include "thread_stack.h"

#ifdef __GLIBC__
#include <link.h>

static size_t locals;

static int add(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            locals += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

__attribute__((constructor)) static void add_all(void)
{
    (void)dl_iterate_phdr(add, NULL);
}

size_t wsfj_thread_stack(size_t needed)
{
    return needed + locals;
}
#else
size_t wsfj_thread_stack(size_t needed)
{
    return needed;
}
#endif
