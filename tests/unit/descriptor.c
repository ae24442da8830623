/* SPDX-License-Identifier: MIT */
/* Descriptors that are waited for: lib/wait/descriptor.c, step by step in one thread. The stack never runs. */
#define _GNU_SOURCE
#include "wait/descriptor.h"

#include "../support/runtime.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "task/stack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

enum { MANY = 150 }; /* more than one call of epoll_wait() tells */

static struct wsfj_stack fiber;

struct waiting {
    struct wsfj_descriptor_wait wait;
    struct wsfj_waiter waiter;
};

/* False: the descriptor cannot be waited for. */
static bool begin(struct waiting *w, int fd, short events)
{
    wsfj_descriptor_node(&w->wait, fd, events);
    w->waiter = (struct wsfj_waiter){.stack = &fiber, .state = WSFJ_WAIT_ARMING, .nodes = &w->wait.node};
    return wsfj_waiter_arm(&w->waiter);
}

/* How many waiters the look has claimed. */
static unsigned look(void)
{
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};

    wsfj_descriptor_look(&woken);
    return woken.count;
}

static bool has_come(const struct waiting *w)
{
    return w->waiter.state == WSFJ_WAIT_FIRST;
}

/* How long a sleep lasts, which ends in any case. */
static uint64_t sleep_for(uint64_t ns)
{
    const struct timespec most = wsfj_timespec(ns);
    uint64_t before = now();

    wsfj_descriptor_sleep(&most);
    return now() - before;
}

static void start(void)
{
    wsfj_table_forget();
    wsfj_descriptor_open();
    ck_assert(wsfj_descriptor_is_open());
    wsfj_descriptor_begin(); /* else a look makes no system call */
}

