/* SPDX-License-Identifier: MIT */
/* The protocol of a bag at one rank (doc/protocols.md, BAG): what the rank says to other ranks, and when the bag has
 * ended. A state machine: one thread at a time tells it what has happened, one thing a call, and it answers by calls of its
 * port. It never blocks, has no lock, and knows neither MPI nor libwsfj: lib/mpi/bag_drive.c runs it over MPI, and
 * tests/mpi/bag_schedules.c over a network of its own. */
#ifndef LIB_MPI_BAG_STEP_H
#define LIB_MPI_BAG_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BAG_TRIES 2       /* random victims before the lifelines: more find little (Saraswat et al. use 1 or 2) */
#define BAG_LINES_MOST 31 /* neighbours in a hypercube of 2^31 ranks */

/* Messages between ranks: their tags. An ask is answered by a chunk or a refusal, a lifeline some time by a gift, or never. The
 * last three are a wave's: sums go up the tree of ranks, and the answer comes down. */
enum bag_message { BAG_ASK = 1, BAG_REFUSE, BAG_CHUNK, BAG_LIFELINE, BAG_GIFT, BAG_SUMS, BAG_AGAIN, BAG_END };

/* What has happened. */
enum bag_news_kind {
    BAG_BEGIN,   /* the run begins: the rank has tasks, or not */
    BAG_ARRIVED, /* a message is here */
    BAG_IDLE,    /* the rank's last task has ended */
    BAG_SPARE    /* a task has been added after `want` has said so */
};

struct bag_news {
    enum bag_news_kind kind;
    enum bag_message message; /* of BAG_ARRIVED */
    int from;
    const void *bytes; /* of a BAG_CHUNK, a BAG_GIFT or BAG_SUMS */
    size_t size;
};

/* What the machine calls. `put` makes tasks of a chunk. `take` cuts a chunk off this rank's tasks: its size, 0: there is nothing
 * to spare; *bytes then holds until the `send` that follows. `has` tells whether the rank has a task, waiting or begun. `want`
 * tells which lines wait for tasks: then BAG_SPARE shall follow when there are some to spare. */
struct bag_port {
    void (*send)(void *port, int to, enum bag_message message, const void *bytes, size_t size);
    size_t (*take)(void *port, const void **bytes);
    void (*put)(void *port, const void *bytes, size_t size);
    bool (*has)(void *port);
    void (*want)(void *port, uint32_t lines);
};

struct bag_counts {
    uint64_t sent, received; /* messages but those of waves: Mattern's counters */
    uint64_t chunks_sent, chunks_received, refusals, lifelines, bytes, waves, wave_messages;
};

struct bag_rank {
    const struct bag_port *calls;
    void *port;
    int me, ranks;
    uint64_t random;
    int tries;        /* random victims since the last task */
    int asked;        /* the rank whose answer is awaited, or -1 */
    int children;     /* in the tree of ranks */
    int missing;      /* children whose sums of this wave have not come */
    bool in_wave;     /* joined, and not over */
    uint64_t sums[2]; /* sent, received: of the children, and of this rank once it has joined */
    bool has_last;    /* of rank 0: `last` holds the sums of the wave before */
    uint64_t last[2];
    bool is_done;
    int lines;                       /* neighbours in the hypercube */
    bool registered[BAG_LINES_MOST]; /* with this neighbour, which has not given since */
    bool waits[BAG_LINES_MOST];      /* this neighbour is registered here */
    struct bag_counts counts;
};

/* The rank at the beginning of a run. */
void bag_step_init(struct bag_rank *r, int me, int ranks, uint64_t seed, const struct bag_port *calls, void *port);

/* Takes news in. Afterwards r->is_done tells whether the bag has ended on all ranks: then no message is under way. */
void bag_step(struct bag_rank *r, const struct bag_news *news);

/* The neighbour of `me` on line b, or -1: there is no such rank. */
static inline int bag_neighbour(int me, int ranks, int b)
{
    return (me ^ 1 << b) < ranks ? me ^ 1 << b : -1;
}

#endif
