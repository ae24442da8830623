/* SPDX-License-Identifier: MIT */
/* Handing out stacks: lib/task/pool.h. */
#include "task/pool.h"

#include "task/stack.h"
#include "../support/flags.h"
#include "../support/resources.h"
#include "../support/run.h"
#include "../support/sanitizer.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALL_STACK ((size_t)64 << 10)
#define MANY 40

/* The linker's names. While `refuse` is set, the kernel maps no stacks; `maps`: what it has mapped and not unmapped. The page
 * behind a slab of headers faults. */
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);
int __real_mprotect(void *at, size_t size, int protection);
int __wrap_mprotect(void *at, size_t size, int protection);

static enum { NOTHING, MAPPING, ACCESS } refuse;
static long maps;
static void (*while_mapping)(void); /* is called once, in the middle of the next mapping of a stack */

static size_t with_page(size_t size)
{
    return size + (size_t)sysconf(_SC_PAGESIZE);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    char *map;

    if (refuse == MAPPING && flags & MAP_STACK)
        return MAP_FAILED;
    if (while_mapping && flags & MAP_STACK) {
        void (*once)(void) = while_mapping;

        while_mapping = NULL;
        once();
    }
    map = __real_mmap(at, with_page(size), protection, flags, fd, offset);
    if (map != MAP_FAILED) {
        ck_assert_int_eq(__real_mprotect(map + size, with_page(0), PROT_NONE), 0);
        maps++;
    }
    return map;
}

int __wrap_munmap(void *at, size_t size)
{
    maps--;
    return __real_munmap(at, with_page(size));
}

int __wrap_mprotect(void *at, size_t size, int protection)
{
    return refuse == ACCESS ? -1 : __real_mprotect(at, size, protection);
}

/* Never reached: no test switches to a stack of the pool. */
static void entry(void *argument)
{
    (void)argument;
}

static void start(size_t most)
{
    wsfj_pool_start(CALL_STACK, false, most, entry);
}

/* Catches: a limit off by one; a returned stack that still counts, or that counts twice. */
START_TEST(no_more_stacks_than_allowed)
{
    struct wsfj_cache cache = {.free = NULL};
    struct wsfj_stack *s[3];

    start(3);
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_nonnull(s[i] = wsfj_pool_take(&cache));
    for (int round = 0; round < 10; round++) {
        ck_assert_ptr_null(wsfj_pool_take(&cache));
        wsfj_pool_give(&cache, s[round % 3]);
        ck_assert_ptr_eq(wsfj_pool_take(&cache), s[round % 3]);
    }
    ck_assert_uint_eq(wsfj_pool_high_water(), 3);
    wsfj_pool_stop();
}
END_TEST

/* Catches: a new stack although a warm one is free: memory would grow with every steal. */
START_TEST(the_last_given_is_the_first_taken)
{
    struct wsfj_cache cache = {.free = NULL};
    struct wsfj_stack *s[MANY];

    start(0);
    for (int i = 0; i < MANY; i++)
        ck_assert_ptr_nonnull(s[i] = wsfj_pool_take(&cache));
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < i; j++)
            ck_assert_ptr_ne(s[i], s[j]);
    ck_assert_uint_eq(wsfj_pool_high_water(), MANY);
    wsfj_pool_give(&cache, s[0]);
    wsfj_pool_give(&cache, s[1]);
    ck_assert_ptr_eq(wsfj_pool_take(&cache), s[1]);
    ck_assert_ptr_eq(wsfj_pool_take(&cache), s[0]);
    ck_assert_uint_eq(wsfj_pool_high_water(), MANY);
    wsfj_pool_stop();
}
END_TEST

