/* SPDX-License-Identifier: MIT */
#include "show.h"

#include "matrix.h"
#include "put.h"

#include <inttypes.h>

#define LINE 100

/* Breaks a sentence into lines. */
static void put_sentence(FILE *out, const char *text)
{
    const char *start = text, *blank = NULL;

    fputs("- ", out);
    for (const char *c = text; *c; c++) {
        if (*c == ' ')
            blank = c;
        if (c - start >= LINE && blank) {
            fprintf(out, "%.*s\n  ", (int)(blank - start), start);
            start = blank + 1;
            blank = NULL;
        }
    }
    fprintf(out, "%s\n", start);
}

static void put_worker(FILE *out, const char *name, const struct view_worker *w, double whole, const char *processor)
{
    fprintf(out,
            "%6s %8s %8s %8s %8s %8s %9s %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %9" PRIu64
            " %7" PRIu64 "\n",
            name, view_percent((double)w->time[VIEW_TASK], whole).at,
            view_percent((double)w->time[VIEW_SEARCH], whole).at, view_percent((double)w->time[VIEW_PARK], whole).at,
            view_percent((double)w->time[VIEW_SURPLUS], whole).at, view_percent((double)w->time[VIEW_WOKEN], whole).at,
            processor, w->ends[VIEW_END_DONE], w->parts, w->events[VIEW_steal], w->stolen, w->robbed,
            w->ends[VIEW_END_CHILDREN], w->idle[VIEW_PARK] + w->idle[VIEW_SURPLUS]);
}

static void put_workers(FILE *out, const struct view_sums *s)
{
    double length = (double)s->trace->length;

    fprintf(
        out,
        "\nWorkers: shares of the time, and with a processor; tasks that ended, their pieces, steals, tasks stolen, steals suffered\n"
        "worker  running searching   parked  surplus    woken processor     tasks    pieces   steals   stolen     lost suspended   "
        "parks\n");
    for (unsigned i = 0; i < s->trace->workers; i++) {
        char name[16];

        snprintf(name, sizeof name, "%u", i);
        put_worker(out, name, &s->workers[i], length, view_sums_processor(s, i).at);
    }
    put_worker(out, "all", &s->all, length * s->trace->workers, view_sums_processors(s).at);
}

/* How many events of a row with a field there are. */
static uint64_t count_of(const struct view_sums *s, enum view_event event)
{
    const struct view_worker *all = &s->all;

    switch (event) {
    case VIEW_task_end: return all->ends[VIEW_END_DONE];
    case VIEW_suspend: return all->ends[VIEW_END_CHILDREN];
    case VIEW_wait: return all->ends[VIEW_END_GROUP];
    case VIEW_yield: return all->ends[VIEW_END_YIELD];
    case VIEW_block_begin: return all->ends[VIEW_END_BLOCK];
    case VIEW_resume: return s->resumed;
    case VIEW_region_end: return s->regions;
    case VIEW_search: return all->idle[VIEW_SEARCH];
    case VIEW_park: return all->idle[VIEW_PARK] + all->idle[VIEW_SURPLUS];
    default: return all->events[event];
    }
}

/* By the names of struct ws_stats. */
static void put_counts(FILE *out, const struct view_sums *s)
{
    fprintf(out, "\nCounts\n");
    for (int i = 0; i < VIEW_EVENTS; i++) {
        if (view_rows[i].field)
            fprintf(out, "%s %" PRIu64 "\n", view_rows[i].field, count_of(s, (enum view_event)i));
    }
    fprintf(out, "marks %" PRIu64 "\nevents dropped %" PRIu64 "\n", s->all.events[VIEW_mark], s->trace->dropped_all);
}

static void put_parallelism(FILE *out, const struct view_sums *s)
{
    double length = (double)s->trace->length;

    fprintf(out, "\nParallelism: for how long so many workers ran tasks at once\n");
    for (unsigned n = 0; n <= s->trace->workers; n++) {
        if (s->sweep.running[n])
            fprintf(out, "%6u %8s %10s\n", n, view_percent((double)s->sweep.running[n], length).at,
                    view_time((double)s->sweep.running[n]).at);
    }
}

