/* SPDX-License-Identifier: MIT */
/* Objects of wsfj/wait.h are freed as soon as those who waited for them are back, while the call that has woken them may still be
 * under way. Late reads are found with --enable-sanitizer=address or thread; late writes in each build. */
#include "waits.h"

#include <string.h>

enum { TASKS = 8, THREADS = 2, GUESTS = 1, ROUNDS = 60, KEPT = 32, WORKERS = 4 };

static long wrong;

/* Made by who waits. */
struct object {
    union {
        ws_event event;
        ws_future future;
        ws_semaphore semaphore;
        ws_channel channel;
        ws_mutex mutex;
        ws_group group;
        uint32_t word;
    } is;
    long served; /* under the mutex */
    enum kind { EVENT, FUTURE, SEMAPHORE, CHANNEL, CLOSED, MUTEX, GROUP, WORD, KINDS } kind;
};

/* The other side, a task of its own. After the call it touches nothing. */
static void serve(void *arg)
{
    struct object *o = arg;

    switch (o->kind) {
    case EVENT: ws_event_set(&o->is.event); break;
    case FUTURE: add(&wrong, ws_future_set(&o->is.future, 7, 0) != 0); break;
    case SEMAPHORE: ws_semaphore_post(&o->is.semaphore, 2); break;
    case CHANNEL: add(&wrong, ws_channel_send(&o->is.channel, &(long){7}) != 0); break;
    case CLOSED: ws_channel_close(&o->is.channel); break;
    case MUTEX:
        add(&wrong, ws_mutex_lock(&o->is.mutex) != 0);
        ws_yield(); /* the other one waits now, mostly */
        o->served = 1;
        add(&wrong, ws_mutex_unlock(&o->is.mutex) != 0);
        break;
    case GROUP: break;
    default: __atomic_store_n(&o->is.word, 1, __ATOMIC_RELEASE); ws_wake(&o->is.word, 1);
    }
}

static void take_turns(struct object *o)
{
    long served;

    do {
        add(&wrong, ws_mutex_lock(&o->is.mutex) != 0);
        served = o->served;
        ws_yield();
        add(&wrong, ws_mutex_unlock(&o->is.mutex) != 0);
    } while (!served);
}

static void wait_for_word(struct object *o)
{
    while (!__atomic_load_n(&o->is.word, __ATOMIC_ACQUIRE))
        add(&wrong, ws_wait_on(&o->is.word, 0, WS_FOREVER) != 0);
}

static void use(struct object *o, enum kind kind)
{
    uint64_t value = 0;
    long item = 0;

    *o = (struct object){.kind = kind};
    if (kind == CHANNEL || kind == CLOSED)
        ws_channel_init(&o->is.channel, NULL, sizeof item, 0);
    if (kind == GROUP)
        ws_group_init(&o->is.group);
    add(&wrong, (kind == GROUP ? ws_group_submit(&o->is.group, serve, o) : ws_submit(serve, o)) != 0);
    switch (kind) {
    case EVENT: add(&wrong, ws_event_wait(&o->is.event) != 0); break;
    case FUTURE: add(&wrong, ws_future_get(&o->is.future, &value, WS_FOREVER) != 0 || value != 7); break;
    case SEMAPHORE: add(&wrong, ws_semaphore_wait(&o->is.semaphore) != 0); break;
    case CHANNEL: add(&wrong, ws_channel_receive(&o->is.channel, &item) != 0 || item != 7); break;
    case CLOSED: add(&wrong, ws_channel_receive(&o->is.channel, &item) != EPIPE); break;
    case MUTEX: take_turns(o); break;
    case GROUP: add(&wrong, ws_group_wait(&o->is.group) != 0); break;
    default: wait_for_word(o);
    }
}

#define MARK 0x5a

/* Frees the memory some rounds later: until then nobody writes to it. */
static void keep(struct object **kept, struct object *o)
{
    if (*kept)
        for (size_t i = 0; i < sizeof **kept; i++)
            add(&wrong, ((unsigned char *)*kept)[i] != MARK);
    free(*kept);
    *kept = o;
    if (o)
        memset(o, MARK, sizeof *o);
}

static void run(long number)
{
    struct object *kept[KEPT] = {NULL};
    ws_rng r = ws_rng_at(1, (uint64_t)number);

    for (int i = 0; i < ROUNDS; i++) {
        struct object *o = malloc(sizeof *o);

        use(o, (enum kind)(ws_rng_next(&r) % KINDS));
        if (ws_rng_next(&r) % 2)
            free(o);
        else
            keep(&kept[i % KEPT], o);
    }
    for (int i = 0; i < KEPT; i++)
        keep(&kept[i], NULL);
}

/* With one to four workers. Catches: a waker that touches an object after its waiter may be back. */
START_TEST(what_was_waited_for_is_freed)
{
    struct crowd crowd;

    start_runtime(1 + (size_t)_i % WORKERS, 0, WS_SPIN_DEFAULT);
    wrong = 0;
    crowd_begin(&crowd, run, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    stop_runtime();
    ck_assert_int_eq(wrong, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_freed");

    tcase_add_loop_test(tcase, what_was_waited_for_is_freed, 0, WORKERS * 2);
    return run_case("wait_freed", tcase);
}
