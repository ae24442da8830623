/* SPDX-License-Identifier: MIT */
/* A profiled program in a process of its own, and what its CSV says. Include it before anything that includes
 * wsfj.h. */
#ifndef TESTS_USER_PROFILE_H
#define TESTS_USER_PROFILE_H

#define WSFJ_PROFILE
#include "../support/process.h"

#include <stdint.h>
#include <string.h>
#include <wsfj.h>

#define ROWS_MOST 16

struct row {
    char kind[16], file[300], task[100], unit[16];
    unsigned line;
    unsigned long long count, strands;
    double work, span, burdened, parallelism, burdened_parallelism, strand;
    unsigned long long regions, unfinished;
    double steal, join, sampled, error, blocked, longest, span_least, span_most;
    int measured;
};

struct profile {
    struct outcome outcome;
    int rows; /* -1: there is no file */
    struct row row[ROWS_MOST];
};

static inline const struct row *profile_site(const struct profile *p, const char *task)
{
    for (int i = 1; i < p->rows; i++)
        if (strcmp(p->row[i].task, task) == 0)
            return &p->row[i];
    ck_abort_msg("no row for %s", task);
    return NULL;
}

/* Takes a field, without its quotes, and the comma behind it. */
static inline const char *take_field(const char *line, char *field, size_t size)
{
    size_t n = 0;
    int quoted = *line == '"';

    for (line += quoted; *line && (quoted ? *line != '"' : *line != ',' && *line != '\n'); line++)
        if (n < size - 1)
            field[n++] = *line;
    field[n] = '\0';
    line += quoted;
    return *line == ',' ? line + 1 : line;
}

static inline void read_row(const char *line, struct row *r)
{
    enum { COLUMNS = 25 };
    char field[COLUMNS][300];

    for (int i = 0; i < COLUMNS; i++)
        line = take_field(line, field[i], sizeof field[i]);
    ck_assert_msg(*line == '\n', "more columns than there are headings: %s", line);
    snprintf(r->kind, sizeof r->kind, "%.15s", field[0]);
    snprintf(r->file, sizeof r->file, "%s", field[1]);
    r->line = (unsigned)atoi(field[2]);
    snprintf(r->task, sizeof r->task, "%.99s", field[3]);
    r->count = strtoull(field[4], NULL, 10);
    r->work = atof(field[5]);
    r->span = atof(field[6]);
    r->burdened = atof(field[7]);
    r->parallelism = atof(field[8]);
    r->burdened_parallelism = atof(field[9]);
    r->strands = strtoull(field[10], NULL, 10);
    r->strand = atof(field[11]);
    snprintf(r->unit, sizeof r->unit, "%.15s", field[12]);
    r->regions = strtoull(field[13], NULL, 10);
    r->unfinished = strtoull(field[14], NULL, 10);
    r->steal = atof(field[15]);
    r->join = atof(field[16]);
    r->measured = atoi(field[17]);
    r->sampled = atof(field[18]);
    r->error = atof(field[19]);
    r->blocked = atof(field[20]);
    r->longest = atof(field[21]);
    r->span_least = atof(field[23]);
    r->span_most = atof(field[24]);
    if (strcmp(r->kind, "total") == 0) {
        ck_assert_double_le(r->span_least, r->span);
        ck_assert_double_ge(r->span_most, r->span);
    }
    ck_assert_msg(strcmp(r->kind, "total") == 0 || r->longest <= r->span * 1.000001, "longer than all: %s", field[21]);
    ck_assert_msg((strcmp(r->kind, "total") == 0) == (*field[22] != '\0'), "the program stands in the total: %s",
                  field[22]);
}

static inline int read_rows(const char *path, struct row *rows)
{
    FILE *f = fopen(path, "r");
    char line[4000];
    int n = 0;

    if (!f)
        return -1;
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    ck_assert_str_eq(
        line,
        "kind,file,line,task,count,work,span,burdened_span,parallelism,burdened_parallelism,"
        "strands,strand,unit,regions,unfinished,steal,join,measured,sampled,error,blocked,longest,program,span_least,span_most\n");
    while (n < ROWS_MOST && fgets(line, sizeof line, f))
        read_row(line, &rows[n++]);
    fclose(f);
    ck_assert_str_eq(rows[0].kind, "total");
    return n;
}

/* Runs `body(argument)` in a child that ends by exit(), and reads its profile. */
static inline struct profile profile_of(int (*body)(long argument), long argument, const char *unit, const char *workers)
{
    struct profile p = {.rows = -1};
    struct child child;
    char path[100];

    snprintf(path, sizeof path, "/tmp/wsfj-profile-%ld.csv", (long)getpid());
    unlink(path);
    fflush(NULL);
    if (begin_child(&child)) {
        setenv("WSFJ_PROFILE_OUT", path, 1);
        setenv("WSFJ_PROFILE_UNIT", unit, 1);
        setenv("WSFJ_NUM_WORKERS", workers, 1);
        exit(body(argument));
    }
    p.outcome = end_child(&child);
    p.rows = read_rows(path, p.row);
    unlink(path);
    return p;
}

/* In units, where all is known exactly; it must say nothing. */
static inline struct profile units_of(int (*body)(long argument), long argument)
{
    struct profile p = profile_of(body, argument, "1", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, "");
    ck_assert_int_ge(p.rows, 1);
    ck_assert_str_eq(p.row[0].unit, "units");
    return p;
}

#endif
