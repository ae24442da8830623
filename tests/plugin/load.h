/* SPDX-License-Identifier: MIT */
/* Loading the plugins: their files in the build directory, where tests run, and copies of them. */
#ifndef TESTS_PLUGIN_LOAD_H
#define TESTS_PLUGIN_LOAD_H

#include "plugin.h"

#include "../support/run.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY ".libs/libwsfj.so"
#define PLUGIN_SHARED "tests/plugin/.libs/shared.so"
#define PLUGIN_OWN "tests/plugin/.libs/own.so"

/* musl refuses to load an object with an initial-exec variable of its own after the program's start. Tried in a child
 * process, because a loaded object stays. */
static inline bool refuses_initial_exec(void)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        const char *error = dlopen(PLUGIN_OWN, RTLD_NOW | RTLD_LOCAL) ? NULL : dlerror();

        _exit(error && strstr(error, "initial-exec TLS"));
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* NULL, or why plugins cannot be loaded here. */
static inline const char *cannot_load(void)
{
    if (access(LIBRARY, R_OK) != 0)
        return "there is no shared library";
    return refuses_initial_exec() ? "this C library loads no initial-exec TLS" : NULL;
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