/* Catches: stacks lost between a worker's cache and the common list; a stack handed out twice. */
START_TEST(every_stack_given_can_be_taken_once_by_anybody)
{
    struct wsfj_cache mine = {.free = NULL}, yours = {.free = NULL};
    struct wsfj_stack *s[MANY], *again[MANY];

    start(MANY);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++)
            ck_assert_ptr_nonnull(s[i] = wsfj_pool_take(&mine));
        for (int i = 0; i < MANY; i++)
            wsfj_pool_give(&mine, s[i]);
        wsfj_pool_flush(&mine);
        ck_assert_uint_eq(mine.count, 0);
        ck_assert_ptr_null(mine.free);
        for (int i = 0; i < MANY; i++) {
            ck_assert_ptr_nonnull(again[i] = wsfj_pool_take(&yours));
            for (int j = 0; j < i; j++)
                ck_assert_ptr_ne(again[i], again[j]);
        }
        ck_assert_ptr_null(wsfj_pool_take(&yours));
        for (int i = 0; i < MANY; i++)
            wsfj_pool_give(&yours, again[i]);
        wsfj_pool_flush(&yours);
    }
    ck_assert_uint_eq(wsfj_pool_high_water(), MANY);
    wsfj_pool_stop();
}
END_TEST

/* Catches: a worker that hoards stacks: a cache of thousands would leave the others without. */
START_TEST(a_cache_keeps_a_few_only)
{
    struct wsfj_cache mine = {.free = NULL}, yours = {.free = NULL};
    struct wsfj_stack *s[MANY];

    start(MANY);
    for (int i = 0; i < MANY; i++)
        ck_assert_ptr_nonnull(s[i] = wsfj_pool_take(&mine));
    for (int i = 0; i < MANY; i++)
        wsfj_pool_give(&mine, s[i]);
    ck_assert_uint_lt(mine.count, MANY / 2);
    ck_assert_ptr_nonnull(wsfj_pool_take(&yours));
    wsfj_pool_stop();
}
END_TEST

/* Catches: free stacks that keep pages beyond 1 KiB for each header. Limits in KiB; REST_MOST is for the few warm
 * stacks. */
START_TEST(many_free_stacks_keep_their_headers_only)
{
    enum { STACKS = 2000, HEADER_MOST = 1, REST_MOST = 1024 };
    static struct wsfj_stack *s[STACKS];
    struct wsfj_cache cache = {.free = NULL};
    size_t before;

    start(0);
    before = status_field("VmRSS");
    for (int i = 0; i < STACKS; i++) {
        ck_assert_ptr_nonnull(s[i] = wsfj_pool_take(&cache));
        s[i]->bottom[0].wsfj_word = 1;
        s[i]->memory.low[s[i]->memory.size - 1] = 1;
    }
    for (int i = 0; i < STACKS; i++)
        wsfj_pool_give(&cache, s[i]);
    ck_assert_uint_le(status_field("VmRSS"), before + HEADER_MOST * STACKS + REST_MOST);
    wsfj_pool_stop();
}
END_TEST

/* Catches: stacks handed to another node, whose worker then uses far memory for ever. */
START_TEST(a_stack_goes_back_to_the_node_that_has_made_it)
{
    struct wsfj_cache here = {.node = 0}, there = {.node = 3};
    struct wsfj_stack *s[MANY];

    start(0);
    for (int i = 0; i < MANY; i++) {
        ck_assert_ptr_nonnull(s[i] = wsfj_pool_take(&here));
        ck_assert_uint_eq(s[i]->pool.node, 0);
    }
    for (int i = 0; i < MANY; i++)
        wsfj_pool_give(&there, s[i]); /* their fibers have ended there */
    ck_assert_uint_eq(there.count, 0);
    ck_assert_uint_eq(wsfj_pool_take(&there)->pool.node, 3);
    for (int i = 0; i < MANY; i++)
        ck_assert_uint_eq(wsfj_pool_take(&here)->pool.node, 0);
    ck_assert_uint_eq(wsfj_pool_high_water(), MANY + 1);
    wsfj_pool_stop();
}
END_TEST

