/* SPDX-License-Identifier: MIT */
#include "base/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int wsfj_procfile_open(int directory, const char *path, int flags)
{
    int fd;

    do
        fd = openat(directory, path, flags | O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

ssize_t wsfj_procfile_read(int fd, char *buffer, size_t room)
{
    ssize_t n;

    do
        n = read(fd, buffer, room);
    while (n < 0 && errno == EINTR);
    return n;
}

#define END (-1)

/* The next character, without consuming it; END at the end. */
static int peek(struct wsfj_procfile *f)
{
    if (f->at == f->end) {
        ssize_t n = wsfj_procfile_read(f->fd, f->chunk, sizeof f->chunk);

        if (n <= 0)
            return END;
        f->at = 0;
        f->end = (size_t)n;
    }
    return (unsigned char)f->chunk[f->at];
}

bool wsfj_procfile_line(struct wsfj_procfile *f, char *line, size_t room)
{
    size_t length = 0;

    for (int c; (c = peek(f)) != END;) {
        f->at++;
        if (c != '\n') {
            if (length < room)
                line[length++] = (char)c;
        } else if (length < room) {
            line[length] = '\0';
            return true;
        } else {
            length = 0;
        }
    }
    return false;
}

static bool take_number(struct wsfj_procfile *f, unsigned *value)
{
    unsigned n = 0, digits = 0;

    for (int c; (c = peek(f)) >= '0' && c <= '9'; digits++) {
        f->at++;
        if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (unsigned)(c - '0'), &n))
            return false;
    }
    *value = n;
    return digits > 0;
}

bool wsfj_procfile_range(struct wsfj_procfile *f, unsigned *first, unsigned *last)
{
    if (peek(f) == ',')
        f->at++;
    if (!take_number(f, first))
        return false;
    *last = *first;
    if (peek(f) != '-')
        return true;
    f->at++;
    return take_number(f, last) && *last >= *first;
}

/* Not strtoull(), which accepts signs and blanks. */
bool wsfj_procfile_number(const char **at, uint64_t *value)
{
    const char *c = *at;
    uint64_t n = 0;

    for (; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (uint64_t)(*c - '0'), &n))
            return false;
    if (c == *at)
        return false;
    *at = c;
    *value = n;
    return true;
}

bool wsfj_procfile_lists(const char *list, const char *item)
{
    size_t length = strlen(item);

    for (;;) {
        size_t n = strcspn(list, ",");

        if (n == length && memcmp(list, item, n) == 0)
            return true;
        if (list[n] == '\0')
            return false;
        list += n + 1;
    }
}

static bool is_octal(char c, char most)
{
    return c >= '0' && c <= most;
}

void wsfj_procfile_unescape(char *text)
{
    char *to = text;

    for (const char *c = text; *c; to++) {
        if (c[0] == '\\' && is_octal(c[1], '3') && is_octal(c[2], '7') && is_octal(c[3], '7')) {
            *to = (char)((c[1] - '0') << 6 | (c[2] - '0') << 3 | (c[3] - '0'));
            c += 4;
        } else {
            *to = *c++;
        }
    }
    *to = '\0';
}
