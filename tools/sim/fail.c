/* SPDX-License-Identifier: MIT */
#include "fail.h"

#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sim_fail(enum sim_exit status, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    sim_log_end();
    fflush(stdout);
    fprintf(stderr, "wsfj-sim: %s\n", line);
    _exit((int)status); /* no handler of the library's: it may wait for a virtual thread */
}

bool sim_printed(void)
{
    bool ok = fflush(stdout) == 0 && !ferror(stdout);

    if (!ok)
        fprintf(stderr, "wsfj-sim: stdout: %s\n", strerror(errno));
    return ok;
}

void *sim_new(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);

    if (!p)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for %zu times %zu bytes", n, size);
    return p;
}

void *sim_again(void *old, size_t size)
{
    void *p = realloc(old, size);

    if (!p)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for %zu bytes", size);
    return p;
}
