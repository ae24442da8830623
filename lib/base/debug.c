/* SPDX-License-Identifier: MIT */
#include "base/debug.h"

#include "base/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Longer lines are cut. */
#define LINE_MOST 512

/* Values from the environment may contain newlines and escape sequences for the terminal. */
static void blot_controls(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == '\x7f')
            text[i] = '?';
}

static void put(const char *prefix, bool is_line, const char *format, va_list arguments)
{
    char line[LINE_MOST];
    size_t room = sizeof line - 1;
    int used = snprintf(line, room, "%s", prefix);
    int text = vsnprintf(line + used, room - (size_t)used, format, arguments);
    size_t length = (size_t)used + (text < 0 ? 0 : (size_t)text);

    if (length > room - 1)
        length = room - 1;
    if (is_line) {
        blot_controls(line, length);
        line[length++] = '\n';
    }
    wsfj_write(line, length);
}

void wsfj_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put("libwsfj: ", true, format, arguments);
    va_end(arguments);
}

void wsfj_print(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put("", false, format, arguments);
    va_end(arguments);
}

void wsfj_write(const char *text, size_t length)
{
    (void)wsfj_output_write(wsfj_output_stderr(), text, length); /* there is nowhere to report an error */
}

#ifdef WSFJ_DEBUG
void wsfj_assert_failed(const char *what, const char *file, int line)
{
    wsfj_say("%s:%d: broken invariant: %s", file, line, what);
    abort();
}
#endif
