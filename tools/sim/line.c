/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define COST_LIMIT 9223372036854775808.0

void line_begin(struct line *l, FILE *file, const char *name, char *error, size_t size)
{
    *l = (struct line){.file = file, .name = name, .error = error, .error_size = size};
    error[0] = '\0';
}

void line_free(struct line *l)
{
    free(l->text);
    l->text = NULL;
}

bool line_fail(struct line *l, const char *format, ...)
{
    va_list values;
    int n;

    if (l->has_failed)
        return false;
    l->has_failed = true;
    n = snprintf(l->error, l->error_size, "%.200s:%llu: ", l->name, (unsigned long long)l->number);
    va_start(values, format);
    if (n >= 0 && (size_t)n < l->error_size)
        vsnprintf(l->error + n, l->error_size - (size_t)n, format, values);
    va_end(values);
    return false;
}

bool line_next(struct line *l)
{
    ssize_t n;

    if (l->has_failed)
        return false;
    errno = 0;
    n = getline(&l->text, &l->room, l->file);
    if (n < 0) {
        if (errno == ENOMEM)
            return line_fail(l, "no memory");
        return ferror(l->file) ? line_fail(l, "cannot be read (%s)", strerror(errno)) : false;
    }
    l->number++;
    l->has_end = l->text[n - 1] == '\n';
    l->length = (size_t)n - l->has_end;
    l->text[l->length] = '\0';
    l->at = l->text;
    if (strlen(l->text) != l->length)
        return line_fail(l, "a byte 0 in the text");
    return true;
}

char *line_word(struct line *l)
{
    char *word = l->at + strspn(l->at, " \t\r"), *end = word + strcspn(word, " \t\r");

    if (end == word)
        return NULL;
    l->at = end + (*end != '\0');
    *end = '\0';
    return word;
}

char *line_rest(struct line *l)
{
    return l->at;
}

bool line_whole(struct line *l, const char *word, const char *what, uint64_t most, uint64_t *value)
{
    unsigned long long n;
    char *end;

    if (!word)
        return line_fail(l, "%s is missing", what);
    if (*word == '-')
        return line_fail(l, "%s %.40s is negative", what, word);
    errno = 0;
    n = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end)
        return line_fail(l, "%s %.40s is no whole number", what, word);
    if (errno == ERANGE || n > most)
        return line_fail(l, "%s %.40s is above %llu", what, word, (unsigned long long)most);
    *value = n;
    return true;
}

bool line_cost(struct line *l, const char *word, const char *what, double *value)
{
    char *end;

    if (!word)
        return line_fail(l, "%s is missing", what);
    if (*word == '-')
        return line_fail(l, "%s %.40s is negative", what, word);
    if (strspn(word, "0123456789.eE+-") != strlen(word) || *word < '0' || *word > '9')
        return line_fail(l, "%s %.40s is no number", what, word);
    *value = strtod(word, &end);
    if (*end)
        return line_fail(l, "%s %.40s is no number", what, word);
    if (!(*value < COST_LIMIT))
        return line_fail(l, "%s %.40s is 2^63 or more", what, word);
    return true;
}

/* An array doubles when its size is a power of two. */
bool line_room(struct line *l, void *array, size_t n, size_t size)
{
    void **pointer = array, *more;

    if (n & (n - 1))
        return true;
    more = n > SIZE_MAX / 2 / size ? NULL : realloc(*pointer, (n ? n * 2 : 1) * size);
    if (!more)
        return line_fail(l, "no memory");
    *pointer = more;
    return true;
}
