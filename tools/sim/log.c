/* SPDX-License-Identifier: MIT */
/*
 * A thief does not know what it has stolen until the task begins, and a task that names itself (sim_name()) does so after
 * that. So a line about such a task waits for its name, and all lines after it wait, too.
 */
#include "log.h"

#include "base/atomic.h"
#include "worker/worker.h"
#include "engine.h"
#include "fail.h"
#include "signals/symbols.h"
#include "task/region.h"
#include "task/stack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 48 };

struct line {
    struct sim_note note;
    char name[NAME];
    bool is_open, begun;         /* waits for a name; its task has begun */
    struct line *next, *sibling; /* in order of time; another open line of the same worker */
};

bool sim_log_is_on;

static struct line *first_line, *last_line;
static struct line **open_lines; /* of each worker */
static size_t num_open;
static char (*names)[NAME]; /* of what runs on each stack */
static size_t num_names;
static uint32_t *served; /* by each thread: its worker, plus 1 */
static size_t num_served;

static void grow(void *array, size_t *count, size_t wanted, size_t size)
{
    void **at = array;
    size_t room = wanted < 32 ? 64 : 2 * wanted;

    if (wanted < *count)
        return;
    *at = sim_again(*at, room * size);
    memset((char *)*at + *count * size, 0, (room - *count) * size);
    *count = room;
}

static char *name_of(uint32_t stack)
{
    grow(&names, &num_names, stack, sizeof *names);
    return names[stack];
}

/* The name of a detached task. Takes no virtual time: a run with --log is the same run. */
static void name_function(ws_function *fn, char *name)
{
    static ws_function *last;
    static struct wsfj_symbol symbol;
    struct sim_thread *self = sim_self;
    unsigned atomics = engine_atomics, changes = engine_changes;
    int error = errno;

    sim_self = NULL;
    if (fn != last && (!wsfj_symbol_find((uintptr_t)fn, &symbol) || !symbol.function[0]))
        strcpy(symbol.function, "a task");
    last = fn;
    sim_self = self;
    engine_atomics = atomics;
    engine_changes = changes;
    errno = error;
    snprintf(name, NAME, "%.*s", NAME - 1, symbol.function);
}

/* Of what begins at the worker. */
static void find_name(uint32_t worker, char *name)
{
    const struct wsfj_stack *s = load_relaxed(&wsfj_workers[worker].stack);
    ws_function *fn = s ? load_relaxed(&s->job.item.fn) : NULL;
    const struct wsfj_kind *kind;

    if (!s) {
        snprintf(name, NAME, "a task");
    } else if (fn) {
        name_function(fn, name);
    } else {
        kind = load_relaxed(&s->job.stolen) ? load_relaxed(&s->job.kind)
                                            : (const struct wsfj_kind *)s->job.region->root->wsfj_word;
        snprintf(name, NAME, "%s", kind->wsfj_name);
    }
}

#define EVENT_NAME(name, recorded, counted, drawn, text) #name,
static const char *const event_names[] = {WSFJ_EVENTS(EVENT_NAME)};

static void put(const struct line *l)
{
    const struct sim_note *n = &l->note;
    const char *name = l->name;
    char time[32];
    size_t end = (size_t)snprintf(time, sizeof time, "%" PRIu64 ".%03u", n->time / 1000, (unsigned)(n->time % 1000));

    while (time[end - 1] == '0')
        end--;
    end -= time[end - 1] == '.';
    printf("[%.*s] ", (int)end, time);
    if (n->worker == UINT32_MAX)
        printf("outside: ");
    else
        printf("worker %" PRIu32 ": ", n->worker);
    switch (n->event) {
    case WSFJ_EVENT_task_begin: printf("began %s\n", name); break;
    case WSFJ_EVENT_task_end: printf("ended %s\n", name); break;
    case WSFJ_EVENT_suspend:
        printf("%s waits for %" PRIu32 " %s\n", name, n->b, n->b == 1 ? "child" : "children");
        break;
    case WSFJ_EVENT_wait: printf("%s waits\n", name); break;
    case WSFJ_EVENT_yield: printf("%s yields\n", name); break;
    case WSFJ_EVENT_runnable: printf("%s can go on\n", name); break;
    case WSFJ_EVENT_resume: printf("%s goes on\n", name); break;
    case WSFJ_EVENT_steal:
        printf("stole %s", name);
        if (n->b > 1)
            printf(" and %" PRIu32 " more", n->b - 1);
        printf(" from worker %" PRIu32 " (%" PRIu32 " left)\n", n->a, n->c);
        break;
    case WSFJ_EVENT_cancel: printf("dropped a cancelled task of worker %" PRIu32 "\n", n->a); break;
    case WSFJ_EVENT_steal_fail: printf("got nothing from worker %" PRIu32 "\n", n->a); break;
    case WSFJ_EVENT_expose_request: printf("asked worker %" PRIu32 " to expose tasks\n", n->a); break;
    case WSFJ_EVENT_expose: printf("exposed tasks (%" PRIu32 " in its deque)\n", n->b); break;
    case WSFJ_EVENT_expose_force: printf("forced worker %" PRIu32 " to expose tasks\n", n->a); break;
    case WSFJ_EVENT_split: printf("took a part of a loop\n"); break;
    case WSFJ_EVENT_slice_home: printf("runs its own slice of a loop\n"); break;
    case WSFJ_EVENT_slice_other: printf("runs another worker's slice of a loop\n"); break;
    case WSFJ_EVENT_search: printf("searches\n"); break;
    case WSFJ_EVENT_park: printf(n->detail ? "sleeps, being surplus\n" : "sleeps\n"); break;
    case WSFJ_EVENT_unpark: printf("is awake\n"); break;
    case WSFJ_EVENT_wake: printf("wakes worker %" PRIu32 "\n", n->a); break;
    case WSFJ_EVENT_overflow: printf("moved %" PRIu32 " task%s to the global queue\n", n->a, SIM_S(n->a)); break;
    case WSFJ_EVENT_global_queue_take:
        printf("took %" PRIu32 " task%s from the global queue\n", n->a, SIM_S(n->a));
        break;
    case WSFJ_EVENT_block_begin: printf("%s begins to block\n", name); break;
    case WSFJ_EVENT_block_end: printf(n->detail ? "%s has not blocked for long\n" : "%s blocks no more\n", name); break;
    case WSFJ_EVENT_region_begin: printf("began a region\n"); break;
    case WSFJ_EVENT_region_end: printf("ended a region\n"); break;
    case WSFJ_EVENT_loop_begin: printf("%s begins a loop\n", name); break;
    case WSFJ_EVENT_loop_end: printf("%s has done its part of a loop\n", name); break;
    case WSFJ_EVENT_mark: printf("a mark\n"); break;
    case WSFJ_EVENT_COUNT: printf("runs %s\n", name); break; /* sim_name() in a task that nobody stole */
    default: printf("%s\n", n->event < WSFJ_EVENT_COUNT ? event_names[n->event] : "?");
    }
}

