/* SPDX-License-Identifier: MIT */
/* ws_pin(), ws_unpin(), ws_pinned(): tasks that stay on their thread, which meanwhile runs nothing else. */
#include "../support/fib.h"
#include "../support/flags.h"
#include "../support/process.h"
#include "../support/resources.h"
#include "steals.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS 40

/* The pinned task on this thread. Its address is taken anew after each wait. */
static __thread long holder;
static long wrong, pinned_waits;

static __attribute__((noinline)) long get_holder(void)
{
    return holder;
}

static __attribute__((noinline)) void set_holder(long id)
{
    holder = id;
}

static __attribute__((noinline)) long thread(void)
{
    return syscall(SYS_gettid);
}

static void check(bool right)
{
    if (!right)
        (void)__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void sleep_us(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* Each task of the tree is pinned and has its thread to itself, except for its children that run inline. */
static WS_TASK(long, tree, long, n)
{
    ws_pinned();
    long before = get_holder(), self = thread(), x, y;

    if (n < 2)
        return n;
    set_holder(n);
    ws_spawn(tree, &x, n - 1);
    y = ws_call(tree, n - 2);
    ws_sync();
    check(thread() == self);
    check(get_holder() == n);
    set_holder(before);
    return x + y;
}

static WS_TASK(long, stealable, long, n)
{
    long r;

    steals_in();
    r = ws_call(tree, n);
    steals_out();
    return r;
}

/* Its first child is stolen, and is not done when it waits. */
static WS_TASK(long, root, long, n)
{
    ws_pinned();
    long self = thread(), x, y;

    set_holder(n);
    ws_spawn(stealable, &x, n - 1);
    steals_wait(1);
    y = ws_call(tree, n - 2);
    ws_sync();
    check(thread() == self);
    check(get_holder() == n);
    set_holder(0);
    return x + y;
}

static long run_root(long n)
{
    long r = 0;

    check(ws_run(root, &r, n) == 0);
    return r;
}

/* Catches: a pinned task that goes on on another thread after its join; a thread that runs another task meanwhile. */
START_TEST(pinned_joins_keep_their_thread)
{
    uint64_t before;

    wrong = 0;
    start(workers[_i / STEALS_MODES]);
    before = suspensions();
    for (int i = 0; i < ROUNDS; i++) {
        steals_begin((enum steals_mode)(_i % STEALS_MODES));
        ck_assert_int_eq(run_root(11), 89);
    }
    if (workers[_i / STEALS_MODES] > 1 && _i % STEALS_MODES == STEALS_BEGUN)
        ck_assert_uint_gt(suspensions(), before);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static void *run_trees(void *arg)
{
    (void)arg;
    for (int i = 0; i < 5; i++)
        check(run_root(12) == 144);
    return NULL;
}

/* Catches: errors between guests, slots handed over to guests, and the slots' own threads. */
START_TEST(foreign_threads_keep_theirs)
{
    pthread_t foreign[6];

    wrong = 0;
    steals_begin(STEALS_NONE);
    start(workers[_i]);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(pthread_create(&foreign[i], NULL, run_trees, NULL), 0);
    for (int i = 0; i < 6; i++)
        pthread_join(foreign[i], NULL);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int away, back;

/* Lends its slot, and needs a slot again when another guest has it. */
static WS_TASK_VOID(comes_back, int, pinned)
{
    if (pinned && ws_pin() != 0)
        check(false);
    WS_BLOCKING
    {
        raise_flag(&away);
        sleep_us(20000);
    }
    raise_flag(&back);
}

/* Lets others run until then, and does nothing else for them. */
static WS_TASK_VOID(yields)
{
    for (uint64_t end = now() + 20000000000u; !is_raised(&back) && now() < end;)
        ws_yield();
    check(is_raised(&back));
}

static void *run_comes_back(void *pinned)
{
    check(ws_run(comes_back, pinned ? 1 : 0) == 0);
    return NULL;
}

/* Catches: a guest with the only slot, whose own fiber comes first each time it yields. */
START_TEST(a_guest_that_yields_gives_way)
{
    pthread_t other;

    wrong = 0;
    start(1);
    for (int i = 0; i < 5; i++) {
        away = back = 0;
        ck_assert_int_eq(pthread_create(&other, NULL, run_comes_back, _i ? &away : NULL), 0);
        wait_for(&away);
        ck_assert_int_eq(ws_run(yields), 0);
        pthread_join(other, NULL);
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static ws_group late = WS_GROUP_INIT;

static void leaf(void *arg)
{
    (void)arg;
    check(get_holder() == 0); /* this thread does not belong to a waiting task */
    for (volatile int i = 0; i < 500; i++)
        ;
}

/* A task that waits in every possible way. */
static void waits(void *arg)
{
    long id = 1 + (long)(intptr_t)arg, self, r;
    int error = ws_pin();
    ws_group group = WS_GROUP_INIT;

    check(error == 0);
    self = thread();
    check(get_holder() == 0);
    set_holder(id);
    for (int i = 0; i < 3; i++)
        check(ws_group_submit(&group, leaf, NULL) == 0);
    check(ws_group_wait(&group) == 0);
    check(thread() == self && get_holder() == id);
    (void)__atomic_fetch_add(&pinned_waits, 1, __ATOMIC_RELAXED);
    ws_yield();
    check(thread() == self && get_holder() == id);
    WS_BLOCKING
    {
        sleep_us(id % 5 * 30);
    }
    check(thread() == self && get_holder() == id);
    WS_BLOCKING
    {
        check(ws_pin() == 0);
    }
    ws_unpin();
    check(ws_run(fib, &r, 10L) == 0 && r == 55);
    check(thread() == self && get_holder() == id);
    set_holder(0);
    ws_unpin();
}

/* Catches: a slot that no thread has after a wait, or that two threads have; with more waiting tasks than workers. */
START_TEST(every_wait_keeps_the_thread)
{
    wrong = pinned_waits = 0;
    start(workers[_i]);
    for (int round = 0; round < 5; round++) {
        for (intptr_t i = 0; i < 60; i++)
            ck_assert_int_eq(ws_group_submit(&late, waits, (void *)i), 0);
        ck_assert_int_eq(ws_group_wait(&late), 0);
    }
    ck_assert_int_eq(pinned_waits, 300);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK(int, nest)
{
    int errors = 0;

    ws_unpin(); /* it is not pinned */
    for (int i = 0; i < 3; i++)
        errors += ws_pin();
    ws_unpin();
    ws_yield();
    ws_unpin();
    ws_unpin();
    ws_unpin();
    ws_yield();
    return errors;
}

static void forgets_its_end(void *arg)
{
    (void)arg;
    check(ws_pin() == 0);
}

static WS_TASK_VOID(many_nest, long, n)
{
    int r[64];

    for (long i = 0; i < n; i++)
        ws_spawn(nest, &r[i]);
    ws_sync();
    for (long i = 0; i < n; i++)
        check(r[i] == 0);
}

/* Catches: a reserve that is not given back: more threads with each round, or none at the end. */
START_TEST(reserves_are_given_back)
{
    ws_config config;
    size_t most = (size_t)count_threads() + (SANITIZED ? 1 : 0);

    wrong = 0;
    ck_assert_int_eq(ws_pin(), 0); /* outside: no effect */
    ws_unpin();
    ws_unpin();
    ws_config_default(&config);
    config.num_workers = workers[_i];
    config.max_spares = 80;
    ck_assert_int_eq(ws_init(&config), 0);
    most += workers[_i] + 80;
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 10; k++)
            ck_assert_int_eq(ws_group_submit(&late, forgets_its_end, NULL), 0);
        ck_assert_int_eq(ws_run(many_nest, 30L), 0);
        ck_assert_int_eq(ws_group_wait(&late), 0);
        ck_assert_uint_le((size_t)count_threads(), most);
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int result, other_waits;

static void pin_alone(void *arg)
{
    (void)arg;
    result = ws_pin();
    ws_unpin();
    {
        ws_pinned(); /* fails, and needs no end */
        ws_yield();
    }
}

static int refused(void)
{
    ws_config config;
    ws_group group = WS_GROUP_INIT;

    ws_config_default(&config);
    config.num_workers = 2;
    config.max_spares = 0;
    if (ws_init(&config) != 0)
        return 1;
    for (int i = 0; i < 3; i++) {
        result = -1;
        if (ws_group_submit(&group, pin_alone, NULL) != 0 || ws_group_wait(&group) != 0 || result != EAGAIN)
            return 2;
    }
    return ws_fini();
}

/* Catches: a pin that cannot be kept; a message without the setting, or more than one. */
START_TEST(without_a_spare_thread_a_pin_is_refused)
{
    struct child child;

    if (begin_child(&child))
        _exit(refused());

    struct outcome o = end_child(&child);

    ck_assert_msg(WIFEXITED(o.status) && WEXITSTATUS(o.status) == 0, "status %#x: %s", (unsigned)o.status, o.text);
    ck_assert_ptr_nonnull(strstr(o.text, "ws_pin()"));
    ck_assert_ptr_nonnull(strstr(o.text, "WSFJ_SPARES=0"));
    ck_assert_int_eq(o.lines, 1);
}
END_TEST

static void pins_again(void *arg)
{
    (void)arg;
    result = ws_pin();
    ws_unpin();
}

static void leaves_its_block(void *arg)
{
    ws_group inner = WS_GROUP_INIT;

    (void)arg;
    {
        ws_pinned();
        ws_yield();
    }
    check(ws_group_submit(&inner, pins_again, NULL) == 0);
    check(ws_group_wait(&inner) == 0);
}

static ws_event other_may_pin = WS_EVENT_INIT, other_has_pinned = WS_EVENT_INIT;

static void pins_twice(void *unused)
{
    (void)unused;
    check(ws_pin() == 0);
    check(ws_pin() == 0);
}

static void calls_it(void *unused)
{
    ws_group inner = WS_GROUP_INIT;

    (void)unused;
    check(ws_group_submit(&inner, pins_twice, NULL) == 0);
    check(ws_group_wait(&inner) == 0);
    ws_event_set(&other_may_pin);
    check(ws_event_wait(&other_has_pinned) == 0);
}

static void pins_then(void *unused)
{
    (void)unused;
    raise_flag(&other_waits);
    check(ws_event_wait(&other_may_pin) == 0);
    result = ws_pin();
    ws_event_set(&other_has_pinned);
}

/* `stacks`: how many there may be; 0: as many as are needed. */
static void start_with_one_reserve(size_t stacks)
{
    ws_config config;

    wrong = 0;
    result = -1;
    ws_config_default(&config);
    config.num_workers = 1;
    config.max_spares = 1;
    config.max_stacks = stacks;
    ck_assert_int_eq(ws_init(&config), 0);
}

/* Both stacks are in use, so that the waiting task calls the one that it waits for. Catches: pins of the called task that stay
 * with the waiting one, and have the only reserve. */
START_TEST(the_pins_of_a_called_task_end_with_it)
{
    ws_group group = WS_GROUP_INIT;

    start_with_one_reserve(2);
    ck_assert_int_eq(ws_group_submit(&group, pins_then, NULL), 0);
    wait_for(&other_waits);
    ck_assert_int_eq(ws_group_submit(&group, calls_it, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(result, 0);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a block with ws_pinned() whose pin outlasts it: the only reserve stays taken while the task waits. */
START_TEST(a_pin_ends_with_its_block)
{
    ws_group group = WS_GROUP_INIT;

    start_with_one_reserve(0);
    ck_assert_int_eq(ws_group_submit(&group, leaves_its_block, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(result, 0);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("pins");

    tcase_add_loop_test(tcase, pinned_joins_keep_their_thread, 0, WORKERS * STEALS_MODES);
    tcase_add_loop_test(tcase, foreign_threads_keep_theirs, 0, WORKERS);
    tcase_add_loop_test(tcase, a_guest_that_yields_gives_way, 0, 2);
    tcase_add_loop_test(tcase, every_wait_keeps_the_thread, 0, WORKERS);
    tcase_add_loop_test(tcase, reserves_are_given_back, 0, WORKERS);
    tcase_add_test(tcase, without_a_spare_thread_a_pin_is_refused);
    tcase_add_test(tcase, a_pin_ends_with_its_block);
    tcase_add_test(tcase, the_pins_of_a_called_task_end_with_it);
    return run_case("pins", tcase);
}
