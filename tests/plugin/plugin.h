/* SPDX-License-Identifier: MIT */
/*
 * A shared object that is loaded at run time and computes with the library. It is built twice: `shared` links
 * libwsfj.so, `own` has a copy of the library inside, of which nobody else sees a name.
 */
#ifndef TESTS_PLUGIN_PLUGIN_H
#define TESTS_PLUGIN_PLUGIN_H

#include <stddef.h>

/* All there is in it. */
struct plugin {
    int (*init)(size_t workers, size_t stack_size);
    int (*fini)(void);
    size_t (*num_workers)(void);
    int (*worker_id)(void);
    int (*fib)(long n, long *result); /* a call outside any region, then ws_run() */
    int (*submit)(long n);            /* so many detached tasks; waits for them */
    int (*overflow)(void);            /* of a task's stack: does not return */
};

extern const struct plugin plugin;

#endif
