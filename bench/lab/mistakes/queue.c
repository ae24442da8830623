/* SPDX-License-Identifier: MIT */
/*
 * A queue without atomics: one producer, one consumer, two plain indices. ThreadSanitizer reports it, even if a run
 * shows no error. Remedy: release where an item is handed over, acquire where it is taken. Does not use libwsfj.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROOM 64
#define ITEMS 100000

static unsigned head, tail;
static unsigned items[ROOM];

#ifdef REMEDIED
#define LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#else
/* Keeps the compiler from moving the loads out of the loops below, which then would never end. */
#define LOAD(p) (*(volatile unsigned *)(p))
#define STORE(p, v) (*(volatile unsigned *)(p) = (v))
#endif

static void *produce(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - LOAD(&head) == ROOM)
            ;
        items[i % ROOM] = i;
        STORE(&tail, i + 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer;
    unsigned wrong = 0;

    if (pthread_create(&producer, NULL, produce, NULL) != 0)
        return 1;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (LOAD(&tail) == i)
            ;
        wrong += items[i % ROOM] != i;
        STORE(&head, i + 1);
    }
    pthread_join(producer, NULL);
    printf("items_wrong %u\n", wrong);
    return 0;
}
