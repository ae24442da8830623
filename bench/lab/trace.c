/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE 1 /* setenv(), dup() */
#include "trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int standard_error = -1;
static unsigned traces; /* of this process: the second one's file is FILE.2.json */

static void path_of(char *path, size_t size, const struct lab *lab, const char *suffix)
{
    snprintf(path, size, "%s/%s.%s", lab->out, lab->name, suffix);
}

static FILE *open_for_reading(struct lab *lab, const char *suffix)
{
    char path[1024];
    FILE *file;

    path_of(path, sizeof path, lab, suffix);
    file = fopen(path, "r");
    lab_need(lab, file != NULL, suffix);
    return file;
}

void trace_begin(struct lab *lab)
{
    char path[1024];
    int file;

    path_of(path, sizeof path, lab, "json");
    remove(path);
    lab_need(lab, setenv("WSFJ_TRACE", path, 1) == 0 && setenv("WSFJ_SCHEDTRACE", "1", 1) == 0, "variables");
    path_of(path, sizeof path, lab, "schedtrace");
    fflush(stderr);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    standard_error = dup(STDERR_FILENO);
    lab_need(lab, file >= 0 && standard_error >= 0 && dup2(file, STDERR_FILENO) >= 0, "a file for the schedtrace");
    close(file);
}

void trace_end(struct lab *lab)
{
    char path[1024], numbered[1024], suffix[32];

    lab_need(lab, dup2(standard_error, STDERR_FILENO) >= 0, "standard error");
    close(standard_error);
    unsetenv("WSFJ_TRACE");
    unsetenv("WSFJ_SCHEDTRACE");
    if (++traces == 1)
        return;
    snprintf(suffix, sizeof suffix, "%u.json", traces);
    path_of(path, sizeof path, lab, "json");
    path_of(numbered, sizeof numbered, lab, suffix);
    lab_need(lab, rename(numbered, path) == 0, "a trace");
}

/* The text after "KEY": in a line that is one event; NULL if there is none. */
static const char *after(const char *line, const char *key)
{
    char quoted[32];
    const char *at;

    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    at = strstr(line, quoted);
    return at ? at + strlen(quoted) : NULL;
}

static void copy_string(char *to, size_t size, const char *from)
{
    size_t length = from && *from == '"' ? strcspn(from + 1, "\"") : 0;

    length = length < size ? length : size - 1;
    if (length)
        memcpy(to, from + 1, length);
    to[length] = '\0';
}

static double number(const char *text)
{
    return text ? strtod(text, NULL) : 0;
}

size_t trace_read(struct lab *lab, void (*visit)(void *context, const struct trace_event *event), void *context)
{
    FILE *file = open_for_reading(lab, "json");
    char line[1024];
    size_t n = 0;

    while (fgets(line, sizeof line, file)) {
        struct trace_event e = {0};
        char phase[4];

        copy_string(phase, sizeof phase, after(line, "ph"));
        if (strcmp(phase, "X") != 0 && strcmp(phase, "i") != 0)
            continue;
        e.phase = phase[0];
        copy_string(e.name, sizeof e.name, after(line, "name"));
        copy_string(e.category, sizeof e.category, after(line, "cat"));
        e.worker = (unsigned)number(after(line, "tid")) - 1;
        e.begin_us = number(after(line, "ts"));
        e.length_us = number(after(line, "dur"));
        visit(context, &e);
        n++;
    }
    fclose(file);
    return n;
}

size_t trace_lines(struct lab *lab, void (*visit)(void *context, const char *line), void *context)
{
    FILE *file = open_for_reading(lab, "schedtrace");
    char line[1024];
    size_t n = 0;

    for (; fgets(line, sizeof line, file); n++)
        visit(context, line);
    fclose(file);
    return n;
}

double trace_value(const char *line, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = line; (at = strstr(at, key)); at += length)
        if (at[length] == '=' && (at == line || at[-1] == ' '))
            return strtod(at + length + 1, NULL);
    return -1;
}
