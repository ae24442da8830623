/* SPDX-License-Identifier: MIT */
/*
 * The numbers that the scheduler's decisions rest on, in one place. In the library they are constants, and leave nothing
 * but the code that they choose (tests/build/policy.sh). Programs that compare policies - the simulator, tests -
 * compile the files that they vary with WSFJ_POLICY_VARIABLE, and define the variable.
 *
 * What is compared and is no number is a function. WSFJ_POLICY_FUNCTION() marks where the library defines it. Only the
 * simulator gives the library's function another name there: tools/sim/seam.h, with what it puts in its place.
 */
#ifndef WSFJ_BASE_POLICY_H
#define WSFJ_BASE_POLICY_H

#ifndef WSFJ_POLICY_FUNCTION
#define WSFJ_POLICY_FUNCTION(name) name
#endif

struct wsfj_policy {
    /* steal.c. A thief that has asked for exposure waits this long for the owner; then it forces. */
    unsigned ask_ns;
    /* The pause after a forced exposure that failed; doubled each time up to the most. */
    unsigned force_pause_ns, force_pause_most_ns;
    /* A round tries at most so many suspended deques; the next round continues behind them. */
    unsigned suspended_most;

    /* victim.c. One round in so many forgets the last success. A round passes a tier by with one chance in so
     * many. Without the first, a thief that always finds work at the same victim never looks elsewhere. Without the
     * second, far work waits for as long as there is near work. With one chance in two instead of four, hundreds of
     * workers steal a third less often, and larger parts (doc/sim/victims.md). */
    unsigned near_forgets, near_passes;
    /* How often a thief draws where it begins in a tier, at most; it stops as soon as a worker is awake there. With
     * five draws instead of one, 512 workers are done with an unequal tree in 3 to 6 % less time
     * (doc/sim/victims.md). */
    unsigned start_draws;

    /* deque.c. When the owner takes back its last public task, its next spawn makes one public again, at most once in
     * this time. A thief then rarely has to force (11 us), and the owner spends less than 1 % of its time on it (0.1 us
     * each time). Without this, 605 of 921 steals were forced in heat with 2 workers. */
    unsigned renew_ns;
    /* The owner exposes one of so many private tasks, rounded up. */
    unsigned expose_part;

    /* short_wait.c. A parent waits at most about this long for its last stolen children, before it is suspended; four times
     * as long where that was worth it. 0: not at all. In rows of loops of 25 us with 2 workers a suspension with its
     * resumption costs 6 us, most of it for data that are in the other worker's cache. */
    unsigned join_wait_ns;

    /* search.c. Rounds of pure polling before the thief lets other threads of its processor run between rounds. */
    unsigned polite_rounds;
    /* From then on the thief does so once in so many rounds. Meanwhile its mailbox is closed, so a parent that it has
     * suspended resumes on another processor: with children of 20 us, 57 to 84 % of the parents instead of 63 to 96 %. */
    unsigned offer_every;
    /* Between two rounds a thief pauses 2^this times at most, from the least for 2 workers to the most for many. Each
     * peek costs the victim a cache miss at its next spawn: the more thieves there may be, the longer the pause. With
     * two workers a thief sees a waiting task after 0.2 us. */
    unsigned pause_least, pause_most;

    /* mailbox.c. 1: a pause ends when the owner that the thief has asked first in the round answers. The count of answers
     * is in a cache line that the owner writes only then, so a thief that watches it costs the owner nothing before. */
    unsigned watch;

    /* dispatch.c. Once in so many dispatches in a row a worker steals. Without this, a worker whose queues never run empty
     * would be lost to fork/join work; a fiber that yields in a loop suffices for that. A prime, as common_every. */
    unsigned steal_every;
    /* Once in so many dispatches the common queues come first: a run queue that never runs empty must not
     * keep them waiting. The number is that of Go's scheduler: a prime, so that it does not fall in step with a
     * program. */
    unsigned common_every;
    /* The newest task comes first, from run-next, at most so often in a row; then the oldest comes. */
    unsigned next_in_a_row;

    /* run_queue.c. A thief takes this many quarters of a run queue, rounded up; 0: one task. */
    unsigned queue_quarters;

    /* global_queue.c. Producers that wait for room are woken when one of so many entries is free. Not for the first
     * free entry, or each sleeper would be woken for a single task. */
    unsigned room_part;

    /* idle_counts.c, PARK-6. One of so many busy workers may be doubled by a searcher; 0: no limit. */
    unsigned search_part;

    /* wake.c. A searcher that has found work wakes so many at most. With one, the number of those on their way stays
     * the same, and so few workers are busy soon (doc/sim/waking.md). */
    unsigned wake_found;
    /* A thread that makes work known wakes one if fewer search than this. */
    unsigned wake_below;

    /* wake_choice.c. A waker compares so many sleepers of the nearest tier (doc/sim/scale.md). */
    unsigned wake_looks;

    /* park.c, recheck.c. Without the heavy barrier a sleeper cannot be sure that it saw every spawn: the last sleeper rechecks
     * this often while tasks run. So does a sleeper that has found no stack for what waits. */
    unsigned recheck_blind_ns;
};

/* The runtime's. */
#define WSFJ_POLICY                                                                                                    \
    {                                                                                                                  \
        .ask_ns = 1000, .force_pause_ns = 10000, .force_pause_most_ns = 1000000, .suspended_most = 8,                  \
        .near_forgets = 8, .near_passes = 2, .start_draws = 5, .renew_ns = 10000, .expose_part = 2,                    \
        .join_wait_ns = 1000, .polite_rounds = 64, .offer_every = 4, .pause_least = 3, .pause_most = 6, .watch = 1,    \
        .steal_every = 251, .common_every = 61, .next_in_a_row = 3, .queue_quarters = 2, .room_part = 4,               \
        .search_part = 2, .wake_found = 2, .wake_below = 1, .wake_looks = 8, .recheck_blind_ns = 1000000               \
    }

#ifdef WSFJ_POLICY_VARIABLE
extern struct wsfj_policy wsfj_policy;
#else
static const struct wsfj_policy wsfj_policy = WSFJ_POLICY;
#endif

#endif
