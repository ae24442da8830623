/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include "array.h"

#include <math.h>
#include <string.h>

#define FIELDS_MOST 64
#define SPAN_COEFFICIENT 1.7

static const char head[] = "kind,file,line,task,count,";

enum column {
    KIND,
    FILE_NAME,
    LINE,
    TASK,
    COUNT,
    WORK,
    SPAN,
    BURDENED,
    STRANDS,
    UNIT,
    BLOCKED,
    LONGEST,
    PROGRAM,
    SPAN_LEAST,
    SPAN_MOST,
    REGIONS,
    UNFINISHED,
    STEAL,
    JOIN,
    MEASURED,
    SAMPLED,
    ERROR,
    COLUMNS
};
static const char *const columns[COLUMNS] = {
    "kind",       "file",  "line",    "task",     "count",   "work",       "span",      "burdened_span",
    "strands",    "unit",  "blocked", "longest",  "program", "span_least", "span_most", "regions",
    "unfinished", "steal", "join",    "measured", "sampled", "error"};

bool view_profile_is(const struct view_source *s)
{
    return s->size >= sizeof head - 1 && memcmp(s->bytes, head, sizeof head - 1) == 0;
}

/* A row according to RFC 4180; its fields are split in place. */
struct row {
    size_t place;
    int count;
    char *field[FIELDS_MOST];
};

/* Ends the field at `at` with a 0, and says whether it is the last of its row. False: the field has no end. */
static bool take_field(struct view_source *s, char **field, bool *is_last)
{
    char *to = s->bytes + s->at, *end = s->bytes + s->size, *c = to;
    bool quoted = *c == '"';

    *field = to;
    for (c += quoted; c < end; c++) {
        if (quoted && *c == '"' && (c + 1 == end || c[1] != '"')) {
            quoted = false;
            continue;
        }
        if (quoted && *c == '"')
            c++; /* two quotes stand for one */
        else if (!quoted && (*c == ',' || *c == '\n'))
            break;
        *to++ = *c;
    }
    s->at = (size_t)(c - s->bytes);
    if (quoted)
        return view_fail(s, (size_t)(*field - s->bytes), "a quote without an end");
    if (c == end)
        return view_fail(s, s->size, "the file ends here, cut short");
    *is_last = *c == '\n';
    s->at++;
    *to = '\0'; /* a separator, or before it */
    if (*is_last && to > *field && to[-1] == '\r')
        to[-1] = '\0';
    return true;
}

static bool take_row(struct view_source *s, struct row *row)
{
    bool is_last = false;

    if (s->at > 0)
        s->bytes[s->at - 1] = '\n'; /* put back: lines are counted by it */
    row->place = s->at;
    for (row->count = 0; !is_last; row->count++) {
        if (row->count == FIELDS_MOST)
            return view_fail(s, row->place, "too many columns");
        if (s->at == s->size)
            return view_fail(s, s->size, "the file ends here, cut short");
        if (!take_field(s, &row->field[row->count], &is_last))
            return false;
    }
    return true;
}

/* The field of each column; -1: the file is older than the column. */
static bool find_columns(struct view_source *s, const struct row *names, int *at)
{
    for (int i = 0; i < COLUMNS; i++) {
        at[i] = 0;
        while (at[i] < names->count && strcmp(names->field[at[i]], columns[i]) != 0)
            at[i]++;
        if (at[i] == names->count && i >= BLOCKED) /* an older library has not written it */
            at[i] = -1;
        else if (at[i] == names->count)
            return view_fail(s, names->place, "not a profile of libwsfj: there is no column %s", columns[i]);
    }
    return true;
}

static bool take_number(struct view_source *s, const struct row *row, const int *at, enum column column, double *number)
{
    const char *text = row->field[at[column]];
    char *end;

    *number = strtod(text, &end);
    return (end != text && *end == '\0' && isfinite(*number) && *number >= 0) ||
           view_fail(s, row->place, "%s is %.40s, which is no number", columns[column], text);
}

/* Without one of its columns there is no method. */
static bool take_method(struct view_profile *p, struct view_source *s, const struct row *row, const int *at)
{
    double *numbers[] = {&p->method.regions,  &p->method.unfinished, &p->method.steal, &p->method.join,
                         &p->method.measured, &p->method.sampled,    &p->method.error};

    for (int i = REGIONS; i <= ERROR; i++)
        if (at[i] < 0)
            return true;
    for (int i = REGIONS; i <= ERROR; i++)
        if (!take_number(s, row, at, (enum column)i, numbers[i - REGIONS]))
            return false;
    p->has_method = true;
    return true;
}

