/* SPDX-License-Identifier: MIT */
/* Loading the plugins: where they lie in the build directory, in which tests run, and copies of them. */
#ifndef TESTS_PLUGIN_LOAD_H
#define TESTS_PLUGIN_LOAD_H

#include "plugin.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY ".libs/libwsfj.so"
#define PLUGIN_SHARED "tests/plugin/.libs/shared.so"
#define PLUGIN_OWN "tests/plugin/.libs/own.so"

/* Without shared libraries (--disable-shared) there is nothing to load. */
static inline int have_shared_library(void)
{
    return access(LIBRARY, R_OK) == 0;
}

struct loaded {
    void *handle;
    const struct plugin *plugin;
};

static inline struct loaded load(const char *path)
{
    struct loaded l = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};

    ck_assert_msg(l.handle != NULL, "%s", dlerror());
    l.plugin = dlsym(l.handle, "plugin");
    ck_assert_ptr_nonnull(l.plugin);
    return l;
}

static inline void unload(const struct loaded *l)
{
    ck_assert_int_eq(dlclose(l->handle), 0);
}

static inline void check_plugin(const struct plugin *p)
{
    long r = 0;

    ck_assert_int_eq(p->fib(15, &r), 0);
    ck_assert_int_eq(r, 610);
    ck_assert_int_eq(p->submit(300), 0);
}

#endif
