/* SPDX-License-Identifier: MIT */
/*
 * LeakSanitizer finds the memory that nothing points to any more. It looks for pointers in the program's variables, in
 * blocks of malloc() and on the stacks that threads run on. Pointers may also lie on the stacks of fibers that do not
 * run and in the arguments of waiting tasks, all in mappings that the library has made; they are named to it here.
 */
#ifndef WSFJ_BASE_LEAKS_H
#define WSFJ_BASE_LEAKS_H

#include "base/base.h"

/* Weak: NULL in a process without LeakSanitizer, which -fsanitize=address brings along. */
extern void __lsan_register_root_region(const void *, size_t) __attribute__((weak));
extern void __lsan_unregister_root_region(const void *, size_t) __attribute__((weak));

/* LeakSanitizer reads this memory, which must be readable, until it is hidden again with the same arguments. */
static inline void wsfj_leaks_show(const void *memory, size_t size)
{
    if (__lsan_register_root_region)
        __lsan_register_root_region(memory, size);
}

static inline void wsfj_leaks_hide(const void *memory, size_t size)
{
    if (__lsan_unregister_root_region)
        __lsan_unregister_root_region(memory, size);
}

#endif
