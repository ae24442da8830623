/* SPDX-License-Identifier: MIT */
/* Descriptors among the things of ws_wait_any(): lib/sync/any.c, lib/wait/{descriptor,sleep}.c. Neighbours: wait_any.c,
 * outside.c. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "waits.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TASKS = 10, THREADS = 2, GUESTS = 2, ALL = TASKS + THREADS + GUESTS, ROUNDS = 8 };
#define MS UINT64_C(1000000)

static int pipes[ALL][2];
static ws_event event;
static ws_semaphore semaphore;
static ws_channel channel;
static long place[1], wrong, waits, came;

static void open_pipes(void)
{
    for (int i = 0; i < ALL; i++)
        ck_assert_int_eq(pipe2(pipes[i], O_NONBLOCK | O_CLOEXEC), 0);
}

static void close_pipes(void)
{
    for (int i = 0; i < 2 * ALL; i++)
        close(pipes[i / 2][i % 2]);
}

/* The number of the next descriptor: the same before and after, or one is left open. */
static int next_descriptor(void)
{
    int fd = dup(0);

    close(fd);
    return fd;
}

/* Its own pipe comes, or the event that all wait for. */
static void wait_for_either(long number)
{
    struct pollfd readable = {pipes[number][0], POLLIN, -1};
    struct ws_thing things[] = {{WS_THING_RECEIVE, -1, &channel},
                                {WS_THING_DESCRIPTOR, -1, &readable},
                                {WS_THING_SEMAPHORE, -1, &semaphore},
                                {WS_THING_EVENT, -1, &event}};
    uint64_t until = number % 3 ? WS_FOREVER : ws_now() + 100000 * MS;
    char byte;

    add(&waits, 1);
    add(&wrong, ws_wait_any(things, 4, until) != 0);
    add(&wrong, things[0].ready != 0 || things[2].ready != 0 || !(things[1].ready || things[3].ready));
    add(&wrong, (things[1].ready != 0) != (readable.revents == POLLIN));
    add(&wrong, things[1].ready && read(pipes[number][0], &byte, 1) != 1);
    add(&came, 1);
}

static void prepare(void)
{
    event = (ws_event)WS_EVENT_INIT;
    ws_semaphore_init(&semaphore, 0);
    ws_channel_init(&channel, place, sizeof *place, 1);
    waits = came = 0;
}

static void write_to_all(void)
{
    for (int i = 0; i < ALL; i++)
        ck_assert_int_eq(write(pipes[i][1], "x", 1), 1);
}

static void play_rounds(void)
{
    struct crowd crowd;

    for (int round = 0; round < ROUNDS; round++) {
        prepare();
        crowd_begin(&crowd, wait_for_either, TASKS, THREADS, GUESTS);
        while (round % 4 > 1 && get(&waits) < ALL)
            sched_yield();
        if (round % 4 > 1)
            usleep(2000);
        ck_assert(round % 4 < 2 || get(&came) == 0);
        if (round % 2)
            ws_event_set(&event);
        else
            write_to_all();
        crowd_end(&crowd);
        ck_assert_int_eq(came, ALL);
        ck_assert_int_eq(wrong, 0);
    }
}

/* Catches: a descriptor that ends no wait, of whatever kind of waiter; an event that does not wake a thread out of poll(2); a
 * descriptor of the library's own that stays open. */
START_TEST(a_descriptor_or_an_event_ends_the_wait)
{
    int before;

    open_pipes();
    start_shape(_i, ALL + 3);
    play_rounds();
    before = next_descriptor();
    play_rounds();
    ck_assert_int_eq(next_descriptor(), before);
    stop_runtime();
    close_pipes();
}
END_TEST