static bool take_site(struct view_profile *p, struct view_source *s, const struct row *row, const int *at)
{
    const char *kind = row->field[at[KIND]], *unit = row->field[at[UNIT]], *file = row->field[at[FILE_NAME]];
    const char *slash = strrchr(file, '/');
    struct view_site site = {.blocked = 0};
    char where[256] = "";

    if (!take_number(s, row, at, COUNT, &site.count) || !take_number(s, row, at, WORK, &site.work) ||
        !take_number(s, row, at, SPAN, &site.span) || !take_number(s, row, at, BURDENED, &site.burdened) ||
        !take_number(s, row, at, STRANDS, &site.strands) ||
        (at[BLOCKED] >= 0 && !take_number(s, row, at, BLOCKED, &site.blocked)))
        return false;
    site.longest = -1;
    if (at[LONGEST] >= 0 && *row->field[at[LONGEST]] && !take_number(s, row, at, LONGEST, &site.longest))
        return false;
    site.span_least = site.span_most = site.span;
    if ((at[SPAN_LEAST] >= 0 && *row->field[at[SPAN_LEAST]] && !take_number(s, row, at, SPAN_LEAST, &site.span_least)) ||
        (at[SPAN_MOST] >= 0 && *row->field[at[SPAN_MOST]] && !take_number(s, row, at, SPAN_MOST, &site.span_most)))
        return false;
    if (site.span_least > site.span || site.span_most < site.span)
        return view_fail(s, row->place, "span is not from span_least to span_most");
    if (strcmp(unit, "ns") != 0 && strcmp(unit, "units") != 0)
        return view_fail(s, row->place, "unit is %.40s, neither ns nor units", unit);
    p->is_units = *unit == 'u';
    if (*file)
        snprintf(where, sizeof where, "%.200s:%.20s", slash ? slash + 1 : file, row->field[at[LINE]]);
    site.name = view_names_find(&p->names, row->field[at[TASK]], where);
    if (site.name == UINT32_MAX || !VIEW_GROW(&p->sites))
        return view_fail(s, row->place, "no memory for so many rows");
    if (strcmp(kind, "total") == 0 && !p->has_total) {
        p->program = at[PROGRAM] >= 0 ? strdup(row->field[at[PROGRAM]]) : NULL;
        if (at[PROGRAM] >= 0 && !p->program)
            return view_fail(s, row->place, "no memory for a name");
        p->total = site;
        p->has_total = true;
        return take_method(p, s, row, at);
    } else if (strcmp(kind, "site") == 0) {
        p->sites.at[p->sites.count++] = site;
    } else {
        return view_fail(s, row->place,
                         p->has_total && *kind == 't' ? "a second total" : "kind is neither total nor site");
    }
    return true;
}

bool view_profile_read(struct view_profile *p, struct view_source *s)
{
    struct row row;
    int at[COLUMNS], width;

    *p = (struct view_profile){.has_total = false};
    if (memchr(s->bytes, '\0', s->size))
        return view_fail(s, (size_t)((char *)memchr(s->bytes, '\0', s->size) - s->bytes), "not a text: a zero byte");
    if (!take_row(s, &row) || !find_columns(s, &row, at))
        return false;
    for (width = row.count; s->at < s->size;) {
        if (!take_row(s, &row))
            return false;
        if (row.count != width)
            return view_fail(s, row.place, "%d columns instead of %d", row.count, width);
        if (!take_site(p, s, &row, at))
            return false;
    }
    s->bytes[s->size - 1] = '\n';
    return p->has_total || view_fail(s, s->size, "there is no row of kind total");
}

void view_profile_free(struct view_profile *p)
{
    view_names_free(&p->names);
    free(p->sites.at);
    free(p->program);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 1;
}

double view_speedup_most(const struct view_profile *p, double workers)
{
    return ratio(view_serial(&p->total), fmax(p->total.work / workers, p->total.span_least));
}

double view_speedup_least(const struct view_profile *p, double workers)
{
    return ratio(view_serial(&p->total), p->total.work / workers + SPAN_COEFFICIENT * view_burdened_most(&p->total));
}
