/* SPDX-License-Identifier: MIT */
/*
 * Experiment 17: 10 000 trivial tasks through one queue that all share, through own queues without thieves, and through
 * own queues with thieves; queues with a mutex, and the library's without. All tasks come from one thread, or each has
 * its part.
 */
#include "crew.h"
#include "rounds.h"

#include "base/atomic.h"
#include "queue/run_queue.h"
#include "task/item.h"
#include "work.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MOST 4

enum shape { SHARED, OWN, STEALING, SHAPES };
static const char *const shape_names[SHAPES] = {"shared", "own", "own with thieves"};

/* Either the library's run queue, or as many items under a mutex. */
struct queue {
    _Alignas(WSFJ_CACHE_LINE) struct wsfj_run_queue queue;
    struct wsfj_entry entries[WSFJ_RUN_QUEUE_SIZE];
    pthread_mutex_t mutex;
    size_t first, count;
    struct wsfj_item items[WSFJ_RUN_QUEUE_SIZE];
};

struct member {
    _Alignas(WSFJ_CACHE_LINE) size_t to_push; /* tasks that it still has to give out */
    uint64_t ran;
};

struct scene {
    struct queue queues[THREADS_MOST];
    struct member members[THREADS_MOST];
    enum shape shape;
    bool locked, from_one;
    unsigned threads;
    uint64_t turns;
    size_t left;
};

static void nothing(void *arg)
{
    (void)arg;
}

static bool locked_push(struct queue *q, struct wsfj_item item)
{
    bool fits;

    pthread_mutex_lock(&q->mutex);
    fits = q->count < WSFJ_RUN_QUEUE_SIZE;
    if (fits)
        q->items[(q->first + q->count++) % WSFJ_RUN_QUEUE_SIZE] = item;
    pthread_mutex_unlock(&q->mutex);
    return fits;
}

/* Up to `most`, but at most half of the items, rounded up. */
static unsigned locked_take(struct queue *q, struct wsfj_item *items, bool half)
{
    unsigned n;

    pthread_mutex_lock(&q->mutex);
    n = half ? (unsigned)(q->count + 1) / 2 : q->count > 0;
    for (unsigned i = 0; i < n; i++)
        items[i] = q->items[(q->first + i) % WSFJ_RUN_QUEUE_SIZE];
    q->first = (q->first + n) % WSFJ_RUN_QUEUE_SIZE;
    q->count -= n;
    pthread_mutex_unlock(&q->mutex);
    return n;
}

static bool push(struct scene *s, struct queue *q)
{
    const struct wsfj_item item = {nothing, s, NULL};

    return s->locked ? locked_push(q, item) : wsfj_run_queue_push(&q->queue, item);
}

static bool pop(struct scene *s, struct queue *q, struct wsfj_item *item)
{
    return s->locked ? locked_take(q, item, false) : wsfj_run_queue_pop(&q->queue, item);
}

/* Half of the victim's items: the first is for now, the rest goes to the own queue. */
static bool steal(struct scene *s, struct queue *victim, struct queue *own, struct wsfj_item *item)
{
    struct wsfj_item items[WSFJ_RUN_QUEUE_SIZE];
    unsigned n;

    if (!s->locked)
        return wsfj_run_queue_steal(&victim->queue, &own->queue, item);
    n = locked_take(victim, items, true);
    for (unsigned i = 1; i < n; i++)
        (void)locked_push(own, items[i]); /* it was empty */
    *item = items[0];
    return n > 0;
}

static bool find(struct scene *s, unsigned self, struct wsfj_item *item)
{
    struct queue *own = &s->queues[s->shape == SHARED ? 0 : self];

    if (pop(s, own, item))
        return true;
    for (unsigned i = 1; s->shape == STEALING && i < s->threads; i++)
        if (steal(s, &s->queues[(self + i) % s->threads], own, item))
            return true;
    return false;
}

static void play(void *context, unsigned self)
{
    struct scene *s = context;
    struct member *m = &s->members[self];
    struct wsfj_item item;
    size_t ran = 0; /* since `left` was last reduced */

    for (unsigned turn = 0;; turn++) {
        while (m->to_push && push(s, &s->queues[s->shape == SHARED ? 0 : self]))
            m->to_push--;
        if (find(s, self, &item)) {
            work(s->turns);
            ran++;
            continue;
        }
        m->ran += ran;
        if (ran && sub_acq_rel(&s->left, ran) == ran)
            return;
        ran = 0;
        if (load_acquire(&s->left) == 0)
            return;
        crew_pause(turn);
    }
}

