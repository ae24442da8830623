/* SPDX-License-Identifier: MIT */
/*
 * All memory of a runtime, with guards: behind each block of the C library some bytes, behind each mapping a page without
 * access. Numbers of workers around those at which sets of bits, tables and rings grow. Neighbours: guarded.h, sizes that a
 * program chooses; build/address-sanitizer.sh.
 */
#include "../support/folder.h"

#include "../support/fib.h"
#include "../support/runtime.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GUARD 64 /* bytes */
#define GUARDED 0xa5

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);

/* What is there now. */
static struct block {
    unsigned char *at;
    size_t size;
    bool is_mapping;
} blocks[1 << 14];
static size_t num_blocks, blocks_seen;
static long damaged;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *guarded(void *at, size_t size, bool is_mapping)
{
    if (!at)
        return NULL;
    if (!is_mapping)
        memset((unsigned char *)at + size, GUARDED, GUARD);
    pthread_mutex_lock(&mutex);
    if (num_blocks == sizeof blocks / sizeof *blocks)
        abort();
    blocks[num_blocks++] = (struct block){at, size, is_mapping};
    blocks_seen++;
    pthread_mutex_unlock(&mutex);
    return at;
}

static void check(const struct block *block)
{
    for (size_t i = 0; i < GUARD && !block->is_mapping; i++)
        damaged += block->at[block->size + i] != GUARDED;
}

/* The block is about to go. False: it is none of these, such as one from inside the C library. */
static bool forget(const void *at, struct block *block)
{
    size_t i = 0;

    pthread_mutex_lock(&mutex);
    while (i < num_blocks && blocks[i].at != at)
        i++;
    if (i < num_blocks) {
        *block = blocks[i];
        check(block);
        blocks[i] = blocks[--num_blocks];
        pthread_mutex_unlock(&mutex);
        return true;
    }
    pthread_mutex_unlock(&mutex);
    return false;
}

void *__wrap_malloc(size_t size)
{
    return guarded(__real_malloc(size + GUARD), size, false);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return guarded(__real_calloc(1, n * size + GUARD), n * size, false);
}

void *__wrap_realloc(void *old, size_t size)
{
    struct block block;

    if (old && !forget(old, &block))
        return __real_realloc(old, size);
    return guarded(__real_realloc(old, size + GUARD), size, false);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return guarded(__real_aligned_alloc(align, size + (GUARD + align - 1) / align * align), size, false);
}

void __wrap_free(void *at)
{
    struct block block;

    (void)forget(at, &block);
    __real_free(at);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    void *map;

    if (at || !(flags & MAP_ANONYMOUS))
        return __real_mmap(at, size, protection, flags, file, offset);
    map = __real_mmap(NULL, whole + page, protection, flags, file, offset);
    if (map == MAP_FAILED)
        return map;
    (void)mprotect((char *)map + whole, page, PROT_NONE);
    return guarded(map, size, true);
}

int __wrap_munmap(void *at, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct block block;

    if (!forget(at, &block))
        return __real_munmap(at, size);
    if (size != block.size)
        damaged++;
    return __real_munmap(at, (block.size + page - 1) / page * page + page);
}

static WS_LOCAL(long, visits);

static void visit(void *unused)
{
    (void)unused;
    ++*(long *)ws_local(&visits);
}

WS_TASK_VOID(all_at_once, int, depth)
{
    ws_group group = WS_GROUP_INIT;

    if (depth > 0) {
        ws_spawn(all_at_once, depth - 1);
        ws_call(all_at_once, depth - 1);
        ws_sync();
        return;
    }
    for (int i = 0; i < 5; i++)
        (void)ws_group_submit(&group, visit, NULL);
    WS_BLOCKING
    {
        sched_yield();
    }
    (void)ws_group_wait(&group);
}

static const size_t numbers[] = {1, 2, 63, 64, 65, 127, 128, 129};

/* Catches: a table, set or ring that is too small for its last worker, slot or lane; a mapping that is given back in another
 * size. */
START_TEST(no_write_goes_over_an_edge)
{
    long sum = 0;

    folder_make();
    setenv("WSFJ_TRACE", folder_path("edges.json"), 1);
    setenv("WSFJ_TRACE_EVENTS", "16384", 1);
    start_runtime(numbers[_i], 0, 0);
    for (int i = 0; i < 3; i++) {
        check_fib(12);
        ck_assert_int_eq(ws_run(all_at_once, 7), 0);
    }
    stop_runtime();
    ws_local_each(&visits, p) sum += *p;
    ck_assert_int_eq(sum, 3 * 128 * 5);
    ws_local_free(&visits);
    for (size_t i = 0; i < num_blocks; i++)
        check(&blocks[i]);
    ck_assert_uint_gt(blocks_seen, 10);
    ck_assert_int_eq(damaged, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("edges");
    int status;

    if (folder_begin("edges") != 0)
        return EXIT_FAILURE;
    if (can_test("no_write_goes_over_an_edge", SANITIZED ? "it has guards of its own" : NULL))
        tcase_add_loop_test(tcase, no_write_goes_over_an_edge, 0, sizeof numbers / sizeof *numbers);
    status = run_case("edges", tcase);
    folder_end();
    return status;
}
