/* SPDX-License-Identifier: MIT */
#include "source.h"

#include "put.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text from the file must not move the cursor of a terminal. */
static void harmless(char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = view_character(text);
        if (!n)
            *text = '?';
    }
}

/* The line and column of a position. */
static void put_place(const struct view_source *s, size_t at, char *to, size_t room)
{
    size_t line = 1, start = 0;

    at = at < s->size ? at : s->size;
    for (const char *c = s->bytes; c && (c = memchr(c, '\n', at - (size_t)(c - s->bytes))) != NULL; c++) {
        line++;
        start = (size_t)(c - s->bytes) + 1;
    }
    snprintf(to, room, "%zu:%zu", line, at - start + 1);
}

bool view_fail(struct view_source *s, size_t at, const char *format, ...)
{
    char place[48], what[300];
    va_list arguments;

    if (s->error[0])
        return false;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    put_place(s, at, place, sizeof place);
    snprintf(s->error, sizeof s->error, "%.60s:%s: %.280s", s->name, place, what);
    harmless(s->error);
    return false;
}

/* Records an error of the whole file. */
static bool fail_whole(struct view_source *s, const char *what)
{
    snprintf(s->error, sizeof s->error, "%.100s: %s", s->name, what);
    harmless(s->error);
    return false;
}

static bool read_all(struct view_source *s, FILE *file)
{
    for (size_t n = 1; n > 0; s->size += n) {
        if (s->size == s->room) {
            size_t room = s->room ? s->room * 2 : (size_t)1 << 20;
            char *more = realloc(s->bytes, room);

            if (!more)
                return fail_whole(s, "no memory for so large a file");
            s->bytes = more;
            s->room = room;
        }
        n = fread(s->bytes + s->size, 1, s->room - s->size, file);
    }
    return !ferror(file) || fail_whole(s, strerror(errno));
}

bool view_source_read(struct view_source *s, const char *name)
{
    bool is_stdin = strcmp(name, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(name, "rb");
    bool ok;

    *s = (struct view_source){.name = is_stdin ? "stdin" : name};
    if (!file)
        return fail_whole(s, strerror(errno));
    ok = read_all(s, file);
    if (!is_stdin)
        fclose(file);
    return ok && (s->size > 0 || fail_whole(s, "the file is empty: the process has not come to write it"));
}

void view_source_free(struct view_source *s)
{
    free(s->bytes);
    s->bytes = NULL;
}

void view_source_skip(struct view_source *s)
{
    while (s->at < s->size && memchr(" \t\r\n", s->bytes[s->at], 4))
        s->at++;
}

bool view_source_take(struct view_source *s, char sign)
{
    view_source_skip(s);
    if (s->at == s->size || s->bytes[s->at] != sign)
        return false;
    s->at++;
    return true;
}

json_t *view_source_value(struct view_source *s)
{
    json_error_t error;
    json_t *value;

    view_source_skip(s);
    value = json_loadb(s->bytes + s->at, s->size - s->at,
                       JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    if (!value) {
        size_t passed = error.position > 0 ? (size_t)error.position : 0;

        if (passed >= s->size - s->at)
            (void)view_fail(s, s->size, "the file ends here, cut short");
        else
            (void)view_fail(s, s->at + passed, "no JSON: %s", error.text);
        return NULL;
    }
    s->at += (size_t)error.position;
    return value;
}
