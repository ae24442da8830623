/* SPDX-License-Identifier: MIT */
/* Random programs of mutexes, semaphores, channels, events, futures, sleeps, pipes and deadlines, in scopes that are cancelled and
 * outside of them, by tasks of each kind and threads side by side: what must stay the same stays the same. With chaos
 * (--enable-chaos) also in orders that are rare. Neighbours: wait_fork.c, wait_freed.c. */
#define _GNU_SOURCE /* pipe2() */
#include "waits.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum {
    TASKS = 16,
    THREADS = 3,
    GUESTS = 2,
    ALL = TASKS + THREADS + GUESTS,
    STEPS = 60,
    OBJECTS = 3,
    UNITS = 2,
    WORKERS = 4
};

static ws_mutex mutexes[OBJECTS];
static long counted[OBJECTS], locked; /* under the mutexes; the sum of `counted` */
static ws_semaphore semaphores[OBJECTS];
static long places[OBJECTS][2];
static ws_channel channels[OBJECTS];
static long sent, received, wrong;
static ws_event rounds[STEPS]; /* set by the first that comes there */
static ws_future values[STEPS];
static int pipes[OBJECTS][2];
static long written, read_back;
static unsigned seed;

/* Who waits. */
struct self {
    ws_rng rng;
    bool in_scope; /* which may be cancelled */
};

static uint64_t pick(struct self *self, uint64_t n)
{
    return ws_rng_next(&self->rng) % n;
}

/* In the past, soon, or some ms away: nobody waits for ever. */
static uint64_t deadline(struct self *self)
{
    uint64_t way = pick(self, 4);

    return way == 0 ? 0 : now() + pick(self, way == 1 ? 10000 : 2000000);
}

/* A wait has failed for a reason that is true. */
static void check(const struct self *self, int error, uint64_t until)
{
    add(&wrong, error == ECANCELED ? !self->in_scope : error != ETIMEDOUT || now() < until);
}

static void pause_a_little(struct self *self)
{
    if (pick(self, 4) == 0)
        ws_yield();
}

static void use_mutex(struct self *self, uint64_t k)
{
    uint64_t until = deadline(self);
    int error = pick(self, 2) ? ws_mutex_lock(&mutexes[k]) : ws_mutex_lock_until(&mutexes[k], until);

    if (error) {
        check(self, error, until);
        return;
    }
    counted[k]++;
    pause_a_little(self);
    add(&locked, 1);
    add(&wrong, ws_mutex_unlock(&mutexes[k]) != 0);
}

static void use_semaphore(struct self *self, uint64_t k)
{
    uint64_t until = deadline(self);
    int error = pick(self, 2) ? ws_semaphore_wait(&semaphores[k]) : ws_semaphore_wait_until(&semaphores[k], until);

    if (error) {
        check(self, error, until);
        return;
    }
    pause_a_little(self);
    ws_semaphore_post(&semaphores[k], 1);
}

static void use_channel(struct self *self, uint64_t k)
{
    uint64_t until = deadline(self);
    long item = (long)pick(self, 1000);
    bool sends = pick(self, 2);
    int error = sends ? ws_channel_send_until(&channels[k], &item, until)
                      : ws_channel_receive_until(&channels[k], &item, until);

    if (error)
        check(self, error, until);
    else
        add(sends ? &sent : &received, item);
}

static void use_any(struct self *self, uint64_t k)
{
    struct ws_thing all[] = {{WS_THING_SEMAPHORE, 0, &semaphores[k]},
                             {WS_THING_SEND, 0, &channels[k]},
                             {WS_THING_RECEIVE, 0, &channels[(k + 1) % OBJECTS]},
                             {WS_THING_EVENT, 0, &rounds[pick(self, STEPS)]},
                             {WS_THING_FUTURE, 0, &values[pick(self, STEPS)]}};
    uint64_t until = deadline(self);
    int error = ws_wait_any(all, 1 + pick(self, 5), until);

    if (error)
        check(self, error, until);
}

static void use_event(struct self *self, long i)
{
    uint64_t until = deadline(self);
    int error = 0;

    if (pick(self, 3) == 0)
        ws_event_set(&rounds[i]);
    else if ((error = ws_event_wait_until(&rounds[i], until)))
        check(self, error, until);
}

/* The value says whose future it is. */
static void use_future(struct self *self, long i)
{
    uint64_t until = deadline(self), value = 0;
    int error;

    if (pick(self, 3) == 0) {
        error = ws_future_set(&values[i], (uint64_t)i + 1, 0);
        add(&wrong, error != 0 && error != EALREADY);
    } else if ((error = ws_future_get(&values[i], &value, until))) {
        check(self, error, until);
    } else {
        add(&wrong, value != (uint64_t)i + 1);
    }
}