/* Catches: waits that do not end if the kernel gives no descriptor for the epoll set, and none for the bells of threads. */
START_TEST(so_it_does_without_epoll)
{
    struct rlimit limit;

    open_pipes();
    start_shape(_i, 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = (rlim_t)next_descriptor();
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    play_rounds();
    stop_runtime();
    close_pipes();
}
END_TEST

static int wait_for_fd(int fd, short events, uint64_t until)
{
    struct pollfd p = {fd, events, 0};
    struct ws_thing things[] = {{WS_THING_EVENT, 0, &event}, {WS_THING_DESCRIPTOR, 0, &p}};
    int error = ws_wait_any(things, 2, until);

    add(&wrong, (error == 0) != (things[1].ready && p.revents));
    return error;
}

#define EXPECT(call, error) add(&wrong, (call) != (error))

static void expect_errors(long number)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), in = pipes[number][0];
    uint64_t until = ws_now() + 3 * MS;

    EXPECT(wait_for_fd(in, 0, WS_FOREVER), EINVAL);
    EXPECT(wait_for_fd(in, POLLERR, WS_FOREVER), EINVAL);
    EXPECT(wait_for_fd(-1, POLLIN, WS_FOREVER), EBADF);
    EXPECT(wait_for_fd(10000, POLLIN, WS_FOREVER), EBADF);
    EXPECT(wait_for_fd(10000, POLLIN, 0), EBADF);
    EXPECT(wait_for_fd(file, POLLIN, WS_FOREVER), 0);
    EXPECT(wait_for_fd(in, POLLIN, 0), ETIMEDOUT);
    EXPECT(wait_for_fd(in, POLLIN, until), ETIMEDOUT);
    add(&wrong, ws_now() < until);
    EXPECT(wait_for_fd(pipes[number][1], POLLOUT, WS_FOREVER), 0);
    close(file);
}

