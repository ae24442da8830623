/* SPDX-License-Identifier: MIT */
#include "debug.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A line is never longer; what is longer is cut. */
#define LINE_MOST 512

static void put(const char *prefix, const char *suffix, const char *format, va_list arguments)
{
    char line[LINE_MOST];
    size_t room = sizeof line - 1;
    int used = snprintf(line, room, "%s", prefix);
    int text = vsnprintf(line + used, room - (size_t)used, format, arguments);
    size_t length = (size_t)used + (text < 0 ? 0 : (size_t)text);

    if (length > room - 1)
        length = room - 1;
    length += (size_t)snprintf(line + length, sizeof line - length, "%s", suffix);
    if (write(STDERR_FILENO, line, length) < 0)
        return; /* nobody listens */
}

void wsfj_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put("libwsfj: ", "\n", format, arguments);
    va_end(arguments);
}

void wsfj_print(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put("", "", format, arguments);
    va_end(arguments);
}

#ifdef WSFJ_DEBUG
void wsfj_assert_failed(const char *what, const char *file, int line)
{
    wsfj_say("%s:%d: broken invariant: %s", file, line, what);
    abort();
}
#endif
