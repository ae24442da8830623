/* SPDX-License-Identifier: MIT */
/* Channels: lib/sync/channel.c, taker.c. */
#include "waits.h"

#include <string.h>

enum { TASKS = 20, THREADS = 2, GUESTS = 2, ALL = TASKS + THREADS + GUESTS, TIMES = 60, BOXES = 5 };

/* Items of 24 bytes; the last field tells a torn one. */
struct item {
    long sender, number, check;
};

static struct item places[BOXES];
static ws_channel channel;
static long wrong, received, sum, seen[ALL], ended;

static struct item make(long sender, long number)
{
    return (struct item){sender, number, sender * 1000 + number};
}

/* Those that only try might never meet: after some attempts they wait. */
static int send_in_some_way(const struct item *item, long i)
{
    int error = EAGAIN;

    for (int attempt = 0; attempt < 3 && i % 4 > 1; attempt++) {
        error = i % 4 == 2 ? ws_channel_send_until(&channel, item, now() + (uint64_t)i % 7 * 20000)
                           : ws_channel_try_send(&channel, item);
        if (error != (i % 4 == 2 ? ETIMEDOUT : EAGAIN))
            return error;
        ws_yield();
    }
    return i % 4 ? ws_channel_send(&channel, item) : ws_channel_send_until(&channel, item, WS_FOREVER);
}

static int receive_in_some_way(struct item *item, long i)
{
    int error = EAGAIN;

    for (int attempt = 0; attempt < 3 && i % 4 > 1; attempt++) {
        error = i % 4 == 2 ? ws_channel_receive_until(&channel, item, now() + (uint64_t)i % 7 * 20000)
                           : ws_channel_try_receive(&channel, item);
        if (error != (i % 4 == 2 ? ETIMEDOUT : EAGAIN))
            return error;
        ws_yield();
    }
    return i % 4 ? ws_channel_receive(&channel, item) : ws_channel_receive_until(&channel, item, WS_FOREVER);
}

/* Half of all send, the others receive until the channel is closed. The last sender closes it. */
static void send_or_receive(long number)
{
    struct item item;

    if (number % 2) {
        for (long i = 0; i < TIMES; i++) {
            item = make(number, i);
            add(&wrong, send_in_some_way(&item, number / 2 + i) != 0);
        }
        if (__atomic_add_fetch(&ended, 1, __ATOMIC_ACQ_REL) == ALL / 2)
            ws_channel_close(&channel);
        return;
    }
    for (long i = 0;; i++) {
        int error = receive_in_some_way(&item, number / 2 + i);

        if (error) {
            add(&wrong, error != EPIPE);
            return;
        }
        add(&wrong, item.check != item.sender * 1000 + item.number);
        add(&received, 1);
        add(&sum, item.check);
    }
}

/* Catches: an item that is lost, doubled or torn; a waiter that is forgotten, also at the close; a place of the ring that is
 * used twice. With each number of places. */
