/* SPDX-License-Identifier: MIT */
/* ws_wait_any(): lib/sync/any.c. */
#include "waits.h"

enum { TASKS = 10, THREADS = 2, GUESTS = 2, ALL = TASKS + THREADS + GUESTS, THINGS = 8 };

static ws_event event, gate;
static ws_future future;
static ws_group group;
static ws_semaphore semaphore;
static long in_place[1], out_place[1];
static ws_channel in, out, met_by_receiver, met_by_sender;
static long wrong, came;
static int expected; /* the thing that becomes ready */

static const struct ws_thing things[THINGS] = {
    {WS_THING_EVENT, 0, &event},          {WS_THING_FUTURE, 0, &future},        {WS_THING_GROUP, 0, &group},
    {WS_THING_SEMAPHORE, 0, &semaphore},  {WS_THING_RECEIVE, 0, &in},           {WS_THING_SEND, 0, &out},
    {WS_THING_SEND, 0, &met_by_receiver}, {WS_THING_RECEIVE, 0, &met_by_sender}};

static void wait_for_gate(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_event_wait(&gate), 0);
}

static void receive_one(void *unused)
{
    long item;

    (void)unused;
    add(&wrong, ws_channel_receive(&met_by_receiver, &item) != EPIPE);
}

static void send_one(void *unused)
{
    (void)unused;
    add(&wrong, ws_channel_send(&met_by_sender, &(long){1}) != EPIPE);
}

/* Nothing is ready. */
static void prepare(void)
{
    event = gate = (ws_event)WS_EVENT_INIT;
    future = (ws_future)WS_FUTURE_INIT;
    ws_semaphore_init(&semaphore, 0);
    ws_channel_init(&in, in_place, sizeof *in_place, 1);
    ws_channel_init(&out, out_place, sizeof *out_place, 1);
    ck_assert_int_eq(ws_channel_try_send(&out, &(long){1}), 0);
    met_by_receiver = met_by_sender = (ws_channel)WS_CHANNEL_UNBUFFERED(long);
    ck_assert_int_eq(ws_group_submit(&group, wait_for_gate, NULL), 0);
    came = 0;
}

static void make_ready(ws_group *others)
{
    long item;

    switch (expected) {
    case 0: ws_event_set(&event); break;
    case 1: ck_assert_int_eq(ws_future_set(&future, 0, 0), 0); break;
    case 2: ws_event_set(&gate); break;
    case 3: ws_semaphore_post(&semaphore, 1); break;
    case 4: ck_assert_int_eq(ws_channel_try_send(&in, &(long){1}), 0); break;
    case 5: ck_assert_int_eq(ws_channel_try_receive(&out, &item), 0); break;
    case 6: ck_assert_int_eq(ws_group_submit(others, receive_one, NULL), 0); break;
    default: ck_assert_int_eq(ws_group_submit(others, send_one, NULL), 0);
    }
}

static void wait_for_things(long number)
{
    struct ws_thing mine[THINGS];

    for (int i = 0; i < THINGS; i++)
        mine[i] = things[(i + number) % THINGS];
    add(&wrong, ws_wait_any(mine, THINGS, number % 2 ? WS_FOREVER : now() + UINT64_C(100000000000)) != 0);
    for (int i = 0; i < THINGS; i++)
        add(&wrong, mine[i].ready != ((i + number) % THINGS == expected));
    add(&came, 1);
}

/* Catches: a thing whose waiters are not told, one that is taken by a wait, a wrong thing that is said to be ready, and nodes
 * that stay in the table. */
START_TEST(each_thing_ends_the_wait)
{
    struct crowd crowd;

    start_shape(_i, ALL + 3);
    for (int round = 0; round < 3 * THINGS; round++) {
        ws_group others = WS_GROUP_INIT;
        uint64_t before = read_stats().waits;

        expected = round % THINGS;
        prepare();
        crowd_begin(&crowd, wait_for_things, TASKS, THREADS, GUESTS);
        if (round >= THINGS)
            while (read_stats().waits < before + TASKS / 2)
                sched_yield();
        ck_assert(round < THINGS || get(&came) == 0);
        make_ready(&others);
        crowd_end(&crowd);
        ck_assert_int_eq(came, ALL);
        ck_assert_int_eq(wrong, 0);
        ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), expected == 3 ? 0 : EAGAIN);
        ws_event_set(&gate);
        ws_channel_close(&met_by_receiver);
        ws_channel_close(&met_by_sender);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        ck_assert_int_eq(ws_group_wait(&others), 0);
        ck_assert_int_eq(wrong, 0);
    }
    stop_runtime();
}
END_TEST