static void sleep_a_little(struct self *self)
{
    uint64_t until = deadline(self);
    int error = ws_sleep_until(until);

    if (error)
        add(&wrong, error != ECANCELED || !self->in_scope);
    else
        add(&wrong, now() < until);
}

/* Several may wait for one descriptor, of which only one for each direction. */
static void use_pipe(struct self *self, uint64_t k)
{
    uint64_t until = deadline(self);
    bool writes = pick(self, 2);
    int error = ws_wait_fd(pipes[k][writes], writes ? POLLOUT : POLLIN, until);
    char byte = 1;

    if (error == EBUSY)
        return;
    if (error)
        check(self, error, until);
    else if (writes)
        add(&written, write(pipes[k][1], &byte, 1) == 1);
    else
        add(&read_back, read(pipes[k][0], &byte, 1) == 1); /* unless another one was faster */
}

static void step(struct self *self, long i)
{
    uint64_t k = pick(self, OBJECTS);

    switch (pick(self, 9)) {
    case 0: use_mutex(self, k); break;
    case 1: use_semaphore(self, k); break;
    case 2: use_any(self, k); break;
    case 3: use_event(self, i); break;
    case 4: use_future(self, i); break;
    case 5: sleep_a_little(self); break;
    case 6: use_pipe(self, k); break;
    default: use_channel(self, k);
    }
}

WS_TASK_VOID(cancel_scope, ws_scope *, scope, uint64_t, until)
{
    (void)ws_sleep_until(until);
    (void)ws_scope_cancel(scope, 1);
}

/* Two steps in a scope, which a child cancels meanwhile. */
static void step_in_scope(struct self *self, long i)
{
    ws_scope scope;

    ws_frame();
    ws_scope_begin(&scope);
    ws_spawn(cancel_scope, &scope, now() + pick(self, 100000));
    self->in_scope = true;
    step(self, i);
    step(self, i);
    self->in_scope = false;
    (void)ws_scope_end(&scope);
}

static void run(long number)
{
    struct self self = {ws_rng_at(seed, (uint64_t)number), false};

    for (long i = 0; i < STEPS; i++) {
        if (pick(&self, 8) == 0)
            step_in_scope(&self, i);
        else
            step(&self, i);
    }
}

static void prepare(void)
{
    wrong = sent = received = locked = written = read_back = 0;
    for (size_t k = 0; k < OBJECTS; k++) {
        counted[k] = 0;
        ws_semaphore_init(&semaphores[k], UNITS);
        ws_channel_init(&channels[k], places[k], sizeof(long), k);
        ck_assert_int_eq(pipe2(pipes[k], O_NONBLOCK | O_CLOEXEC), 0);
    }
    for (size_t i = 0; i < STEPS; i++) {
        ws_event_reset(&rounds[i]);
        values[i] = (ws_future)WS_FUTURE_INIT;
    }
}

static void check_objects(void)
{
    long item, all = 0;
    char byte;

    for (size_t k = 0; k < OBJECTS; k++) {
        while (ws_channel_try_receive(&channels[k], &item) == 0)
            received += item;
        while (read(pipes[k][0], &byte, 1) == 1)
            read_back++;
        close(pipes[k][0]);
        close(pipes[k][1]);
        for (int i = 0; i < UNITS; i++)
            ck_assert_int_eq(ws_semaphore_try_wait(&semaphores[k]), 0);
        ck_assert_int_eq(ws_semaphore_try_wait(&semaphores[k]), EAGAIN);
        ck_assert_int_eq(ws_mutex_trylock(&mutexes[k]), 0);
        ck_assert_int_eq(ws_mutex_unlock(&mutexes[k]), 0);
        all += counted[k];
    }
    ck_assert_int_eq(all, locked);
    ck_assert_int_eq(sent, received);
    ck_assert_int_eq(written, read_back);
    ck_assert_int_eq(wrong, 0);
}

/* With one to four workers; with as many stacks as the tasks need, and without a limit. Catches: two holders, a unit or an item
 * that is lost or doubled, a deadline that comes early, a cancellation of others, a waiter that is forgotten. */
START_TEST(what_must_stay_the_same_does)
{
    struct crowd crowd;
    ws_config config;

    seed = (unsigned)_i * 7919 + (getenv("WSFJ_TEST_SEED") ? (unsigned)atoi(getenv("WSFJ_TEST_SEED")) : 0);
    ws_config_default(&config);
    config.num_workers = 1 + (size_t)_i % WORKERS;
    config.max_stacks = _i / WORKERS % 2 ? 2 * ALL : 0;
    ck_assert_int_eq(ws_init(&config), 0);
    prepare();
    crowd_begin(&crowd, run, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    check_objects();
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_random");

    tcase_add_loop_test(tcase, what_must_stay_the_same_does, 0, WORKERS * 5);
    return run_case("wait_random", tcase);
}