static void make_pipe(int ends[2])
{
    ck_assert_int_eq(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
}

static void close_pipe(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

/* Catches: a poke that is lost before the sleep, or that ends the next sleeps, too. */
START_TEST(a_poke_ends_one_sleep)
{
    start();
    for (int pokes = 0; pokes < 4; pokes++) {
        for (int i = 0; i < pokes; i++)
            wsfj_descriptor_poke();
        if (pokes)
            wsfj_descriptor_sleep(NULL);
        ck_assert_uint_ge(sleep_for(5 * MS), 5 * MS);
    }
    wsfj_descriptor_close();
}
END_TEST

/* Catches: a look that drains the eventfd. */
START_TEST(a_look_leaves_a_poke)
{
    start();
    wsfj_descriptor_poke();
    ck_assert_uint_eq(look(), 0);
    wsfj_descriptor_sleep(NULL);
    wsfj_descriptor_close();
}
END_TEST

/* Catches: an event that ends no sleep, is told twice, or of a waiter that is gone. */
START_TEST(an_event_comes_once)
{
    struct waiting w;
    int ends[2];

    start();
    make_pipe(ends);
    ck_assert(begin(&w, ends[0], POLLIN));
    ck_assert_uint_eq(look(), 0);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    wsfj_descriptor_sleep(NULL);
    ck_assert_uint_eq(look(), 1);
    ck_assert(has_come(&w));
    ck_assert_uint_eq(look(), 0);
    ck_assert_uint_ge(sleep_for(5 * MS), 5 * MS); /* although there is still something to read */
    ck_assert(begin(&w, ends[0], POLLIN));
    ck_assert_uint_eq(look(), 1);
    ck_assert(has_come(&w));
    close_pipe(ends);
    wsfj_descriptor_close();
}
END_TEST

/* Catches: events of one direction that are told to the other, or end its wait. */
START_TEST(each_direction_has_its_waiter)
{
    struct waiting in, out, third;
    int pair[2];

    start();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    ck_assert(begin(&in, pair[0], POLLIN));
    ck_assert(begin(&out, pair[0], POLLOUT));
    ck_assert(!begin(&third, pair[0], POLLIN));
    ck_assert_int_eq(third.wait.error, EBUSY);
    ck_assert_uint_eq(look(), 1);
    ck_assert(has_come(&out) && !has_come(&in));
    ck_assert_uint_eq(look(), 0);
    ck_assert_int_eq(write(pair[1], "x", 1), 1);
    ck_assert_uint_eq(look(), 1);
    ck_assert(has_come(&in));
    ck_assert(begin(&in, pair[0], POLLPRI));
    ck_assert_uint_eq(look(), 0);
    close(pair[1]);
    ck_assert_uint_eq(look(), 1); /* the end comes to all */
    ck_assert(has_come(&in));
    close(pair[0]);
    wsfj_descriptor_close();
}
END_TEST

/* Catches: waiters who must wait for a second look. */
START_TEST(one_look_sees_all)
{
    static struct waiting w[MANY];
    static int ends[MANY][2];

    start();
    for (int i = 0; i < MANY; i++) {
        make_pipe(ends[i]);
        ck_assert(begin(&w[i], ends[i][1], POLLOUT));
    }
    ck_assert_uint_eq(look(), MANY);
    for (int i = 0; i < MANY; i++) {
        ck_assert(has_come(&w[i]));
        close_pipe(ends[i]);
    }
    wsfj_descriptor_close();
}
END_TEST

/* Catches: a descriptor that is closed and opened anew, and whose old registration counts. */
START_TEST(a_number_is_used_again)
{
    struct waiting w;
    int ends[2], again[2];

    start();
    make_pipe(ends);
    ck_assert(begin(&w, ends[0], POLLIN));
    close_pipe(ends);
    ck_assert_uint_eq(wsfj_waiter_disarm(&w.waiter), WSFJ_WAIT_WAITING);
    make_pipe(again);
    ck_assert_int_eq(again[0], ends[0]);
    ck_assert(begin(&w, again[0], POLLIN));
    ck_assert_int_eq(write(again[1], "x", 1), 1);
    ck_assert_uint_eq(look(), 1);
    close_pipe(again);
    wsfj_descriptor_close();
}
END_TEST

static int count_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;

    ck_assert_ptr_nonnull(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

/* Also in a process without stdin. Catches: a descriptor that stays after the stop or a fork, or a second epoll instance; a
 * descriptor 0 that counts as none. */
START_TEST(both_are_made_once_and_closed)
{
    int before;

    if (_i)
        close(0);
    before = count_files();
    ck_assert(!wsfj_descriptor_is_open());
    for (int i = 0; i < 3; i++) {
        start();
        wsfj_descriptor_open();
        ck_assert_int_eq(count_files(), before + 2);
        wsfj_descriptor_close();
        ck_assert(!wsfj_descriptor_is_open());
        ck_assert_int_eq(count_files(), before);
        wsfj_descriptor_close();
    }
}
END_TEST

/* Catches: a waiter that is not woken by an error or a hangup, for which nobody asks: POLLERR alone comes to who writes to a
 * full pipe without a reader, POLLHUP alone to who reads from an empty one without a writer. */
START_TEST(an_error_or_a_hangup_ends_each_wait)
{
    for (int writes = 0; writes < 2; writes++) {
        struct waiting w;
        int ends[2];

        start();
        make_pipe(ends);
        while (writes && write(ends[1], &w, sizeof w) > 0)
            ;
        ck_assert(begin(&w, ends[writes], writes ? POLLOUT : POLLIN));
        ck_assert_uint_eq(look(), 0);
        close(ends[!writes]);
        ck_assert_uint_eq(look(), 1);
        ck_assert(has_come(&w));
        close(ends[writes]);
        wsfj_descriptor_close();
    }
}
END_TEST

/* Catches: an error that is told for another reason, or only by epoll. */
START_TEST(what_cannot_be_waited_for)
{
    struct waiting w;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    start();
    ck_assert(!begin(&w, 10000, POLLIN));
    ck_assert_int_eq(w.wait.error, EBADF);
    ck_assert(!begin(&w, file, POLLIN));
    ck_assert_int_eq(w.wait.error, EPERM);
    close(file);
    wsfj_descriptor_close();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("descriptor");

    tcase_add_test(tcase, a_poke_ends_one_sleep);
    tcase_add_test(tcase, a_look_leaves_a_poke);
    tcase_add_test(tcase, an_event_comes_once);
    tcase_add_test(tcase, each_direction_has_its_waiter);
    tcase_add_test(tcase, an_error_or_a_hangup_ends_each_wait);
    tcase_add_test(tcase, one_look_sees_all);
    tcase_add_test(tcase, a_number_is_used_again);
    tcase_add_loop_test(tcase, both_are_made_once_and_closed, 0, 2);
    tcase_add_test(tcase, what_cannot_be_waited_for);
    return run_case("descriptor", tcase);
}