/* Catches: an error that is not told, or told for another reason; a deadline that ends no wait. */
START_TEST(errors_are_told)
{
    struct crowd crowd;

    open_pipes();
    prepare();
    start_shape(_i, ALL + 3);
    crowd_begin(&crowd, expect_errors, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
    close_pipes();
}
END_TEST

static int pair[2];

static int has_returned;

static void *wait_until_refused(void *error)
{
    *(int *)error = wait_for_fd(pipes[0][0], POLLIN, WS_FOREVER);
    raise_flag(&has_returned);
    return NULL;
}

static void be_interrupted(int signal)
{
    (void)signal;
}

/* Catches: a thread that asks poll(2) again and again, although poll(2) refuses: here more descriptors than the limit allows. */
START_TEST(a_refusal_during_the_wait_is_told)
{
    struct sigaction interrupts = {.sa_handler = be_interrupted};
    struct rlimit limit, none;
    pthread_t thread;
    int error = -1;
    char byte = 0;

    open_pipes();
    sigaction(SIGUSR1, &interrupts, NULL);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_until_refused, &error), 0);
    usleep(20000); /* most likely it sleeps by then: else it is refused before, which is right, too */
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (int i = 0; i < 1000 && !is_raised(&has_returned); i++) {
        pthread_kill(thread, SIGUSR1);
        usleep(10000);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(write(pipes[0][1], &byte, 1), 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(error, EINVAL);
    close_pipes();
}
END_TEST

enum { AS_MANY = 8 };

static long sleeps(void)
{
    struct rusage usage;

    ck_assert_int_eq(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

static void *set_after_a_while(void *unused)
{
    (void)unused;
    usleep(20000); /* most likely the other thread sleeps by then */
    ws_event_set(&event);
    return NULL;
}

/* Catches: a thread that calls poll(2) again and again, because the limit on descriptors allows those of the program and not
 * the bell. `_i`: the bell is to be had, as descriptor 0. */
START_TEST(as_many_descriptors_as_the_limit_allows)
{
    struct rlimit limit, few;
    struct ws_thing things[AS_MANY + 1] = {{WS_THING_EVENT, 0, &event}};
    struct pollfd p;
    pthread_t thread;
    long before;

    open_pipes();
    p = (struct pollfd){pipes[0][0], POLLIN, 0};
    for (int i = 1; i <= AS_MANY; i++)
        things[i] = (struct ws_thing){WS_THING_DESCRIPTOR, 0, &p};
    if (_i)
        close(0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    few = (struct rlimit){AS_MANY, limit.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    before = sleeps();
    ck_assert_int_eq(ws_wait_any(things, AS_MANY + 1, ws_now() + 100 * MS), ETIMEDOUT);
    ck_assert_int_gt(sleeps(), before);
    ck_assert_int_eq(pthread_create(&thread, NULL, set_after_a_while, NULL), 0);
    ck_assert_int_eq(ws_wait_any(things, AS_MANY + 1, WS_FOREVER), 0);
    ck_assert(things[0].ready && !things[1].ready);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    close_pipes();
}
END_TEST

static void wait_to_read(void *unused)
{
    int error;

    (void)unused;
    while ((error = wait_for_fd(pair[0], POLLIN, WS_FOREVER)) == EBUSY) /* the other one was first */
        ws_yield();
    EXPECT(error, 0);
}

static void wait_to_write(void *unused)
{
    (void)unused;
    EXPECT(wait_for_fd(pair[0], POLLOUT, WS_FOREVER), 0);
    add(&came, 1);
}

static void expect_refusals(long unused)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct pollfd twice = {pipes[0][0], POLLIN, 0};
    struct ws_thing things[] = {{WS_THING_DESCRIPTOR, 0, &twice}, {WS_THING_DESCRIPTOR, 0, &twice}};

    (void)unused;
    while (wait_for_fd(pair[0], POLLIN, ws_now() + MS) != EBUSY)
        ws_yield();
    EXPECT(ws_wait_fd(pair[0], POLLIN, WS_FOREVER), EBUSY);
    EXPECT(wait_for_fd(file, POLLPRI, WS_FOREVER), EPERM);
    EXPECT(ws_wait_any(things, 2, WS_FOREVER), EBUSY);
    close(file);
}

/* Catches: a second task of one direction that is not refused, or that makes the first one miss its event; a direction that is
 * forgotten when the other one has come. */
START_TEST(a_task_for_each_direction)
{
    ws_group group = WS_GROUP_INIT;
    char bytes[4096] = {0};

    open_pipes();
    prepare();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    while (write(pair[0], bytes, sizeof bytes) > 0)
        ;
    start_shape(_i * 2, 0);
    ck_assert_int_eq(ws_group_submit(&group, wait_to_read, NULL), 0);
    ck_assert_int_eq(ws_group_submit(&group, wait_to_write, NULL), 0);
    ck_assert_int_eq(ws_run(crowd_root, &(struct crowd){.fn = expect_refusals}), 0);
    ck_assert_int_eq(get(&came), 0);
    while (read(pair[1], bytes, sizeof bytes) > 0)
        ;
    while (get(&came) == 0)
        usleep(100);
    ck_assert_int_eq(write(pair[1], "x", 1), 1);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
    close(pair[0]);
    close(pair[1]);
    close_pipes();
}
END_TEST

static ws_scope *scopes[ALL];

static void wait_in_a_scope(long number)
{
    ws_frame();
    ws_scope scope;

    ws_scope_begin(&scope);
    __atomic_store_n(&scopes[number], &scope, __ATOMIC_RELEASE);
    add(&waits, 1);
    EXPECT(number % 2 ? ws_wait_fd(pipes[number][0], POLLIN, WS_FOREVER)
                      : wait_for_fd(pipes[number][0], POLLIN, WS_FOREVER),
           ECANCELED);
    ws_sync();
    EXPECT(ws_scope_end(&scope), 7);
}

/* Catches: a wait for a descriptor that goes on in a scope that is cancelled: also where a thread waits. */
START_TEST(a_cancelled_scope_ends_the_wait)
{
    struct crowd crowd;

    open_pipes();
    prepare();
    start_shape(_i, ALL + 3);
    crowd_begin(&crowd, wait_in_a_scope, TASKS, 0, GUESTS);
    while (get(&waits) < TASKS + GUESTS)
        sched_yield();
    if (_i % 2)
        usleep(5000);
    for (int i = 0; i < TASKS + GUESTS; i++)
        ws_scope_cancel(__atomic_load_n(&scopes[i], __ATOMIC_ACQUIRE), 7);
    crowd_end(&crowd);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
    close_pipes();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_descriptors");

    tcase_add_loop_test(tcase, a_descriptor_or_an_event_ends_the_wait, 0, SHAPES);
    tcase_add_loop_test(tcase, so_it_does_without_epoll, 0, SHAPES);
    tcase_add_loop_test(tcase, errors_are_told, 0, SHAPES);
    tcase_add_test(tcase, a_refusal_during_the_wait_is_told);
    tcase_add_loop_test(tcase, as_many_descriptors_as_the_limit_allows, 0, 2);
    tcase_add_loop_test(tcase, a_task_for_each_direction, 0, 2);
    tcase_add_loop_test(tcase, a_cancelled_scope_ends_the_wait, 0, SHAPES);
    return run_case("wait_descriptors", tcase);
}