static void put_kinds(FILE *out, const struct view_sums *s)
{
    fprintf(out, "\nTasks: begun, pieces, time in all of them, longest piece, time as the only task that ran\n"
                 "   begun    pieces       time    longest      alone  name\n");
    for (size_t i = 0; i < s->num_kinds; i++) {
        const struct view_kind *k = &s->kinds[i];
        const struct view_name *name = &s->trace->names.at[k->name];

        fprintf(out, "%8" PRIu64 " %9" PRIu64 " %10s %10s %10s  ", k->begun, k->parts, view_time((double)k->time).at,
                view_time((double)k->longest).at, view_time((double)k->alone).at);
        fputs(view_short(name->text).at, out);
        if (*name->where)
            fputs(", ", out);
        fputs(view_short(name->where).at, out);
        putc('\n', out);
    }
}

static void put_lengths(FILE *out, const struct view_sums *s)
{
    fprintf(out, "\nPieces by length; median %s, of stolen ones %s\n",
            s->part_median < 0 ? "-" : view_time(s->part_median).at,
            s->stolen_median < 0 ? "-" : view_time(s->stolen_median).at);
    for (int i = 0; i < VIEW_LENGTHS; i++) {
        if (s->lengths[i])
            fprintf(out, "%8s %s %9" PRIu64 "\n", i == VIEW_LENGTHS - 1 ? "from" : "below",
                    view_time(view_length_bound(i == VIEW_LENGTHS - 1 ? i - 1 : i)).at, s->lengths[i]);
    }
}

static void put_rate(FILE *out, const char *name, uint64_t steals, const uint64_t *failed, double ns)
{
    double attempts = failed ? (double)steals + (double)*failed : 0;
    char rate[32] = "-", tries[32] = "-";

    if (ns > 0)
        snprintf(rate, sizeof rate, "%.1f", (double)steals / ns * 1e9);
    if (failed)
        snprintf(tries, sizeof tries, "%.0f", attempts);
    fprintf(out, "%6s %9" PRIu64 " %10s %10s %10s\n", name, steals, tries,
            attempts > 0 ? view_percent((double)steals, attempts).at : "-", rate);
}

/* A try that fails is no event; the trace has its number, unless an older library has written it. */
static void put_rates(FILE *out, const struct view_sums *s)
{
    const struct view_trace *t = s->trace;
    uint64_t steals = 0, failed = 0;

    fprintf(out, "\nSteal rate: steals, attempts, how many of these brought a task, steals per second\n"
                 "worker    steals   attempts successful per second\n");
    for (unsigned i = 0; i < t->workers; i++) {
        uint64_t own = t->steals ? t->steals[i] : s->workers[i].events[VIEW_steal];
        char name[16];

        snprintf(name, sizeof name, "%u", i);
        put_rate(out, name, own, t->steals_failed ? &t->steals_failed[i] : NULL, (double)t->recorded);
        steals += own;
        failed += t->steals_failed ? t->steals_failed[i] : 0;
    }
    put_rate(out, "all", steals, t->steals_failed ? &failed : NULL, (double)t->recorded);
}

static void put_steals(FILE *out, const struct view_sums *s)
{
    struct view_matrix m;

    fprintf(out, "\nSteals by distance\n");
    for (int i = 0; i < VIEW_DISTANCES; i++)
        fprintf(out, "%8s %9" PRIu64 "\n", view_distance_names[i], s->distances[i]);
    view_matrix_make(&m, s->trace);
    fprintf(out,
            m.each > 1 ? "\nSteals: thieves in rows, victims in columns; %u workers in each\n"
                       : "\nSteals: thieves in rows, victims in columns\n",
            m.each);
    fprintf(out, "%6s", "");
    for (unsigned j = 0; j < m.size; j++)
        fprintf(out, " %6u", j * m.each);
    for (unsigned i = 0; i < m.size; i++) {
        fprintf(out, "\n%6u", i * m.each);
        for (unsigned j = 0; j < m.size; j++)
            fprintf(out, " %6" PRIu64, m.cell[i][j]);
    }
    putc('\n', out);
}

void view_show_text(FILE *out, const struct view_sums *s, const struct view_advice *a, const char *title)
{
    view_put_plain(out, title);
    fprintf(out, ", by ");
    view_put_plain(out, s->trace->producer);
    fprintf(out, "\n\n");
    for (int i = 0; i < a->count; i++)
        put_sentence(out, a->at[i].text);
    put_workers(out, s);
    put_counts(out, s);
    put_parallelism(out, s);
    put_kinds(out, s);
    put_lengths(out, s);
    put_rates(out, s);
    put_steals(out, s);
}
