/* SPDX-License-Identifier: MIT */
/* Asks the C++ runtime for its state, if the program has one. Contract: lib/arch/exceptions.h. */
#include "arch/exceptions.h"

/* Weak: the library needs no C++ runtime, and a C program gets NULL. In a static program the linker adds the function
 * only if the program throws or catches itself. */
extern struct wsfj_exceptions *__cxa_get_globals(void) __attribute__((weak));

struct wsfj_exceptions *wsfj_exceptions_here(void)
{
    return __cxa_get_globals ? __cxa_get_globals() : NULL;
}