/* Catches: a worker that gets no stack though other nodes have free ones; a node beyond the lists. */
START_TEST(a_far_stack_is_better_than_none)
{
    struct wsfj_cache here = {.node = 0}, there = {.node = 1000};
    struct wsfj_stack *s;

    start(1);
    ck_assert_ptr_nonnull(s = wsfj_pool_take(&here));
    wsfj_pool_give(&here, s);
    wsfj_pool_flush(&here);
    ck_assert_ptr_eq(wsfj_pool_take(&there), s);
    wsfj_pool_give(&there, s);
    ck_assert_ptr_eq(wsfj_pool_take(&here), s);
    wsfj_pool_stop();
}
END_TEST

/* Catches: a new stack for each region, although the last region's is free. */
START_TEST(a_flushed_stack_is_the_next_taken)
{
    struct wsfj_cache mine = {.free = NULL}, yours = {.free = NULL};
    struct wsfj_stack *s;

    start(0);
    ck_assert_ptr_nonnull(s = wsfj_pool_take(&mine));
    for (int round = 0; round < 3; round++) {
        wsfj_pool_give(&mine, s);
        wsfj_pool_flush(&mine);
        ck_assert_ptr_eq(wsfj_pool_take(round % 2 ? &mine : &yours), s);
    }
    ck_assert_uint_eq(wsfj_pool_high_water(), 1);
    wsfj_pool_stop();
}
END_TEST

/* Catches: a warm stack that only workers of its own node find (POOL-1): when stacks are scarce, those of other nodes never
 * get one; a stack that two workers get. */
START_TEST(a_warm_stack_is_in_reach_of_every_node)
{
    struct wsfj_cache here = {.node = 0}, there = {.node = 63};
    struct wsfj_stack *s[2];

    start(2);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++)
            ck_assert_ptr_nonnull(s[i] = wsfj_pool_take(&there));
        ck_assert_ptr_ne(s[0], s[1]);
        ck_assert_ptr_null(wsfj_pool_take(&here));
        for (int i = 0; i < 2; i++)
            wsfj_pool_give(&here, s[i]);
        wsfj_pool_flush(&here);
    }
    ck_assert_uint_eq(wsfj_pool_high_water(), 2);
    wsfj_pool_stop();
}
END_TEST

/* Catches: counts and lists that survive a stop, so that a second start has fewer stacks or hands out unmapped ones. */
START_TEST(a_second_start_begins_anew)
{
    struct wsfj_cache cache = {.free = NULL};
    struct wsfj_stack *s;

    for (size_t round = 1; round <= 3; round++) {
        start(round);
        for (size_t i = 0; i < round; i++) {
            ck_assert_ptr_nonnull(s = wsfj_pool_take(&cache));
            s->bottom[0].wsfj_word = 1; /* it is mapped */
            ck_assert_uint_eq(s->memory.size, CALL_STACK);
        }
        ck_assert_ptr_null(wsfj_pool_take(&cache));
        ck_assert_uint_eq(wsfj_pool_high_water(), round);
        wsfj_pool_give(&cache, s);
        wsfj_pool_flush(&cache);
        wsfj_pool_stop();
    }
}
END_TEST

/* Catches: what each refused stack uses up: its header, and so a slab for each eighty; its mapping; its place below the
 * limit. A worker without a stack asks again at each steal. */
START_TEST(a_refused_stack_leaves_nothing)
{
    struct wsfj_cache cache = {.free = NULL};
    long before;

    start(2);
    ck_assert_ptr_nonnull(wsfj_pool_take(&cache));
    before = maps;
    for (int i = 0; i < 1000; i++) {
        refuse = i % 2 ? MAPPING : ACCESS;
        ck_assert_ptr_null(wsfj_pool_take(&cache));
    }
    ck_assert_int_eq(maps, before);
    ck_assert_uint_eq(wsfj_pool_high_water(), 1);
    refuse = NOTHING;
    ck_assert_uint_eq(wsfj_pool_take(&cache)->number, 2);
    ck_assert_int_eq(maps, before + 1);
    wsfj_pool_stop();
    ck_assert_int_eq(maps, 0);
}
END_TEST

