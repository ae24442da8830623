/* SPDX-License-Identifier: MIT */
/* Reads a plain graph, line by line. dag_order.c orders its tasks, dag_sum.c adds them up. */
#include "dag.h"

#include "line.h"

#include <stdlib.h>
#include <string.h>

#define WORKERS_MOST 4095
/* All costs together must stay below this. */
#define LIMIT 9223372036854775808.0

/* Another task that a line names. It may stand further down. */
struct name {
    char *id;
    uint32_t task; /* that names it */
    bool is_parent;
};

struct reader {
    struct line line;
    struct dag *dag;
    struct name *names;
    size_t num_names;
    uint32_t *slots; /* tasks by their id, 1 more; 0: free */
    size_t num_slots;
};

static size_t slot_of(const struct reader *r, const char *id)
{
    uint64_t h = 14695981039346656037u;
    size_t i;

    for (const char *c = id; *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    i = (size_t)(h ^ h >> 32) & (r->num_slots - 1);
    while (r->slots[i] && strcmp(r->dag->tasks[r->slots[i] - 1].id, id) != 0)
        i = (i + 1) & (r->num_slots - 1);
    return i;
}

static bool grow_slots(struct reader *r)
{
    free(r->slots);
    r->num_slots = r->num_slots ? r->num_slots * 2 : 64;
    r->slots = calloc(r->num_slots, sizeof *r->slots);
    if (!r->slots)
        return line_fail(&r->line, "no memory");
    for (size_t i = 0; i < r->dag->num_tasks; i++)
        r->slots[slot_of(r, r->dag->tasks[i].id)] = (uint32_t)i + 1;
    return true;
}

static bool take_id(struct reader *r, const char *id)
{
    struct dag *d = r->dag;
    struct dag_task task = {.line = r->line.number, .parent = DAG_NONE, .worker = DAG_NONE};
    size_t slot;

    if (d->num_tasks == DAG_NONE - 1)
        return line_fail(&r->line, "too many tasks");
    if (d->num_tasks * 2 >= r->num_slots && !grow_slots(r))
        return false;
    slot = slot_of(r, id);
    if (r->slots[slot])
        return line_fail(&r->line, "task %.40s twice: it stands in line %llu, too", id,
                         (unsigned long long)d->tasks[r->slots[slot] - 1].line);
    if (!line_room(&r->line, &d->tasks, d->num_tasks, sizeof *d->tasks))
        return false;
    task.id = strdup(id);
    if (!task.id)
        return line_fail(&r->line, "no memory");
    d->tasks[d->num_tasks++] = task;
    r->slots[slot] = (uint32_t)d->num_tasks;
    return true;
}

static bool take_name(struct reader *r, const char *id, size_t length, bool is_parent)
{
    struct name name = {.task = (uint32_t)r->dag->num_tasks - 1, .is_parent = is_parent};

    if (length == 0)
        return line_fail(&r->line, "a name is missing behind \"%s\"", is_parent ? "parent:" : "after:");
    if (!line_room(&r->line, &r->names, r->num_names, sizeof *r->names))
        return false;
    name.id = strndup(id, length);
    if (!name.id)
        return line_fail(&r->line, "no memory");
    r->names[r->num_names++] = name;
    return true;
}

static bool take_after(struct reader *r, const char *list)
{
    for (;;) {
        size_t length = strcspn(list, ",");

        if (!take_name(r, list, length, false))
            return false;
        if (!list[length])
            return true;
        list += length + 1;
    }
}

/* The words that say what a task needs; at least one. Returns the word behind them. */
static bool take_needs(struct reader *r, char **word)
{
    bool has_parent = false, has_any = false;

    for (;; has_any = true) {
        *word = line_word(&r->line);
        if (*word && strcmp(*word, "-") == 0) {
            *word = line_word(&r->line);
            return !has_any || line_fail(&r->line, "\"-\" besides what the task needs");
        }
        if (*word && strncmp(*word, "parent:", 7) == 0) {
            if (has_parent)
                return line_fail(&r->line, "two parents");
            has_parent = true;
            if (!take_name(r, *word + 7, strlen(*word + 7), true))
                return false;
        } else if (*word && strncmp(*word, "after:", 6) == 0) {
            if (!take_after(r, *word + 6))
                return false;
        } else {
            return has_any || line_fail(&r->line, "%.40s where \"-\", \"parent:\" or \"after:\" should stand",
                                        *word ? *word : "the end");
        }
    }
}

static bool take_task(struct reader *r, const char *id)
{
    struct dag_task *task;
    double cost;
    uint64_t worker;
    char *word;

    if (!take_id(r, id) || !line_cost(&r->line, line_word(&r->line), "the cost", &cost) || !take_needs(r, &word))
        return false;
    task = &r->dag->tasks[r->dag->num_tasks - 1];
    task->cost = cost;
    if (!word)
        return true;
    if (!line_cost(&r->line, word, "the arrival", &task->arrival))
        return false;
    word = line_word(&r->line);
    if (!word)
        return true;
    if (!line_whole(&r->line, word, "the worker", WORKERS_MOST, &worker))
        return false;
    task->worker = (uint32_t)worker;
    word = line_word(&r->line);
    return !word || line_fail(&r->line, "%.40s behind the end of the line", word);
}

static bool take_all(struct reader *r)
{
    while (line_next(&r->line)) {
        const char *word = line_word(&r->line);

        if (!r->line.has_end)
            return line_fail(&r->line, "cut short: the line has no end");
        if (word && *word != '#' && !take_task(r, word))
            return false;
    }
    return !r->line.has_failed && (r->dag->num_tasks || line_fail(&r->line, "there is no task"));
}

/* Finds the task of each name. The names are in the order of the tasks that they belong to. */
static bool find_names(struct reader *r)
{
    struct dag *d = r->dag;

    for (size_t i = 0; i < r->num_names; i++) {
        const struct name *name = &r->names[i];
        struct dag_task *task = &d->tasks[name->task];
        uint32_t found = r->slots[slot_of(r, name->id)];

        r->line.number = task->line;
        if (!found)
            return line_fail(&r->line, "%s %.40s of task %.40s is not known", name->is_parent ? "parent" : "task",
                             name->id, task->id);
        if (name->is_parent) {
            task->parent = found - 1;
            continue;
        }
        if (!line_room(&r->line, &d->after, d->num_after, sizeof *d->after))
            return false;
        if (task->count++ == 0)
            task->first = d->num_after;
        d->after[d->num_after++] = found - 1;
    }
    return true;
}

static bool is_possible(struct reader *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->dag->num_tasks; i++) {
        sum += r->dag->tasks[i].cost;
        r->line.number = r->dag->tasks[i].line;
        if (!(sum < LIMIT))
            return line_fail(&r->line, "up to here the costs are 2^63 or more together");
    }
    return true;
}

bool dag_read(struct dag *d, FILE *file, const char *name, char *error, size_t size)
{
    struct reader r = {.dag = d};

    *d = (struct dag){0};
    line_begin(&r.line, file, name, error, size);
    (void)(take_all(&r) && find_names(&r) && dag_order(r.dag, &r.line) && is_possible(&r));
    for (size_t i = 0; i < r.num_names; i++)
        free(r.names[i].id);
    free(r.names);
    free(r.slots);
    line_free(&r.line);
    return !r.line.has_failed;
}

void dag_free(struct dag *d)
{
    for (size_t i = 0; i < d->num_tasks; i++)
        free(d->tasks[i].id);
    free(d->tasks);
    free(d->after);
    free(d->order);
    *d = (struct dag){0};
}