START_TEST(each_item_arrives_once)
{
    struct crowd crowd;
    long expected = 0;

    start_shape(_i % SHAPES, ALL + 2);
    ws_channel_init(&channel, places, sizeof *places, (size_t)_i / SHAPES);
    crowd_begin(&crowd, send_or_receive, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    for (long sender = 1; sender < ALL; sender += 2)
        for (long i = 0; i < TIMES; i++)
            expected += sender * 1000 + i;
    ck_assert_int_eq(received, ALL / 2 * TIMES);
    ck_assert_int_eq(sum, expected);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

static void send_all(void *unused)
{
    (void)unused;
    for (long i = 0; i < 1000; i++) {
        struct item item = make(0, i);

        add(&wrong, ws_channel_send(&channel, &item) != 0);
    }
    ws_channel_close(&channel);
}

/* Catches: items out of their order, and a closed channel that is not drained. */
START_TEST(items_arrive_in_their_order)
{
    struct item item;
    long i = 0;
    int error;

    start_shape(_i % SHAPES, 3);
    ws_channel_init(&channel, places, sizeof *places, (size_t)_i / SHAPES);
    ck_assert_int_eq(ws_submit(send_all, NULL), 0);
    while ((error = ws_channel_receive(&channel, &item)) == 0)
        ck_assert_int_eq(item.number, i++);
    ck_assert_int_eq(error, EPIPE);
    ck_assert_int_eq(i, 1000);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_channel_send(&channel, &item), EPIPE);
    ck_assert_int_eq(ws_channel_try_send(&channel, &item), EPIPE);
    ck_assert_int_eq(ws_channel_try_receive(&channel, &item), EPIPE);
    ck_assert_int_eq(ws_channel_receive_until(&channel, &item, 0), EPIPE);
    ws_channel_close(&channel);
    stop_runtime();
}
END_TEST

static void *send_number(void *number)
{
    struct item item = make(0, (long)(intptr_t)number);

    add(&wrong, ws_channel_send(&channel, &item) != 0);
    return NULL;
}

static void send_as_task(void *number)
{
    (void)send_number(number);
}

static void receive_as_task(void *number)
{
    struct item item;

    add(&wrong, ws_channel_receive(&channel, &item) != 0);
    seen[(intptr_t)number] = item.number;
    add(&received, 1);
}

static void submit_one_that_waits(ws_group *group, ws_function *fn, long number)
{
    uint64_t waits = read_stats().waits;

    ck_assert_int_eq(ws_group_submit(group, fn, (void *)(intptr_t)number), 0);
    while (read_stats().waits == waits)
        sched_yield();
}

/* Catches: senders or receivers that wait and are not served in their order, and a newcomer that is faster than they. */
START_TEST(who_waits_is_served_in_order)
{
    ws_group group = WS_GROUP_INIT;
    struct item item;
    long capacity = _i % 3;

    start_shape(_i / 3 * 2, 0);
    ws_channel_init(&channel, places, sizeof *places, (size_t)capacity);
    for (long i = 0; i < 10; i++) {
        if (i < capacity)
            send_as_task((void *)(intptr_t)i);
        else
            submit_one_that_waits(&group, send_as_task, i);
    }
    item = make(0, 99);
    ck_assert_int_eq(ws_channel_try_send(&channel, &item), EAGAIN);
    for (long i = 0; i < 10; i++) {
        ck_assert_int_eq(ws_channel_receive(&channel, &item), 0);
        ck_assert_int_eq(item.number, i);
        ck_assert_int_eq(item.check, i);
        if (9 - i >= capacity) /* who waits has the room */
            ck_assert_int_eq(ws_channel_try_send(&channel, &item), EAGAIN);
    }
    ck_assert_int_eq(ws_group_wait(&group), 0);
    for (long i = 0; i < 10; i++)
        submit_one_that_waits(&group, receive_as_task, i);
    for (long i = 0; i < 10; i++) {
        item = make(0, i);
        ck_assert_int_eq(ws_channel_try_send(&channel, &item), 0);
        if (i < 9)
            ck_assert_int_eq(ws_channel_try_receive(&channel, &item), EAGAIN);
    }
    ck_assert_int_eq(ws_group_wait(&group), 0);
    for (long i = 0; i < 10; i++)
        ck_assert_int_eq(seen[i], i);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

static int receive_error;

static void receive_until_closed(void *unused)
{
    struct item item;

    (void)unused;
    receive_error = ws_channel_receive(&channel, &item);
}

static void send_until_closed(void *unused)
{
    struct item item = make(0, 0);

    (void)unused;
    receive_error = ws_channel_send(&channel, &item);
}

/* Catches: a close that leaves waiters, and one after which the item of a sender that has got EPIPE arrives. */
START_TEST(a_close_ends_all_waits)
{
    static ws_function *const ways[] = {receive_until_closed, send_until_closed};
    ws_group group = WS_GROUP_INIT;
    struct item item;

    start_shape(_i, 0);
    for (int way = 0; way < 2; way++) {
        ws_channel_init(&channel, NULL, sizeof item, 0);
        submit_one_that_waits(&group, ways[way], 0);
        ws_channel_close(&channel);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        ck_assert_int_eq(receive_error, EPIPE);
        ck_assert_int_eq(ws_channel_try_receive(&channel, &item), EPIPE);
    }
    stop_runtime();
}
END_TEST

/* Catches: a deadline that is not kept, or an item of a sender that has gone. */
START_TEST(deadlines_of_a_channel)
{
    struct item item = make(0, 1);
    uint64_t until;

    ws_channel_init(&channel, places, sizeof *places, 1);
    ck_assert_int_eq(ws_channel_receive_until(&channel, &item, 0), ETIMEDOUT);
    until = now() + 1000000;
    ck_assert_int_eq(ws_channel_receive_until(&channel, &item, until), ETIMEDOUT);
    ck_assert_uint_ge(now(), until);
    item = make(0, 1);
    ck_assert_int_eq(ws_channel_send_until(&channel, &item, 0), 0);
    item = make(0, 2);
    ck_assert_int_eq(ws_channel_send_until(&channel, &item, 0), ETIMEDOUT);
    ck_assert_int_eq(ws_channel_send_until(&channel, &item, now() + 1000), ETIMEDOUT);
    ck_assert_int_eq(ws_channel_receive_until(&channel, &item, 0), 0);
    ck_assert_int_eq(item.number, 1);
    ck_assert_int_eq(ws_channel_try_receive(&channel, &item), EAGAIN);
}
END_TEST

/* The macros, and items of several sizes. */
START_TEST(initial_values)
{
    char bytes[3], byte;
    long numbers[2];
    ws_channel a = WS_CHANNEL_INIT(bytes), b = WS_CHANNEL_INIT(numbers), c = WS_CHANNEL_UNBUFFERED(long);

    for (char i = 0; i < 10; i++) {
        for (char j = 0; j < 3; j++)
            ck_assert_int_eq(ws_channel_try_send(&a, &(char){(char)(i + j)}), 0);
        ck_assert_int_eq(ws_channel_try_send(&a, &i), EAGAIN);
        for (char j = 0; j < 3; j++) {
            ck_assert_int_eq(ws_channel_try_receive(&a, &byte), 0);
            ck_assert_int_eq(byte, i + j);
        }
    }
    for (long i = 0; i < 2; i++)
        ck_assert_int_eq(ws_channel_try_send(&b, &i), 0);
    ck_assert_int_eq(ws_channel_try_send(&b, &(long){2}), EAGAIN);
    ck_assert_int_eq(numbers[1], 1);
    ck_assert_int_eq(ws_channel_try_send(&c, &(long){2}), EAGAIN);
}
END_TEST

static int polled, poll_errors[4];

static int use_in_poll(void *unused)
{
    struct item item = make(0, 0);

    (void)unused;
    if (is_raised(&polled))
        return 0;
    poll_errors[0] = ws_channel_receive(&channel, &item);
    poll_errors[1] = ws_channel_send(&channel, &item);
    poll_errors[2] = ws_channel_send_until(&channel, &item, now() + 1000000);
    poll_errors[3] = ws_channel_receive(&channel, &item);
    raise_flag(&polled);
    return 0;
}

/* Catches: a poll function that waits, and one that cannot send where there is room. */
START_TEST(poll_does_not_wait_for_it)
{
    ws_config config;

    ws_channel_init(&channel, places, sizeof *places, 1);
    ws_config_default(&config);
    config.num_workers = 2;
    config.poll = use_in_poll;
    ck_assert_int_eq(ws_init(&config), 0);
    wait_for(&polled);
    ck_assert_int_eq(poll_errors[0], EDEADLK);
    ck_assert_int_eq(poll_errors[1], 0);
    ck_assert_int_eq(poll_errors[2], EDEADLK);
    ck_assert_int_eq(poll_errors[3], 0);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_channel");

    tcase_add_loop_test(tcase, each_item_arrives_once, 0, SHAPES * 4);
    tcase_add_loop_test(tcase, items_arrive_in_their_order, 0, SHAPES * 3);
    tcase_add_loop_test(tcase, who_waits_is_served_in_order, 0, 6);
    tcase_add_loop_test(tcase, a_close_ends_all_waits, 0, SHAPES);
    tcase_add_test(tcase, deadlines_of_a_channel);
    tcase_add_test(tcase, initial_values);
    tcase_add_test(tcase, poll_does_not_wait_for_it);
    return run_case("wait_channel", tcase);
}
