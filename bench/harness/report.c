/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "entry.h"
#include "table.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum kind { TEXT, WHOLE, REAL, TRUTH };

/* The columns of CSV and the keys of JSON. */
static const struct field {
    const char *key;
    enum kind kind;
    size_t offset;
} fields[] = {
#define FIELD(key, kind)                                                                                               \
    {                                                                                                                  \
#key, kind, offsetof(struct entry, key)                                                                        \
    }
    FIELD(kernel, TEXT),         FIELD(size, WHOLE),        FIELD(workers, WHOLE), FIELD(runs, WHOLE),
    FIELD(serial_s, REAL),       FIELD(median_s, REAL),     FIELD(min_s, REAL),    FIELD(max_s, REAL),
    FIELD(overhead, REAL),       FIELD(speedup, REAL),      FIELD(spawns, WHOLE),  FIELD(ns_per_spawn, REAL),
    FIELD(steals, WHOLE),        FIELD(suspensions, WHOLE), FIELD(stacks, WHOLE),  FIELD(rss_kb, WHOLE),
    FIELD(serial_rss_kb, WHOLE), FIELD(ok, TRUTH),
};

#define NUM_FIELDS (sizeof fields / sizeof *fields)

/* `unknown` stands for NAN. The only texts are names of kernels, which need no escapes. */
static void put_value(const struct entry *e, const struct field *f, const char *quote, const char *unknown)
{
    const void *value = (const char *)e + f->offset;

    if (f->kind == TEXT)
        printf("%s%s%s", quote, *(const char *const *)value, quote);
    else if (f->kind == TRUTH)
        fputs(*(const int *)value ? "true" : "false", stdout);
    else if (!isfinite(*(const double *)value))
        fputs(unknown, stdout);
    else
        printf(f->kind == WHOLE ? "%.0f" : "%.9g", *(const double *)value);
}

static void csv_begin(void)
{
    for (size_t i = 0; i < NUM_FIELDS; i++)
        printf("%s%s", i ? "," : "", fields[i].key);
    puts("");
}

static void csv_add(const struct entry *e)
{
    for (size_t i = 0; i < NUM_FIELDS; i++) {
        fputs(i ? "," : "", stdout);
        put_value(e, &fields[i], "", "");
    }
    puts("");
}

/* A key and a text of printable ASCII. */
static void json_text(const char *key, const char *text)
{
    printf("\"%s\": \"", key);
    for (; *text; text++)
        printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputs("\"", stdout);
}

static void json_begin(const struct machine *machine)
{
    fputs("{\"machine\": {", stdout);
    json_text("cpu_model", machine->cpu_model);
    printf(", \"cpus\": %zu, ", machine->cpus);
    json_text("kernel", machine->kernel);
    fputs(", ", stdout);
    json_text("compiler", machine->compiler);
    fputs(", ", stdout);
    json_text("version", machine->version);
    fputs("},\n \"results\": [", stdout);
}

static void json_add(const struct entry *e)
{
    static int is_later;

    fputs(is_later ? ",\n  {" : "\n  {", stdout);
    is_later = 1;
    for (size_t i = 0; i < NUM_FIELDS; i++) {
        printf("%s\"%s\": ", i ? ", " : "", fields[i].key);
        put_value(e, &fields[i], "\"", "null");
    }
    fputs("}", stdout);
}

void report_begin(enum options_format format, const struct machine *machine, unsigned runs)
{
    switch (format) {
    case OPTIONS_TABLE: table_begin(machine, runs); break;
    case OPTIONS_CSV: csv_begin(); break;
    case OPTIONS_JSON: json_begin(machine); break;
    }
}

void report_add(enum options_format format, const struct measurement *m)
{
    for (size_t i = 0; i < m->num_counts; i++) {
        struct entry e = entry_of(m, i);

        switch (format) {
        case OPTIONS_TABLE: table_add(&e); break;
        case OPTIONS_CSV: csv_add(&e); break;
        case OPTIONS_JSON: json_add(&e); break;
        }
    }
    fflush(stdout);
}

void report_end(enum options_format format)
{
    if (format == OPTIONS_JSON)
        puts("\n]}");
}
