/* SPDX-License-Identifier: MIT */
/*
 * pipeline [N] - which number below N takes the most steps to 1 (n/2 if it is even, else 3n + 1)? Three stages, each of one or
 * several tasks, with a channel between them: the first cuts the numbers into blocks, the second searches them, the third
 * keeps the best. A stage that has nothing to do, or no room for its result, waits without a thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wsfj.h>

enum { BLOCKS = 64, SEARCHERS = 4 };

struct block {
    unsigned long from, to;
};

struct best {
    unsigned long number, steps;
};

/* A serial program runs one stage after the other, so there is room for all blocks. */
static struct block block_room[BLOCKS];
static struct best best_room[BLOCKS];
static ws_channel blocks = WS_CHANNEL_INIT(block_room), results = WS_CHANNEL_INIT(best_room);
static ws_semaphore ended = WS_SEMAPHORE_INIT(0);
static ws_future answer = WS_FUTURE_INIT;
static struct best best;

static void cut(void *limit)
{
    unsigned long n = *(unsigned long *)limit, each = (n + BLOCKS - 1) / BLOCKS;

    for (unsigned long from = 1; from < n; from += each) {
        struct block b = {from, n - from < each ? n : from + each};

        if (ws_channel_send(&blocks, &b))
            break;
    }
    ws_channel_close(&blocks);
}

static struct best search(struct block b)
{
    struct best found = {0, 0};

    for (unsigned long i = b.from; i < b.to; i++) {
        unsigned long steps = 0;

        for (unsigned long long n = i; n != 1; steps++)
            n = n % 2 ? 3 * n + 1 : n / 2;
        if (!found.number || steps > found.steps)
            found = (struct best){i, steps};
    }
    return found;
}

static void search_all(void *unused)
{
    struct block b;

    (void)unused;
    while (ws_channel_receive(&blocks, &b) == 0) {
        struct best found = search(b);

        if (ws_channel_send(&results, &found))
            break;
    }
    ws_semaphore_post(&ended, 1);
}

static void keep_best(void *unused)
{
    struct best found;

    (void)unused;
    while (ws_channel_receive(&results, &found) == 0) /* they come in any order */
        if (!best.number || found.steps > best.steps || (found.steps == best.steps && found.number < best.number))
            best = found;
    ws_future_set(&answer, (uintptr_t)&best, best.number ? 0 : ENOENT);
}

int main(int argc, char **argv)
{
    char *end = argc > 1 ? argv[1] : "";
    unsigned long n = argc > 1 ? strtoul(argv[1], &end, 10) : 100000;
    uint64_t found;
    int error;

    if (argc > 2 || *end || n < 2 || n > 100000000)
        return fprintf(stderr, "usage: pipeline [N]: a number from 2 to 100000000\n"), 2;
    error = ws_submit(cut, &n);
    for (int i = 0; i < SEARCHERS && !error; i++)
        error = ws_submit(search_all, NULL);
    for (int i = 0; i < SEARCHERS && !error; i++)
        error = ws_semaphore_wait(&ended);
    if (!error) {
        ws_channel_close(&results);
        error = ws_submit(keep_best, NULL);
    }
    if (!error)
        error = ws_future_get(&answer, &found, WS_FOREVER);
    if (error)
        return fprintf(stderr, "pipeline: %s\n", strerror(error)), 1;
    const struct best *b = (const struct best *)(uintptr_t)found;
    printf("below %lu: %lu takes %lu steps\n", n, b->number, b->steps);
    if (ferror(stdout) || fclose(stdout))
        return fprintf(stderr, "pipeline: standard output: %s\n", strerror(errno)), 1;
    return 0;
}
