/* SPDX-License-Identifier: MIT */
/*
 * pool <NUMBERS - answers requests: for each number of the input, its smallest factor. The same program twice: with
 * -DPTHREAD_POOL it has a pool of threads, a queue and two condition variables; without, ws_group_submit does all that.
 * Workers follow the CPU quota, and a request may spawn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    unsigned long number, factor;
    struct request *next, *queued;
} request;

static void answer(void *arg)
{
    request *r = arg;
    unsigned long i = 2;

    while (i <= r->number / i && r->number % i)
        i++;
    r->factor = i <= r->number / i ? i : r->number; /* a prime's is itself */
}

#ifdef PTHREAD_POOL
#include <pthread.h>

enum { THREADS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_t thread[THREADS];
static request *first, *last;
static int threads, closed;

static void *serve(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!first && !closed)
            pthread_cond_wait(&filled, &lock);
        if (!first)
            break;
        request *r = first;
        first = r->queued;
        pthread_mutex_unlock(&lock);
        answer(r);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static int submit(request *r)
{
    int error = threads < THREADS ? pthread_create(&thread[threads], NULL, serve, NULL) : 0;

    threads += threads < THREADS && !error;
    if (!threads)
        return error;
    pthread_mutex_lock(&lock);
    *(first ? &last->queued : &first) = r;
    last = r;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void wait_for_all(void)
{
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    while (threads > 0)
        pthread_join(thread[--threads], NULL);
}
#else
#include <wsfj.h>

static ws_group group = WS_GROUP_INIT;

#define submit(r) ws_group_submit(&group, answer, r)
#define wait_for_all() ws_group_wait(&group)
#endif

int main(int argc, char **argv)
{
    request *all = NULL, **end = &all;
    char word[32];
    int error = 0;

    if (argc > 1)
        return fprintf(stderr, "usage: pool <NUMBERS (not '%s')\n", argv[1]), 2;
    while (!error && scanf("%31s", word) == 1) {
        if (word[strspn(word, "0123456789")] || strlen(word) > 18)
            return fprintf(stderr, "pool: '%s' is not a number of at most 18 digits\n", word), 1;
        request *r = *end = calloc(1, sizeof *r);
        if (r)
            r->number = strtoul(word, NULL, 10);
        error = r ? submit(r) : ENOMEM;
        end = r ? &r->next : end;
    }
    wait_for_all();
    for (request *r = all, *next; r; r = next) {
        if (!error)
            printf("%lu: %lu\n", r->number, r->factor);
        next = r->next;
        free(r);
    }
    if (error || ferror(stdin))
        return fprintf(stderr, "pool: %s\n", strerror(error ? error : errno)), 1;
    if (ferror(stdout) || fclose(stdout))
        return fprintf(stderr, "pool: standard output: %s\n", strerror(errno)), 1;
    return 0;
}
