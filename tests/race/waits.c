/* SPDX-License-Identifier: MIT */
/* For waits.sh: uses of wsfj/wait.h, of which some race. The argument chooses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <wsfj.h>

static ws_mutex mutex = WS_MUTEX_INIT;
static ws_event event = WS_EVENT_INIT;
static ws_semaphore semaphore = WS_SEMAPHORE_INIT(0);
static long places[8], value;
static ws_channel channel = WS_CHANNEL_INIT(places);

static WS_TASK_VOID(locked)
{
    ws_mutex_lock(&mutex);
    value++;
    ws_mutex_unlock(&mutex);
}

static WS_TASK_VOID(plain)
{
    value++;
}

static WS_TASK_VOID(give)
{
    long item = 1;

    value = 2;
    ws_channel_send(&channel, &item);
    ws_semaphore_post(&semaphore, 1);
    ws_event_set(&event);
}

static ws_mutex other = WS_MUTEX_INIT;
static ws_event answered = WS_EVENT_INIT;
static ws_future future = WS_FUTURE_INIT;
static ws_semaphore two = WS_SEMAPHORE_INIT(2);
static long sum, inside, wrong, place[1];
static ws_channel narrow = WS_CHANNEL_INIT(place);

static WS_TASK_VOID(adds)
{
    wrong += ws_mutex_lock(&mutex) != 0;
    sum++;
    wrong += ws_mutex_unlock(&mutex) != 0;
    wrong += ws_semaphore_wait(&two) != 0;
    wrong += __atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED) > 2;
    (void)__atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
    ws_semaphore_post(&two, 1);
}

static WS_TASK_VOID(answers)
{
    long item = 20;

    wrong += ws_channel_send(&narrow, &item) != 0;
    wrong += ws_future_set(&future, 3, 0) != 0;
    ws_event_set(&answered);
}

/* Serially each is there before it is waited for. By a schedule the parent comes first, mostly. */
static WS_TASK_VOID(asks)
{
    struct ws_thing things[] = {{WS_THING_RECEIVE, 0, &narrow}, {WS_THING_SEMAPHORE, 0, &semaphore}};
    uint64_t got = 0;
    long item = 0;

    for (int i = 0; i < 4; i++)
        ws_spawn(adds);
    ws_spawn(answers);
    wrong += ws_wait_any(things, 2, WS_FOREVER) != 0 || !things[0].ready;
    wrong += ws_channel_receive(&narrow, &item) != 0;
    wrong += ws_future_get(&future, &got, WS_FOREVER) != 0;
    wrong += ws_event_wait_until(&answered, ws_now() + UINT64_C(3600000000000)) != 0;
    ws_sync();
    printf("%ld wrong, %ld\n", wrong, sum + item + (long)got);
}

static WS_TASK_VOID(locks_both, ws_mutex *, first, ws_mutex *, second)
{
    ws_mutex_lock(first);
    ws_mutex_lock(second);
    ws_mutex_unlock(second);
    ws_mutex_unlock(first);
}

static WS_TASK_VOID(crosses)
{
    ws_spawn(locks_both, &mutex, &other);
    ws_call(locks_both, &other, &mutex);
    ws_sync();
}

static WS_TASK_VOID(asks_too_early)
{
    for (int i = 0; i < 3; i++)
        if (ws_event_wait(&answered) != EDEADLK) /* this line */
            abort();
    ws_spawn(answers);
    ws_sync();
}

static WS_TASK_VOID(use, int, way)
{
    struct ws_thing thing = {WS_THING_EVENT, 0, &event};
    long item;

    switch (way) {
    case 0: ws_spawn(locked); break;
    case 1: ws_spawn(plain); break;
    default: ws_spawn(give);
    }
    switch (way) {
    case 0:
    case 1: ws_call(locked); break;
    case 2: ws_event_wait(&event); break;
    case 3: ws_semaphore_wait(&semaphore); break;
    case 4: ws_channel_receive(&channel, &item); break;
    case 5: ws_wait_any(&thing, 1, WS_FOREVER); break;
    default: break;
    }
    if (way > 1)
        value++;
    ws_sync();
}

int main(int argc, char **argv)
{
    int way = argc > 1 ? atoi(argv[1]) : 0;

    switch (way) {
    case 7: return ws_run(asks);
    case 8: return ws_run(crosses);
    case 9: return ws_run(asks_too_early);
    default: return ws_run(use, way);
    }
}
