/* SPDX-License-Identifier: MIT */
/*
 * The printf family: the format, what %s and %n point to, and the buffer. A format with numbered arguments (%1$s) is not
 * looked into. The stream itself is locked by the C library.
 */
#define _GNU_SOURCE
#include "libc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* The length of an argument's type. */
enum length { INT, CHAR, SHORT, LONG, LONG_LONG, LONG_DOUBLE, SIZE };

static enum length length_of(const char **f)
{
    switch (*(*f)++) {
    case 'h':
        if (**f != 'h')
            return SHORT;
        (*f)++;
        return CHAR;
    case 'l':
        if (**f != 'l')
            return LONG;
        (*f)++;
        return LONG_LONG;
    case 'q': return LONG_LONG;
    case 'L': return LONG_DOUBLE;
    case 'j':
    case 'z':
    case 't': return SIZE;
    default: (*f)--; return INT;
    }
}

static void string(const char *s, int precision, uintptr_t pc)
{
    size_t n;

    if (!s)
        return;
    n = precision < 0 ? strlen(s) + 1 : strnlen(s, (size_t)precision);
    race_range((uintptr_t)s, precision >= 0 && n < (size_t)precision ? n + 1 : n, READ, pc);
}

static void number(va_list *a, enum length length)
{
    if (length == LONG || length == LONG_LONG || length == SIZE)
        (void)va_arg(*a, long);
    else
        (void)va_arg(*a, int);
}

static size_t stored(enum length length)
{
    return length == CHAR ? 1 : length == SHORT ? sizeof(short) : length == INT ? sizeof(int) : sizeof(long);
}

static void arguments(const char *f, va_list *a, uintptr_t pc)
{
    while ((f = strchr(f, '%')) != NULL) {
        enum length length;
        int precision = -1;

        f++;
        if (strspn(f, "0123456789") && f[strspn(f, "0123456789")] == '$')
            return;
        f += strspn(f, "-+ #0'I");
        if (*f == '*') {
            (void)va_arg(*a, int);
            f++;
        }
        f += strspn(f, "0123456789");
        if (*f == '.') {
            f++;
            if (*f == '*') {
                precision = va_arg(*a, int);
                f++;
            } else {
                precision = atoi(f);
                f += strspn(f, "0123456789");
            }
        }
        length = length_of(&f);
        switch (*f ? *f++ : 0) {
        case 's':
            if (length == LONG)
                (void)va_arg(*a, wchar_t *);
            else
                string(va_arg(*a, const char *), precision, pc);
            break;
        case 'n': race_range((uintptr_t)va_arg(*a, void *), stored(length), WRITE, pc); break;
        case 'p':
        case 'S': (void)va_arg(*a, void *); break;
        case 'a':
        case 'A':
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            if (length == LONG_DOUBLE)
                (void)va_arg(*a, long double);
            else
                (void)va_arg(*a, double);
            break;
        case 'c':
        case 'C':
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X': number(a, length); break;
        case '%':
        case 'm': break;
        default: return; /* an extension: the type of its argument is not known */
        }
    }
}

static void formatted(const char *format, va_list a, uintptr_t pc)
{
    va_list copy;

    if (!race_checks())
        return;
    race_range((uintptr_t)format, strlen(format) + 1, READ, pc);
    va_copy(copy, a);
    arguments(format, &copy, pc);
    va_end(copy);
}

/* Of vsnprintf(): what is in the buffer afterwards. */
static void filled(char *to, size_t size, int printed, uintptr_t pc)
{
    if (printed >= 0 && size)
        race_range((uintptr_t)to, (size_t)printed < size ? (size_t)printed + 1 : size, WRITE, pc);
}

#define LIST(format)                                                                                                   \
    va_list a;                                                                                                         \
    va_start(a, format)

WRAP(int, vprintf, (const char *format, va_list a))
{
    formatted(format, a, RETURN_PC);
    return vprintf(format, a);
}
WRAP(int, vfprintf, (FILE * f, const char *format, va_list a))
{
    formatted(format, a, RETURN_PC);
    return vfprintf(f, format, a);
}
WRAP(int, vsnprintf, (char *to, size_t size, const char *format, va_list a))
{
    int n;

    formatted(format, a, RETURN_PC);
    n = vsnprintf(to, size, format, a);
    filled(to, size, n, RETURN_PC);
    return n;
}
WRAP(int, vsprintf, (char *to, const char *format, va_list a))
{
    int n;

    formatted(format, a, RETURN_PC);
    n = vsprintf(to, format, a);
    filled(to, SIZE_MAX, n, RETURN_PC);
    return n;
}
WRAP(int, printf, (const char *format, ...))
{
    int n;

    LIST(format);
    formatted(format, a, RETURN_PC);
    n = vprintf(format, a);
    va_end(a);
    return n;
}
WRAP(int, fprintf, (FILE * f, const char *format, ...))
{
    int n;

    LIST(format);
    formatted(format, a, RETURN_PC);
    n = vfprintf(f, format, a);
    va_end(a);
    return n;
}
WRAP(int, dprintf, (int fd, const char *format, ...))
{
    int n;

    LIST(format);
    formatted(format, a, RETURN_PC);
    n = vdprintf(fd, format, a);
    va_end(a);
    return n;
}
WRAP(int, snprintf, (char *to, size_t size, const char *format, ...))
{
    int n;

    LIST(format);
    formatted(format, a, RETURN_PC);
    n = vsnprintf(to, size, format, a);
    va_end(a);
    filled(to, size, n, RETURN_PC);
    return n;
}
WRAP(int, sprintf, (char *to, const char *format, ...))
{
    int n;

    LIST(format);
    formatted(format, a, RETURN_PC);
    n = vsprintf(to, format, a);
    va_end(a);
    filled(to, SIZE_MAX, n, RETURN_PC);
    return n;
}
WRAP(int, asprintf, (char **to, const char *format, ...))
{
    int n;

    LIST(format);
    formatted(format, a, RETURN_PC);
    n = vasprintf(to, format, a);
    va_end(a);
    WRITES(to, sizeof *to);
    return n;
}
