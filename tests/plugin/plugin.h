/* SPDX-License-Identifier: MIT */
/*
 * A shared object that tests load at run time and that uses the library. It is built twice: `shared` links libwsfj.so;
 * `own` contains a copy of the library and exports none of its names.
 */
#ifndef TESTS_PLUGIN_PLUGIN_H
#define TESTS_PLUGIN_PLUGIN_H

#include <stddef.h>

/* Everything that a plugin exports. */
struct plugin {
    int (*init)(size_t workers, size_t stack_size);
    int (*fini)(void);
    size_t (*num_workers)(void);
    int (*worker_id)(void);
    int (*fib)(long n, long *result); /* a call outside any region, then ws_run() */
    int (*submit)(long n);            /* n detached tasks; waits for them */
    int (*call)(void (*fn)(void *));  /* a detached task that calls fn(NULL); waits for it */
    int (*overflow)(void);            /* overflows a task's stack: does not return */
};

extern const struct plugin plugin;

#endif