/* Catches: bad input that is not refused, and a deadline that is not kept. */
START_TEST(what_is_refused)
{
    struct ws_thing many[WS_THINGS_MOST + 1];
    uint64_t until;

    start_shape(0, 0);
    prepare();
    for (int i = 0; i <= WS_THINGS_MOST; i++)
        many[i] = things[0];
    ck_assert_int_eq(ws_wait_any(many, 0, 0), EINVAL);
    ck_assert_int_eq(ws_wait_any(many, WS_THINGS_MOST + 1, 0), EINVAL);
    ck_assert_int_eq(ws_wait_any(many, WS_THINGS_MOST, 0), ETIMEDOUT);
    many[63].kind = (enum ws_thing_kind)0;
    ck_assert_int_eq(ws_wait_any(many, WS_THINGS_MOST, 0), EINVAL);
    many[63].kind = (enum ws_thing_kind)99;
    ck_assert_int_eq(ws_wait_any(many, WS_THINGS_MOST, 0), EINVAL);
    until = now() + 1000000;
    ck_assert_int_eq(ws_wait_any(many, 63, until), ETIMEDOUT);
    ck_assert_uint_ge(now(), until);
    ws_event_set(&event);
    ck_assert_int_eq(ws_wait_any(many, 63, 0), 0);
    ck_assert_int_eq(many[62].ready, 1);
    ws_event_set(&gate);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_runtime();
}
END_TEST

enum { CHANNELS = 3, ITEMS = 300 };

static long places[CHANNELS][2];
static ws_channel channels[CHANNELS];
static long sum;

static void produce(void *channel)
{
    for (long i = 1; i <= ITEMS; i++)
        add(&wrong, ws_channel_send(channel, &i) != 0);
    ws_channel_close(channel);
}

static void consume(long number)
{
    struct ws_thing open[CHANNELS];
    size_t n = CHANNELS;

    (void)number;
    for (size_t i = 0; i < n; i++)
        open[i] = (struct ws_thing){WS_THING_RECEIVE, 0, &channels[i]};
    while (n) {
        add(&wrong, ws_wait_any(open, n, WS_FOREVER) != 0);
        for (size_t i = n; i-- > 0;) {
            long item;
            int error = open[i].ready ? ws_channel_try_receive(open[i].object, &item) : EAGAIN;

            if (error == 0)
                add(&sum, item);
            else if (error == EPIPE)
                open[i] = open[--n];
            else
                add(&wrong, error != EAGAIN);
        }
    }
}

/* Several that wait for the same channels. Catches: an item, or a close, of which nobody is told. Channels without a buffer, too:
 * their senders wait. */
START_TEST(consumers_of_several_channels)
{
    struct crowd crowd;

    start_shape(_i % SHAPES, ALL + CHANNELS + 2);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < CHANNELS; i++)
            ws_channel_init(&channels[i], places[i], sizeof(long), (size_t)((i + _i) % 3));
        sum = 0;
        crowd_begin(&crowd, consume, TASKS, THREADS, GUESTS);
        for (int i = 0; i < CHANNELS; i++)
            ck_assert_int_eq(ws_group_submit(&crowd.tasks, produce, &channels[i]), 0);
        crowd_end(&crowd);
        ck_assert_int_eq(wrong, 0);
        ck_assert_int_eq(sum, CHANNELS * ITEMS * (ITEMS + 1) / 2);
    }
    stop_runtime();
}
END_TEST

static int polled, poll_error;

static int wait_in_poll(void *unused)
{
    struct ws_thing thing = things[0];

    (void)unused;
    if (is_raised(&polled))
        return 0;
    poll_error = ws_wait_any(&thing, 1, WS_FOREVER);
    raise_flag(&polled);
    return 0;
}

/* Catches: a poll function that waits. */
START_TEST(no_wait_in_poll)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1;
    config.poll = wait_in_poll;
    ck_assert_int_eq(ws_init(&config), 0);
    wait_for(&polled);
    ck_assert_int_eq(poll_error, EDEADLK);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_any");

    tcase_add_loop_test(tcase, each_thing_ends_the_wait, 0, SHAPES);
    tcase_add_test(tcase, what_is_refused);
    tcase_add_loop_test(tcase, consumers_of_several_channels, 0, SHAPES * 3);
    tcase_add_test(tcase, no_wait_in_poll);
    return run_case("wait_any", tcase);
}
