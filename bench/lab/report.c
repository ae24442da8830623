/* SPDX-License-Identifier: MIT */
/* Tables and findings: files in the results' folder. */
#include "lab.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a table that are aligned on standard output. */
#define COLUMNS_MOST 32

static FILE *create(struct lab *lab, const char *part, const char *suffix)
{
    char path[1024];
    FILE *temporary = lab->out ? NULL : tmpfile();

    if (!lab->out) {
        lab_need(lab, temporary != NULL, "a temporary file");
        return temporary;
    }

    int n = snprintf(path, sizeof path, "%s/%s%s%s.%s", lab->out, lab->name, part[0] ? "-" : "", part, suffix);
    FILE *file = n < (int)sizeof path ? fopen(path, "w+") : NULL;

    if (!file)
        fprintf(stderr, "wsfj-lab: %s: %s\n", path, strerror(errno));
    lab_need(lab, file != NULL, "a file for the results");
    return file;
}

/* How wide each of the table's columns is. */
static void find_widths(FILE *file, unsigned *widths)
{
    unsigned column = 0, width = 0;

    rewind(file);
    for (int c = getc(file); c != EOF; c = getc(file)) {
        if (c != ',' && c != '\n') {
            width++;
            continue;
        }
        if (column < COLUMNS_MOST && width > widths[column])
            widths[column] = width;
        column = c == '\n' ? 0 : column + 1;
        width = 0;
    }
}

/* A table with its columns below each other, to standard output. */
static void print_table(FILE *file)
{
    unsigned widths[COLUMNS_MOST] = {0}, column = 0, width = 0;

    find_widths(file, widths);
    rewind(file);
    for (int c = getc(file); c != EOF; c = getc(file)) {
        if (c == ',') {
            printf("%*s", column < COLUMNS_MOST ? (int)(widths[column] - width + 2) : 2, "");
            column++;
            width = 0;
            continue;
        }
        putchar(c);
        width = c == '\n' ? 0 : width + 1;
        column = c == '\n' ? 0 : column;
    }
}

static void print_lines(FILE *file)
{
    rewind(file);
    for (int c = getc(file); c != EOF; c = getc(file))
        putchar(c);
}

/* Ends a file after it was shown, where it is to be shown. */
static void end(struct lab *lab, FILE **file, void (*print)(FILE *file))
{
    if (!*file)
        return;
    if (lab->is_own)
        print(*file);
    lab_need(lab, !ferror(*file) && fclose(*file) == 0, "room for the results");
    *file = NULL;
}

void lab_close(struct lab *lab)
{
    lab_need(lab, lab->table && lab->findings, "a table and findings");
    end(lab, &lab->table, print_table);
    end(lab, &lab->findings, print_lines);
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
    end(lab, &lab->table, print_table);
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
    if (!lab->quick && !lab->is_own)
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

static __attribute__((format(printf, 3, 0))) void find(struct lab *lab, const char *word, const char *format,
                                                       va_list arguments)
{
    char line[512];

    vsnprintf(line, sizeof line, format, arguments);
    if (!is_new(lab, line))
        return;
    if (!lab->findings)
        lab->findings = create(lab, "", "findings");
    fprintf(lab->findings, "%s: %s\n", word, line);
    if (strcmp(word, "broken") == 0 || (!lab->quick && !lab->is_own))
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

void lab_find(struct lab *lab, const char *word, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    find(lab, word, format, arguments);
    va_end(arguments);
}

bool lab_differs(struct lab *lab, const double *a, const double *b, size_t n, const char *format, ...)
{
    struct sample_ratio ratio = sample_compare(a, b, n);
    bool differs = ratio.least > 1 || ratio.most < 1;
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!isfinite(ratio.most))
        lab_find(lab, "noise", "%s %.2f times as long: %zu rounds are too few to tell", what, ratio.median, n);
    else
        lab_find(lab, differs ? "seen" : "noise", "%s %.2f times as long (%.2f to %.2f, %zu rounds)%s", what,
                 ratio.median, ratio.least, ratio.most, n, differs ? "" : ": within the noise");
    return differs;
}

struct lab_list lab_values(const struct lab *lab, enum lab_option option, struct lab_list usual, unsigned quick)
{
    if (lab->own[option].n)
        return lab->own[option];
    usual.n = lab->quick && quick < usual.n ? quick : usual.n;
    return usual;
}

struct lab_text lab_percentile(double value)
{
    struct lab_text t = {"-"};

    if (!isnan(value))
        snprintf(t.text, sizeof t.text, "%.1f", value);
    return t;
}

struct lab_text lab_ratio(struct sample_ratio ratio)
{
    struct lab_text t;

    if (isfinite(ratio.most))
        snprintf(t.text, sizeof t.text, "%.2f,%.2f,%.2f", ratio.median, ratio.least, ratio.most);
    else
        snprintf(t.text, sizeof t.text, "%.2f,-,-", ratio.median);
    return t;
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
