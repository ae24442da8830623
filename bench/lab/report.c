/* SPDX-License-Identifier: MIT */
/* Tables and findings: files in the results' folder. */
#include "lab.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static FILE *create(struct lab *lab, const char *part, const char *suffix)
{
    char path[1024];
    int n = snprintf(path, sizeof path, "%s/%s%s%s.%s", lab->out, lab->name, part[0] ? "-" : "", part, suffix);
    FILE *file = n < (int)sizeof path ? fopen(path, "w") : NULL;

    if (!file)
        fprintf(stderr, "wsfj-lab: %s: %s\n", path, strerror(errno));
    lab_need(lab, file != NULL, "a file for the results");
    return file;
}

static unsigned columns_of(const char *line)
{
    unsigned n = 1;

    for (; *line; line++)
        n += *line == ',';
    return n;
}

void lab_table(struct lab *lab, const char *part, const char *columns)
{
    if (lab->table)
        lab_need(lab, fclose(lab->table) == 0, "room for the results");
    lab->table = create(lab, part, "csv");
    lab->columns = columns_of(columns);
    fprintf(lab->table, "%s\n", columns);
}

void lab_row(struct lab *lab, const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    lab_need(lab, columns_of(line) == lab->columns, "a row with as many values as columns");
    fprintf(lab->table, "%s\n", line);
    if (!lab->quick)
        fprintf(stderr, "%s,%s\n", lab->name, line);
}

/* Whether a finding is new; one without room in the table is written each time. */
static bool is_new(struct lab *lab, const char *line)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (; *line; line++)
        hash = (hash ^ (unsigned char)*line) * 1099511628211u;
    for (unsigned i = 0; i < lab->num_said; i++)
        if (lab->said[i] == hash)
            return false;
    if (lab->num_said < sizeof lab->said / sizeof *lab->said)
        lab->said[lab->num_said++] = hash;
    return true;
}

static void find(struct lab *lab, const char *word, const char *format, va_list arguments)
{
    char line[512];

    vsnprintf(line, sizeof line, format, arguments);
    if (!is_new(lab, line))
        return;
    if (!lab->findings)
        lab->findings = create(lab, "", "findings");
    fprintf(lab->findings, "%s: %s\n", word, line);
    if (strcmp(word, "broken") == 0 || !lab->quick)
        fprintf(stderr, "%s: %s: %s\n", lab->name, word, line);
}

void lab_must(struct lab *lab, bool held, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    find(lab, held ? "held" : "broken", format, arguments);
    va_end(arguments);
    lab->broken += !held;
}

void lab_saw(struct lab *lab, bool seen, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    find(lab, seen ? "seen" : "not seen", format, arguments);
    va_end(arguments);
}

void lab_need(struct lab *lab, bool there, const char *what)
{
    if (there)
        return;
    fprintf(stderr, "wsfj-lab: %s: cannot go on without %s\n", lab->name, what);
    exit(EXIT_FAILURE);
}

void *lab_alloc(struct lab *lab, size_t n, size_t size)
{
    void *memory = calloc(n, size);

    lab_need(lab, memory != NULL, "memory");
    return memory;
}