/* Nanoseconds a task. */
static double run(struct lab *lab, struct scene *s, size_t n)
{
    uint64_t ran = 0;
    double seconds;

    for (unsigned i = 0; i < THREADS_MOST; i++) {
        struct queue *q = &s->queues[i];

        memset(&q->queue, 0, sizeof q->queue);
        q->queue.entries = q->entries;
        q->first = q->count = 0;
        s->members[i] = (struct member){0};
        if (i < s->threads && !s->from_one)
            s->members[i].to_push = n * (i + 1) / s->threads - n * i / s->threads;
    }
    if (s->from_one)
        s->members[0].to_push = n;
    s->left = n;
    seconds = crew_run(lab, s->threads, play, s);
    for (unsigned i = 0; i < THREADS_MOST; i++)
        ran += s->members[i].ran;
    lab_must(lab, ran == n, "each of %zu tasks has run once", n);
    return seconds * 1e9 / (double)n;
}

/* The library's run queue has one producer: several producers can only share the queue with a mutex. */
static const struct variant {
    enum shape shape;
    bool locked;
} variants[] = {{SHARED, true}, {OWN, true}, {OWN, false}, {STEALING, true}, {STEALING, false}};
enum { VARIANTS = sizeof variants / sizeof *variants };

enum figure { NS_ALONE, NS_FOUR, FIGURES };

struct plan {
    struct scene *scene;
    struct lab_list lengths;
    size_t n;
};

/* A line for each length, of each with tasks from each thread and from one, of each for each variant. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    struct scene *s = p->scene;
    const struct variant *v = &variants[line % VARIANTS];
    double task_ns = p->lengths.at[line / VARIANTS / 2];

    s->turns = task_ns > 0 ? work_turns(task_ns) : 0;
    s->from_one = line / VARIANTS % 2;
    s->shape = v->shape;
    s->locked = v->locked;
    s->threads = 1;
    figures[NS_ALONE] = run(lab, s, p->n);
    s->threads = THREADS_MOST;
    figures[NS_FOUR] = run(lab, s, p->n);
}

void lab_queues(struct lab *lab)
{
    struct plan p = {.scene = aligned_alloc(WSFJ_CACHE_LINE, sizeof *p.scene),
                     .lengths = lab_values(lab, LAB_LENGTH, (struct lab_list){2, {0, 1000}}, 2),
                     .n = (size_t)lab_value(lab, LAB_COUNT, 10000, 1000)};
    struct rounds r;

    lab_need(lab, p.scene != NULL, "memory");
    memset(p.scene, 0, sizeof *p.scene);
    for (unsigned i = 0; i < THREADS_MOST; i++)
        lab_need(lab, pthread_mutex_init(&p.scene->queues[i].mutex, NULL) == 0, "a mutex");
    lab_table(lab, "", "task_ns,tasks_from,queues,kind,ns_1_thread,ns_4_threads,ratio,least,most");
    r = rounds_measure(lab, 2 * p.lengths.n * VARIANTS, FIGURES, lab_size(lab, 31, 2), measure, &p);
    for (size_t line = 0; line < r.lines; line++) {
        const struct variant *v = &variants[line % VARIANTS];
        struct sample_ratio ratio =
            sample_compare(rounds_values(&r, line, NS_ALONE), rounds_values(&r, line, NS_FOUR), r.rounds);

        lab_row(lab, "%.0f,%s,%s,%s,%.1f,%.1f,%s", p.lengths.at[line / VARIANTS / 2],
                line / VARIANTS % 2 ? "one thread" : "each thread", shape_names[v->shape],
                v->locked ? "mutex" : "lock-free", rounds_median(lab, &r, line, NS_ALONE),
                rounds_median(lab, &r, line, NS_FOUR), lab_ratio(ratio).text);
    }
    rounds_free(&r);
    for (unsigned i = 0; i < THREADS_MOST; i++)
        pthread_mutex_destroy(&p.scene->queues[i].mutex);
    free(p.scene);
}
