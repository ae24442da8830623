/* SPDX-License-Identifier: MIT */
/* A profiled program's record, read by the reader of graphs and compared with its profile. */
#ifndef TESTS_USER_RECORD_H
#define TESTS_USER_RECORD_H

#include "../support/folder.h"

#include "profile_fib.h"

#include "../../tools/sim/graph.h"

static struct graph graph;
static struct graph_sums sums;

/* Reads the record; its error, or NULL. */
static inline const char *read_record(const char *name)
{
    static char error[300];
    const char *why;
    FILE *f = fopen(folder_path(name), "r");
    bool done;

    ck_assert_ptr_nonnull(f);
    done = graph_read(&graph, f, "record", error, sizeof error);
    fclose(f);
    if (done)
        ck_assert_msg(graph_sum(&graph, &sums, &why), "%s", why);
    return done ? NULL : error;
}

/* Runs the body, and reads its record. */
static inline struct profile record_of(int (*body)(long), long argument, bool in_units)
{
    struct profile p;
    const char *error;

    setenv("WSFJ_RECORD", folder_path("graph"), 1);
    p = profile_of(body, argument, in_units ? "1" : "0", "2");
    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, "");
    error = read_record("graph");
    ck_assert_msg(!error, "%s", error);
    ck_assert(graph.is_units == in_units);
    ck_assert_double_eq_tol(sums.work, p.row[0].work, 1e-6 * p.row[0].work + 0.01);
    ck_assert_double_eq_tol(sums.work, graph.work, 1e-12 * graph.work);
    ck_assert_double_eq_tol(sums.blocked, p.row[0].blocked, 1e-6 * p.row[0].blocked + 0.01);
    return p;
}

/* How often items of the kind run in all. */
static inline uint64_t in_node(enum graph_kind kind, bool iterations, uint32_t node)
{
    uint64_t n = 0;

    for (size_t i = 0; i < graph.nodes[node].count; i++) {
        const struct graph_item *item = &graph.items[graph.nodes[node].first + i];

        if (item->kind == kind)
            n += item->times * (iterations ? item->iterations : 1);
        if (item->node != GRAPH_NONE && item->kind != GRAPH_POST)
            n += item->times * in_node(kind, iterations, item->node);
    }
    return n;
}

static inline uint64_t count_items(enum graph_kind kind, bool iterations)
{
    uint64_t n = 0;

    for (size_t i = 0; i < graph.num_regions; i++)
        n += in_node(kind, iterations, graph.regions[i].node);
    for (size_t i = 0; i < graph.num_posted; i++)
        n += in_node(kind, iterations, graph.posted[i].node);
    return n;
}

/* Runs the body with its record in that file. */
static inline struct outcome outcome_of(int (*body)(long), long argument, const char *unit, const char *path)
{
    struct child child;

    fflush(NULL);
    if (begin_child(&child)) {
        setenv("WSFJ_RECORD", path, 1);
        setenv("WSFJ_PROFILE_OUT", "/dev/null", 1);
        setenv("WSFJ_PROFILE_UNIT", unit, 1);
        exit(body(argument));
    }
    return end_child(&child);
}

/* Runs the case; each test has a folder of its own. */
static inline int run_records(const char *name, TCase *tcase)
{
    int failed;

    if (folder_begin(name) != 0)
        return EXIT_FAILURE;
    tcase_add_checked_fixture(tcase, folder_make, NULL);
    failed = run_case(name, tcase);
    folder_end();
    return failed;
}

#endif
