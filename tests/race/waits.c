/* SPDX-License-Identifier: MIT */
/* For waits.sh: uses of wsfj/wait.h, of which some race. The argument chooses. */
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
    return ws_run(use, argc > 1 ? atoi(argv[1]) : 0);
}
