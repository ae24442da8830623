/* SPDX-License-Identifier: MIT */
/*
 * bag_schedules: the library's bag_step() over a network of this program: messages of a pair keep their order, all else is
 * delayed and reordered at random, one pair more than others. A seed says how many ranks there are, which are slow, what tasks
 * there are, and the schedule.
 *
 * Catches: a task that runs twice or never; an end with a task or a message under way; ranks that do not all end; a chunk for a
 * rank that has not asked; a lifeline that is forgotten or not served, or that comes before two random victims; a rank that joins
 * a wave with an ask open. bag_schedules.sh puts each in.
 *
 * Usage: bag_schedules [SEEDS [FIRST]]
 */
#include "mpi/bag_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS 9
#define TASKS 4000
#define MESSAGES 4096
#define LATE 30

struct message {
    enum bag_message kind;
    size_t size;
    int tasks[TASKS];
};

struct pair {
    struct message *queue[MESSAGES];
    unsigned first, end;
};

struct sim_rank {
    struct bag_rank step;
    int tasks[TASKS], count, begun;
    int out[TASKS];
    bool idle_news, spare_news, wants;
    int asks;                                /* random victims since the last chunk */
    int asks_open[RANKS], lines_open[RANKS]; /* what others have asked of this rank */
    int weight;                              /* how often it is chosen */
};

static struct sim_rank sim[RANKS];
static struct pair net[RANKS][RANKS];
static int ranks, created, most_tasks, runs[TASKS], in_flight, chunk_most, long_tasks, slow_net, waves_alone;
static int late_from, late_to; /* a pair whose messages are later than others */
static uint64_t random_state, seed;

static uint64_t draw(void)
{
    uint64_t x = random_state += 0x9e3779b97f4a7c15;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static int below(int n)
{
    return (int)(draw() % (uint64_t)n);
}

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    printf("seed %llu, %d ranks: %s\n", (unsigned long long)seed, ranks, what);
    exit(1);
}

/* Whether a message of this kind is under way from s. */
static bool pending(const struct sim_rank *s, int to, enum bag_message kind)
{
    const struct pair *p = &net[s - sim][to];

    for (unsigned i = p->first; i != p->end; i++)
        if (p->queue[i % MESSAGES]->kind == kind)
            return true;
    return false;
}

/* What holds after each step: a lifeline is known on both sides, and a rank with two tasks serves it. */
static void check_lines(void)
{
    for (int me = 0; me < ranks; me++) {
        bool some = false;

        for (int bit = 1, b = 0; bit < ranks; bit <<= 1, b++) {
            int to = me ^ bit;

            some |= sim[me].step.waits[b];
            if (to < ranks && sim[me].step.registered[b])
                require(sim[to].step.waits[b] || pending(&sim[me], to, BAG_LIFELINE) || pending(&sim[to], me, BAG_GIFT),
                        "a lifeline is forgotten");
        }
        require(!some || sim[me].count < 2 || sim[me].spare_news, "a lifeline is not served");
    }
}

static void check_joins(const struct sim_rank *s)
{
    require(waves_alone++ < 8 * LATE * ranks * slow_net, "waves without end");
    require(s->count == 0 && s->begun == 0, "a rank with tasks joins a wave");
    for (int bit = 1, b = 0; bit < ranks; bit <<= 1, b++)
        require(((int)(s - sim) ^ bit) >= ranks || s->step.registered[b], "silent without a lifeline");
    for (int to = 0; to < ranks; to++)
        require(!sim[to].asks_open[s - sim] && !pending(s, to, BAG_ASK), "a rank with an open ask joins a wave");
}

static void port_send(void *port, int to, enum bag_message kind, const void *bytes, size_t size)
{
    struct sim_rank *s = port;
    int from = (int)(s - sim);
    struct pair *p = &net[from][to];
    struct message *m = malloc(sizeof *m);

    require(m && p->end - p->first < MESSAGES, "too many messages");
    require(to != from && to >= 0 && to < ranks, "a message to no other rank");
    m->kind = kind;
    m->size = size;
    if (size)
        memcpy(m->tasks, bytes, size);
    if (kind == BAG_CHUNK || kind == BAG_REFUSE)
        require(s->asks_open[to]-- == 1, "an answer without an ask");
    if (kind == BAG_GIFT)
        require(s->lines_open[to]-- == 1, "a gift without a lifeline");
    if (kind == BAG_ASK || kind == BAG_LIFELINE)
        require(s->count == 0 && s->begun == 0, "a rank with tasks asks");
    if (kind == BAG_LIFELINE)
        require(s->asks == BAG_TRIES, "a lifeline before two random victims, or after more");
    s->asks += kind == BAG_ASK;
    if (kind == BAG_SUMS || (kind > BAG_SUMS && from == 0))
        check_joins(s);
    p->queue[p->end++ % MESSAGES] = m;
    in_flight++;
}