static void flush(void)
{
    while (first_line && !first_line->is_open) {
        struct line *next = first_line->next;

        put(first_line);
        free(first_line);
        first_line = next;
    }
    if (!first_line)
        last_line = NULL;
}

/* The lines of the worker whose task has begun have the name that they will have. */
static void close_lines(uint32_t worker)
{
    struct line *l = worker < num_open ? open_lines[worker] : NULL;

    if (!l || !l->begun)
        return;
    for (; l; l = l->sibling)
        l->is_open = false;
    open_lines[worker] = NULL;
    flush();
}

static void open_line(struct line *l)
{
    grow(&open_lines, &num_open, l->note.worker, sizeof *open_lines);
    l->is_open = true;
    l->sibling = open_lines[l->note.worker];
    open_lines[l->note.worker] = l;
}

static void name_open(uint32_t worker, const char *name)
{
    for (struct line *l = worker < num_open ? open_lines[worker] : NULL; l; l = l->sibling) {
        snprintf(l->name, NAME, "%s", name);
        l->begun = true;
    }
}

/* Events whose `a` is the number of a stack. */
static bool has_stack(enum wsfj_event event)
{
    switch (event) {
    case WSFJ_EVENT_task_begin:
    case WSFJ_EVENT_task_end:
    case WSFJ_EVENT_suspend:
    case WSFJ_EVENT_wait:
    case WSFJ_EVENT_yield:
    case WSFJ_EVENT_runnable:
    case WSFJ_EVENT_resume:
    case WSFJ_EVENT_block_begin:
    case WSFJ_EVENT_block_end:
    case WSFJ_EVENT_loop_begin:
    case WSFJ_EVENT_loop_end: return true;
    default: return false;
    }
}

/* `name`: NULL: the one of its stack. */
static void add(const struct sim_note *note, const char *name)
{
    struct line *l = sim_new(1, sizeof *l);

    if (note->worker != UINT32_MAX) {
        close_lines(note->worker);
        grow(&served, &num_served, sim_self->number, sizeof *served);
        served[sim_self->number] = note->worker + 1;
    }
    l->note = *note;
    if (last_line)
        last_line->next = l;
    else
        first_line = l;
    last_line = l;
    if (note->event == WSFJ_EVENT_task_begin)
        find_name(note->worker, name_of(note->a));
    if (name)
        snprintf(l->name, NAME, "%s", name);
    else if (has_stack(note->event))
        snprintf(l->name, NAME, "%s", name_of(note->a));
    if (note->event == WSFJ_EVENT_steal || note->event == WSFJ_EVENT_task_begin)
        open_line(l);
    if (note->event == WSFJ_EVENT_task_begin)
        name_open(note->worker, name_of(note->a));
    flush();
}

void sim_log_note(const struct sim_note *note)
{
    add(note, NULL);
}

void sim_log_works(void)
{
    if (sim_self && sim_self->number < num_served && served[sim_self->number])
        close_lines(served[sim_self->number] - 1);
}

void sim_log_end(void)
{
    for (struct line *l = first_line; l; l = l->next)
        l->is_open = false;
    flush();
}

void sim_name(const char *name);

void sim_name(const char *name)
{
    uint32_t worker;

    if (!sim_log_is_on || !sim_self || sim_self->number >= num_served || !served[sim_self->number])
        return;
    worker = served[sim_self->number] - 1;
    if (worker < num_open && open_lines[worker] && open_lines[worker]->begun) {
        snprintf(name_of(open_lines[worker]->note.a), NAME, "%s", name); /* the newest: its begin */
        name_open(worker, name);
        close_lines(worker);
    } else {
        struct sim_note note = {.time = sim_moment, .event = WSFJ_EVENT_COUNT, .worker = worker};

        add(&note, name);
    }
}
