/* SPDX-License-Identifier: MIT */
/* A plain graph of tasks, read from a file: "id cost parent|after... [arrival] [worker]" (doc/graph.md). */
#ifndef TOOLS_SIM_DAG_H
#define TOOLS_SIM_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DAG_NONE UINT32_MAX

struct dag_task {
    char *id;
    uint64_t line;
    double cost, arrival; /* nanoseconds */
    uint32_t parent;      /* the task that spawns it; DAG_NONE: none */
    uint32_t worker;      /* who has it at first; DAG_NONE: not said */
    size_t first, count;  /* in `after`: the tasks that must have ended before */
};

struct dag {
    struct dag_task *tasks; /* as they stand in the file */
    size_t num_tasks;
    uint32_t *after;
    size_t num_after;
    uint32_t *order; /* all tasks, each behind those that it needs */
};

struct dag_sums {
    double work;
    double span; /* the longest chain of costs; a child can begin with its parent */
    double end;  /* the same with arrivals */
};

struct line;
/* Fills `order`. False: the tasks need each other in a cycle, which the line says, or there is no memory. For dag.c. */
bool dag_order(struct dag *dag, struct line *line);

/* True, or false with one line in `error`: "NAME:LINE: what". Either way dag_free() frees it. */
bool dag_read(struct dag *dag, FILE *file, const char *name, char *error, size_t size);
void dag_free(struct dag *dag);

/* False: no memory. */
bool dag_sum(const struct dag *dag, struct dag_sums *sums);

#endif