/* Catches: a slab, or what is in none, that a stop leaves; headers that overlap, or reach beyond their slab. */
START_TEST(a_stop_unmaps_every_slab)
{
    for (unsigned stacks = 1; stacks < 500; stacks += 83) {
        struct wsfj_cache cache = {.free = NULL};
        struct wsfj_stack *s;

        start(0);
        for (unsigned i = 0; i < stacks; i++) {
            cache.node = i % 3;
            ck_assert_ptr_nonnull(s = wsfj_pool_take(&cache));
            s->job.runs = i;
            s->pool.next = NULL;
        }
        s = wsfj_pool_all();
        for (unsigned i = stacks; i-- > 0; s = s->pool.next_all)
            ck_assert(s->job.runs == i && s->number == i + 1 && !s->pool.next);
        ck_assert_ptr_null(s);
        wsfj_pool_stop();
        ck_assert_int_eq(maps, 0);
    }
}
END_TEST

static int is_taken;

static void *takes(void *unused)
{
    struct wsfj_cache cache = {.free = NULL};

    (void)unused;
    ck_assert_ptr_nonnull(wsfj_pool_take(&cache));
    raise_flag(&is_taken);
    return NULL;
}

static pthread_t taker;

/* As a fork() does in a signal handler. */
static void hold_and_release(void)
{
    wsfj_pool_hold();
    wsfj_pool_release();
    ck_assert_int_eq(pthread_create(&taker, NULL, takes, NULL), 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    ck_assert(!is_raised(&is_taken));
}

/* Catches: a fork that waits for ever for a lock that its own thread has; one that gives back a lock that it has not got. */
START_TEST(a_hold_inside_the_lock_changes_nothing)
{
    struct wsfj_cache cache = {.free = NULL};

    start(0);
    while_mapping = hold_and_release;
    ck_assert_ptr_nonnull(wsfj_pool_take(&cache));
    pthread_join(taker, NULL);
    ck_assert_uint_eq(wsfj_pool_high_water(), 2);
    wsfj_pool_stop();
}
END_TEST

/* Catches: a hold that holds nothing, or is not given back, or works once only, or that a child inherits. */
START_TEST(nothing_is_made_while_the_pool_is_held)
{
    start(0);
    for (int round = 0; round < 3; round++) {
        if (round == 2) { /* in the child of a fork */
            wsfj_pool_hold();
            wsfj_pool_forget(false);
            start(0);
        }
        is_taken = 0;
        wsfj_pool_hold();
        ck_assert_int_eq(pthread_create(&taker, NULL, takes, NULL), 0);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        ck_assert(!is_raised(&is_taken));
        wsfj_pool_release();
        pthread_join(taker, NULL);
    }
    wsfj_pool_stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("pool");

    tcase_add_test(tcase, no_more_stacks_than_allowed);
    tcase_add_test(tcase, the_last_given_is_the_first_taken);
    tcase_add_test(tcase, every_stack_given_can_be_taken_once_by_anybody);
    tcase_add_test(tcase, a_cache_keeps_a_few_only);
    ADD_TEST_UNLESS(SANITIZED ? "sanitizers keep memory for each stack" : emulated(NOT_OUR_MEMORY), tcase,
                    many_free_stacks_keep_their_headers_only);
    tcase_add_test(tcase, a_stack_goes_back_to_the_node_that_has_made_it);
    tcase_add_test(tcase, a_far_stack_is_better_than_none);
    tcase_add_test(tcase, a_flushed_stack_is_the_next_taken);
    tcase_add_test(tcase, a_warm_stack_is_in_reach_of_every_node);
    tcase_add_test(tcase, a_second_start_begins_anew);
    tcase_add_test(tcase, a_refused_stack_leaves_nothing);
    tcase_add_test(tcase, a_stop_unmaps_every_slab);
    tcase_add_test(tcase, a_hold_inside_the_lock_changes_nothing);
    tcase_add_test(tcase, nothing_is_made_while_the_pool_is_held);
    return run_case("pool", tcase);
}
