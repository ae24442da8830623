/* SPDX-License-Identifier: MIT */
/* The protocol of a bag: BAG-1 random victims, BAG-2 lifelines, BAG-3 the end. */
#include "mpi/bag_step.h"

#include <string.h>

/* The next random number (splitmix64 of Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t draw(struct bag_rank *r)
{
    uint64_t x = r->random += 0x9e3779b97f4a7c15;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Every message is counted before it leaves: a wave between the two would miss it (BAG-3). */
static void send(struct bag_rank *r, int to, enum bag_message message, const void *bytes, size_t size)
{
    r->counts.sent++; /* BAG-3 */
    r->counts.bytes += size;
    r->calls->send(r->port, to, message, bytes, size);
}

/* Gives a rank that has asked a part of the tasks, if there are some to spare. */
static bool give(struct bag_rank *r, int to, enum bag_message message)
{
    const void *bytes;
    size_t size = r->calls->take(r->port, &bytes);

    if (!size)
        return false;
    r->counts.chunks_sent++;
    send(r, to, message, bytes, size);
    return true;
}

/* Serves the lifelines as long as there is something to spare. A neighbour that has got a chunk is no longer registered:
 * nobody sends to a rank that has not asked (BAG-2). */
static void serve(struct bag_rank *r)
{
    uint32_t waiting = 0;

    for (int b = 0; b < r->lines; b++) {
        if (r->waits[b] && give(r, r->me ^ 1 << b, BAG_GIFT))
            r->waits[b] = false; /* BAG-2 */
        waiting |= (uint32_t)r->waits[b] << b;
    }
    r->calls->want(r->port, waiting);
}

static int line_of(const struct bag_rank *r, int neighbour)
{
    int b = 0;

    while ((r->me ^ 1 << b) != neighbour)
        b++;
    return b;
}

/* Asks a random rank. */
static void ask(struct bag_rank *r)
{
    int victim = (int)(draw(r) % (uint64_t)(r->ranks - 1));

    victim += victim >= r->me;
    r->tries++;
    r->asked = victim; /* BAG-1 */
    send(r, victim, BAG_ASK, NULL, 0);
}

/* Registers with all neighbours where this rank is not registered. */
static void hang_on(struct bag_rank *r)
{
    for (int b = 0; b < r->lines; b++)
        if (bag_neighbour(r->me, r->ranks, b) >= 0 && !r->registered[b]) {
            r->registered[b] = true; /* BAG-2 */
            r->counts.lifelines++;
            send(r, r->me ^ 1 << b, BAG_LIFELINE, NULL, 0);
        }
}

/* The ranks are a tree, too: the parent of a rank is its neighbour without the lowest bit. Whether line b goes to a child. */
static bool is_child(const struct bag_rank *r, int b)
{
    return !((unsigned)r->me & ((2U << b) - 1)) && bag_neighbour(r->me, r->ranks, b) >= 0;
}

/* The messages of waves are not counted: each wave would change the sums. */
static void send_of_wave(struct bag_rank *r, int to, enum bag_message message, const void *bytes, size_t size)
{
    r->counts.wave_messages++;
    r->counts.bytes += size;
    r->calls->send(r->port, to, message, bytes, size);
}

static void end_wave(struct bag_rank *r, enum bag_message answer)
{
    r->in_wave = false;
    r->missing = r->children;
    memset(r->sums, 0, sizeof r->sums);
    r->is_done = answer == BAG_END;
    for (int b = 0; b < r->lines; b++)
        if (is_child(r, b))
            send_of_wave(r, r->me | 1 << b, answer, NULL, 0);
}

/* Rank 0. Two waves have the same sums, and all that was sent is received: between them nothing was under way and no rank had a
 * task (BAG-3). A rank that joins has no answer to get, and lifelines are counted, too: so nobody leaves with a request open. */
static void judge(struct bag_rank *r)
{
    bool same = r->has_last && r->sums[0] == r->sums[1] && memcmp(r->sums, r->last, sizeof r->last) == 0; /* BAG-3 */

    memcpy(r->last, r->sums, sizeof r->last);
    r->has_last = true;
    end_wave(r, same ? BAG_END : BAG_AGAIN);
}

static void join_wave(struct bag_rank *r)
{
    r->in_wave = true;
    r->counts.waves++;
    r->sums[0] += r->counts.sent;
    r->sums[1] += r->counts.received;
    if (r->me)
        send_of_wave(r, r->me & (r->me - 1), BAG_SUMS, r->sums, sizeof r->sums);
    else
        judge(r);
}

static void take_sums(struct bag_rank *r, const struct bag_news *news)
{
    uint64_t sums[2];

    memcpy(sums, news->bytes, sizeof sums);
    r->sums[0] += sums[0];
    r->sums[1] += sums[1];
    r->missing--;
}

/* What a rank without tasks does next: asks, or registers and joins a wave, or is silent. */
static void be_idle(struct bag_rank *r)
{
    if (r->is_done || r->asked >= 0 || r->calls->has(r->port))
        return;
    if (r->ranks > 1 && r->tries < BAG_TRIES) {
        ask(r);
        return;
    }
    hang_on(r);
    while (!r->in_wave && !r->missing && !r->is_done) /* BAG-3: only here, without a task and without an open ask */
        join_wave(r);
}

/* A chunk has come: its tasks go to this rank, and from there on to those who wait. */
static void take_in(struct bag_rank *r, const struct bag_news *news)
{
    r->counts.chunks_received++;
    r->tries = 0;
    r->calls->put(r->port, news->bytes, news->size);
    serve(r);
}

static void arrive(struct bag_rank *r, const struct bag_news *news)
{
    r->counts.received += news->message < BAG_SUMS; /* BAG-3 */
    switch (news->message) {
    case BAG_ASK:
        if (!give(r, news->from, BAG_CHUNK))
            send(r, news->from, BAG_REFUSE, NULL, 0); /* BAG-1: every ask has its answer */
        break;
    case BAG_REFUSE:
        r->counts.refusals++;
        r->asked = -1;
        break;
    case BAG_CHUNK:
        r->asked = -1; /* BAG-1 */
        take_in(r, news);
        break;
    case BAG_LIFELINE:
        r->waits[line_of(r, news->from)] = true; /* BAG-2 */
        serve(r);
        break;
    case BAG_GIFT:
        r->registered[line_of(r, news->from)] = false; /* BAG-2 */
        take_in(r, news);
        break;
    case BAG_SUMS: take_sums(r, news); break;
    case BAG_AGAIN:
    case BAG_END: end_wave(r, news->message); break;
    }
}

void bag_step_init(struct bag_rank *r, int me, int ranks, uint64_t seed, const struct bag_port *calls, void *port)
{
    *r = (struct bag_rank){.calls = calls, .port = port, .me = me, .ranks = ranks, .asked = -1};
    r->random = seed ^ (uint64_t)me << 32;
    while (r->lines < BAG_LINES_MOST && (ranks - 1) >> r->lines)
        r->lines++;
    for (int b = 0; b < r->lines; b++)
        r->children += is_child(r, b);
    r->missing = r->children;
}

void bag_step(struct bag_rank *r, const struct bag_news *news)
{
    switch (news->kind) {
    case BAG_ARRIVED: arrive(r, news); break;
    case BAG_SPARE: serve(r); break;
    case BAG_BEGIN:
    case BAG_IDLE: break;
    }
    be_idle(r);
}