static size_t port_take(void *port, const void **bytes)
{
    struct sim_rank *s = port;
    int n = s->count == 1 && s->begun ? 1 : s->count / 2;

    if (n > chunk_most)
        n = chunk_most;
    memcpy(s->out, s->tasks, (size_t)n * sizeof *s->tasks);
    s->count -= n;
    memmove(s->tasks, s->tasks + n, (size_t)s->count * sizeof *s->tasks);
    *bytes = s->out;
    return (size_t)n * sizeof *s->tasks;
}

static void port_put(void *port, const void *bytes, size_t size)
{
    struct sim_rank *s = port;

    memcpy(s->tasks + s->count, bytes, size);
    s->count += (int)(size / sizeof *s->tasks);
}

static bool port_has(void *port)
{
    struct sim_rank *s = port;

    return s->count || s->begun;
}

static void port_want(void *port, uint32_t lines)
{
    struct sim_rank *s = port;

    s->wants = lines;
}

static const struct bag_port calls = {port_send, port_take, port_put, port_has, port_want};

static void tell(struct sim_rank *s, struct bag_news news)
{
    bag_step(&s->step, &news);
}

static void add(struct sim_rank *s)
{
    if (created == most_tasks)
        return;
    s->tasks[s->count++] = created++;
    if (s->wants) {
        s->wants = false;
        s->spare_news = true;
    }
}

/* Whether something could happen: one of these. */
static bool act(struct sim_rank *s)
{
    int me = (int)(s - sim), from = below(ranks);
    struct pair *p;

    switch (below(5)) {
    case 0: /* a message arrives */
    case 1:
        if (below(slow_net))
            return false;
        for (int i = 0; i < ranks && net[from][me].first == net[from][me].end; i++)
            from = (from + 1) % ranks;
        if (from == late_from && me == late_to && below(LATE))
            return false;
        p = &net[from][me];
        if (p->first == p->end)
            return false;
        struct message *m = p->queue[p->first++ % MESSAGES];

        require(!s->step.is_done, "a message to a rank that has left");
        in_flight--;
        if (m->kind < BAG_SUMS)
            waves_alone = 0;
        s->asks_open[from] += m->kind == BAG_ASK;
        s->lines_open[from] += m->kind == BAG_LIFELINE;
        if (m->kind == BAG_CHUNK || m->kind == BAG_GIFT)
            s->asks = 0;
        tell(s, (struct bag_news){BAG_ARRIVED, m->kind, from, m->tasks, m->size});
        free(m);
        return true;
    case 2: /* a task begins: the newest, on one of up to two workers */
        if (!s->count || s->begun == 2)
            return false;
        s->begun++;
        require(!s->step.is_done, "a task after the end");
        runs[s->tasks[--s->count]]++;
        return true;
    case 3: /* a task adds others, or ends */
        if (!s->begun)
            return false;
        waves_alone = 0;
        for (int n = below(long_tasks) ? 0 : below(8); n; n--)
            add(s);
        if (!below(long_tasks) && !--s->begun && !s->count)
            s->idle_news = true;
        return true;
    case 4:
        if (s->idle_news) {
            s->idle_news = false;
            tell(s, (struct bag_news){.kind = BAG_IDLE});
        } else if (s->spare_news) {
            s->spare_news = false;
            tell(s, (struct bag_news){.kind = BAG_SPARE});
        } else
            return false;
        return true;
    }
    return false;
}

static bool all_done(void)
{
    for (int i = 0; i < ranks; i++)
        if (!sim[i].step.is_done)
            return false;
    return true;
}

static void run(void)
{
    random_state = seed * 0x9e3779b97f4a7c15;
    memset(sim, 0, sizeof sim);
    memset(runs, 0, sizeof runs);
    memset(net, 0, sizeof net);
    ranks = 1 + below(RANKS);
    created = in_flight = 0;
    most_tasks = below(4) ? below(300) : below(3);
    chunk_most = 1 + below(8);
    long_tasks = below(2) ? 2 : 30;
    slow_net = below(2) ? 1 : 30;
    waves_alone = 0;
    late_from = below(RANKS);
    late_to = below(RANKS);
    for (int i = 0; i < ranks; i++) {
        sim[i].weight = 1 << below(7);
        bag_step_init(&sim[i].step, i, ranks, seed, &calls, &sim[i]);
    }
    for (int n = below(4); n; n--)
        add(&sim[below(ranks)]);
    for (int i = 0; i < ranks; i++)
        tell(&sim[i], (struct bag_news){.kind = BAG_BEGIN});
    for (int still = 0; !all_done(); still++) {
        struct sim_rank *s = &sim[below(ranks)];

        require(still < 40000000, "nothing happens any more");
        if (below(64) < s->weight && act(s)) {
            still = 0;
            check_lines();
        }
    }
    require(!in_flight, "a message is under way after the end");
    for (int i = 0; i < ranks; i++)
        require(!sim[i].count && !sim[i].begun, "a rank with tasks has left");
    for (int i = 0; i < created; i++)
        require(runs[i] == 1, runs[i] ? "a task has run twice" : "a task has not run");
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000, first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

    for (seed = first; seed < first + seeds; seed++)
        run();
    printf("%llu schedules\n", (unsigned long long)seeds);
    return 0;
}
