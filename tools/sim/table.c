/* SPDX-License-Identifier: MIT */
#include "sweep.h"

#include "fail.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_rows;

static int width(size_t sweep)
{
    size_t most = strlen(sim_sweeps[sweep].name);

    for (size_t i = 0; i < sim_sweeps[sweep].count; i++)
        most = strlen(sim_sweeps[sweep].values[i]) > most ? strlen(sim_sweeps[sweep].values[i]) : most;
    return (int)most;
}

static bool has_intervals(void)
{
    return sim_options.runs > 1;
}

static void number(const struct sim_figure *f, double factor, int columns, int digits)
{
    printf(" %*.*f", columns, digits, factor * f->mean);
    if (has_intervals())
        printf(" +-%-8.*f", digits, factor * f->half);
}

static struct column {
    const char *title;
    enum sim_measure measure;
    double factor;
    int columns, digits;
} columns[SIM_MEASURE_COUNT] = {
    {"time/us", SIM_time_ns, 1e-3, 14, 3}, {"speed-up", SIM_speedup, 1, 10, 3}, {"effic./%", SIM_efficiency, 100, 9, 2},
    {"tasks", SIM_tasks, 1, 10, 0},        {"stolen", SIM_stolen, 1, 9, 0},     {"stolen/%", SIM_steal_rate, 100, 9, 3},
    {"failed", SIM_failed, 1, 9, 0},       {"idle/%", SIM_idle, 100, 7, 2},
};
static int num_columns = 8;

static void add_column(const char *name)
{
    int m = 0;

    while (m < SIM_MEASURE_COUNT && strcmp(sim_measure_names[m], name) != 0)
        m++;
    if (m == SIM_MEASURE_COUNT)
        sim_fail(SIM_EXIT_USAGE, "--columns: '%s' is no figure (--format csv has all names)", name);
    if (num_columns == SIM_MEASURE_COUNT)
        sim_fail(SIM_EXIT_USAGE, "--columns: more than there are figures");
    columns[num_columns++] = (struct column){sim_measure_names[m], (enum sim_measure)m, 1,
                                             strlen(name) < 9 ? 9 : (int)strlen(name), sim_measure_digits[m]};
}

void sim_table_columns(const char *list)
{
    char *copy = strdup(list), *rest = copy, *name;

    if (!copy)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for --columns");
    num_columns = 0;
    while ((name = strsep(&rest, ",")))
        add_column(name);
    free(copy);
}

static void text_begin(void)
{
    for (size_t i = 0; i < sim_num_sweeps; i++)
        printf("%s%*s", i ? " " : "", width(i), sim_sweeps[i].name);
    for (int i = 0; i < num_columns; i++)
        printf(" %*s%s", columns[i].columns, columns[i].title, has_intervals() ? " +-95 %   " : "");
    printf("\n");
}

static void text_row(const struct sim_row *row)
{
    for (size_t i = 0; i < sim_num_sweeps; i++)
        printf("%s%*s", i ? " " : "", width(i), row->values[i]);
    if (row->failed < row->runs)
        for (int i = 0; i < num_columns; i++)
            number(&row->figures[columns[i].measure], columns[i].factor, columns[i].columns, columns[i].digits);
    if (row->failed && row->runs > 1)
        printf("  %u of %u runs failed: %s", row->failed, row->runs, row->why);
    else if (row->failed)
        printf("  failed: %s", row->why);
    printf("\n");
}

static void csv_text(const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        printf("%s", text);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void csv_begin(void)
{
    for (size_t i = 0; i < sim_num_sweeps; i++)
        printf("sweep_%s,", sim_sweeps[i].name);
    printf("runs,failed_runs");
    for (int m = 0; m < SIM_MEASURE_COUNT; m++)
        printf(has_intervals() ? ",%s,%s_half95" : ",%s", sim_measure_names[m], sim_measure_names[m]);
    printf(",error\n");
}

/* Of a mean: more digits than a single value has. */
static int digits(int measure)
{
    return sim_measure_digits[measure] + (has_intervals() ? 3 : 0);
}

static void csv_number(double value, int measure)
{
    putchar(',');
    if (!isnan(value))
        printf("%.*f", digits(measure), value);
}

static void csv_row(const struct sim_row *row)
{
    for (size_t i = 0; i < sim_num_sweeps; i++) {
        csv_text(row->values[i]);
        putchar(',');
    }
    printf("%u,%u", row->runs, row->failed);
    for (int m = 0; m < SIM_MEASURE_COUNT; m++) {
        csv_number(row->figures[m].mean, m);
        if (has_intervals())
            csv_number(row->figures[m].half, m);
    }
    putchar(',');
    if (row->why)
        csv_text(row->why);
    putchar('\n');
}

static void json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void json_number(const char *name, const char *suffix, double value, int measure)
{
    printf(", \"%s%s\": ", name, suffix);
    if (isnan(value))
        printf("null");
    else
        printf("%.*f", digits(measure), value);
}

static void json_row(const struct sim_row *row)
{
    printf(has_rows ? ",\n {" : "\n {");
    for (size_t i = 0; i < sim_num_sweeps; i++) {
        json_text(sim_sweeps[i].name);
        printf(": ");
        json_text(row->values[i]);
        printf(", ");
    }
    printf("\"runs\": %u, \"failed_runs\": %u, \"error\": ", row->runs, row->failed);
    if (row->why)
        json_text(row->why);
    else
        printf("null");
    printf(", \"figures\": {\"count\": %u", row->runs - row->failed);
    for (int m = 0; m < SIM_MEASURE_COUNT; m++) {
        json_number(sim_measure_names[m], "", row->figures[m].mean, m);
        if (has_intervals())
            json_number(sim_measure_names[m], "_half95", row->figures[m].half, m);
    }
    printf("}}");
}

void sim_table_begin(void)
{
    switch (sim_options.format) {
    case SIM_FORMAT_TABLE: text_begin(); break;
    case SIM_FORMAT_CSV: csv_begin(); break;
    case SIM_FORMAT_JSON: printf("["); break;
    }
}

void sim_table_row(const struct sim_row *row)
{
    switch (sim_options.format) {
    case SIM_FORMAT_TABLE: text_row(row); break;
    case SIM_FORMAT_CSV: csv_row(row); break;
    case SIM_FORMAT_JSON: json_row(row); break;
    }
    has_rows = true;
}

void sim_table_end(void)
{
    if (sim_options.format == SIM_FORMAT_JSON)
        printf("\n]\n");
}
