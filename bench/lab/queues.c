/* SPDX-License-Identifier: MIT */
/*
 * Experiment 17: 10 000 trivial tasks through one queue that all share, through own queues without thieves, and through
 * own queues with thieves; queues with a mutex, and the library's without. All tasks come from one thread, or each has
 * its part.
 */
#include "crew.h"

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
    _Alignas(WSFJ_CACHE_LINE) struct wsfj_run_queue ring;
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

    return s->locked ? locked_push(q, item) : wsfj_run_queue_push(&q->ring, item);
}

static bool pop(struct scene *s, struct queue *q, struct wsfj_item *item)
{
    return s->locked ? locked_take(q, item, false) : wsfj_run_queue_pop(&q->ring, item);
}

/* Half of the victim's items: the first is for now, the rest goes to the own queue. */
static bool steal(struct scene *s, struct queue *victim, struct queue *own, struct wsfj_item *item)
{
    struct wsfj_item items[WSFJ_RUN_QUEUE_SIZE];
    unsigned n;

    if (!s->locked)
        return wsfj_run_queue_steal(&victim->ring, &own->ring, item);
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

        memset(&q->ring, 0, sizeof q->ring);
        q->first = q->count = 0;
        s->members[i] = (struct member){.to_push = i >= s->threads ? 0
                                                   : !s->from_one  ? n / s->threads
                                                   : i == 0        ? n
                                                                   : 0};
    }
    s->left = n;
    seconds = crew_run(lab, s->threads, play, s, NULL);
    for (unsigned i = 0; i < THREADS_MOST; i++)
        ran += s->members[i].ran;
    lab_must(lab, ran == n, "each of %zu tasks has run once", n);
    return seconds * 1e9 / (double)n;
}

void lab_queues(struct lab *lab)
{
    size_t n = lab_size(lab, 10000, 1000), rounds = lab_size(lab, 31, 2);
    struct scene *s = aligned_alloc(WSFJ_CACHE_LINE, sizeof *s);
    /* The library's run queue has one producer: several producers can only share the queue with a mutex. */
    static const struct variant {
        enum shape shape;
        bool locked;
    } variants[] = {{SHARED, true}, {OWN, true}, {OWN, false}, {STEALING, true}, {STEALING, false}};
    enum { VARIANTS = sizeof variants / sizeof *variants };

    lab_need(lab, s != NULL, "memory");
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < THREADS_MOST; i++)
        lab_need(lab, pthread_mutex_init(&s->queues[i].mutex, NULL) == 0, "a mutex");
    lab_table(lab, "", "task_ns,tasks_from,queues,kind,ns_1_thread,ns_4_threads,ratio");
    for (double task_ns = 0; task_ns <= 1000; task_ns += 1000) {
        s->turns = task_ns > 0 ? work_turns(task_ns) : 0;
        for (unsigned one = 0; one < 2; one++) {
            double ns[VARIANTS][2][32];

            s->from_one = one;
            for (size_t r = 0; r < rounds; r++) {
                for (unsigned v = 0; v < VARIANTS; v++) {
                    s->shape = variants[v].shape;
                    s->locked = variants[v].locked;
                    s->threads = 1;
                    ns[v][0][r] = run(lab, s, n);
                    s->threads = THREADS_MOST;
                    ns[v][1][r] = run(lab, s, n);
                }
            }
            for (unsigned v = 0; v < VARIANTS; v++) {
                double alone = lab_median(ns[v][0], rounds), four = lab_median(ns[v][1], rounds);

                lab_row(lab, "%.0f,%s,%s,%s,%.1f,%.1f,%.2f", task_ns, one ? "one thread" : "each thread",
                        shape_names[variants[v].shape], variants[v].locked ? "mutex" : "lock-free", alone, four,
                        four / alone);
            }
        }
    }
    for (unsigned i = 0; i < THREADS_MOST; i++)
        pthread_mutex_destroy(&s->queues[i].mutex);
    free(s);
}
