/* SPDX-License-Identifier: MIT */
/* The mapping of one stack with its deque: lib/task/stack.h. */
#include "task/stack.h"

#include "../support/process.h"
#include "../support/run.h"
#include "../support/sanitizer.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KIB ((size_t)1 << 10)
/* The most that a loop keeps pending: 4 MiB of descriptors. */
#define MOST_SOFT 65536

/* Of 132 and 516 KiB a half, and of the latter an eighth, are no whole pages. */
static const size_t sizes[] = {0,         64 * KIB,   68 * KIB,   128 * KIB,  132 * KIB,
                               516 * KIB, 1024 * KIB, 8192 * KIB, 65536 * KIB};
/* The guards of these. */
static const size_t guards[] = {64 * KIB,  64 * KIB,  64 * KIB,   64 * KIB,  66 * KIB,
                                258 * KIB, 512 * KIB, 1024 * KIB, 1024 * KIB};
#define SIZES ((int)(sizeof sizes / sizeof *sizes))

/* What the library holds; while `refuse` is set, the kernel does not change what may be done with memory. */
static void *block_held;
static long mapped;
static bool refuse, no_advice;

/* The linker's names. */
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);
int __real_madvise(void *at, size_t size, int advice);
int __wrap_madvise(void *at, size_t size, int advice);
int __real_mprotect(void *at, size_t size, int protection);
int __wrap_mprotect(void *at, size_t size, int protection);

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return block_held = __real_aligned_alloc(align, size);
}

void __wrap_free(void *block)
{
    if (block == block_held)
        block_held = NULL;
    __real_free(block);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    mapped += (long)size;
    return __real_mmap(at, size, protection, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t size)
{
    mapped -= (long)size;
    return __real_munmap(at, size);
}

int __wrap_mprotect(void *at, size_t size, int protection)
{
    return refuse ? -1 : __real_mprotect(at, size, protection);
}

int __wrap_madvise(void *at, size_t size, int advice)
{
    return no_advice ? -1 : __real_madvise(at, size, advice);
}

static struct wsfj_stack *make(size_t size, enum wsfj_mode mode)
{
    struct wsfj_stack *s = wsfj_stack_make(size, mode);

    ck_assert_ptr_nonnull(s);
    return s;
}

/* Catches: parts that overlap; a gap that neither the guard nor a bound covers; a guard that large frames pass, or that takes
 * more address space than a small stack is worth. */
START_TEST(the_parts_lie_in_order_and_the_lines_end_at_the_guard)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct wsfj_stack *s = make(sizes[_i], WSFJ_MODE_NORMAL);

    ck_assert_ptr_eq(s->deque.wsfj_area_start, s->memory.map);
    ck_assert(s->deque.wsfj_area_end > s->deque.wsfj_area_start);
    ck_assert((char *)s->bottom >=
              s->deque.wsfj_area_end + WSFJ_DESCRIPTOR_BYTES); /* the descriptor before the first is free */
    ck_assert_ptr_eq((char *)s->memory.last, s->memory.guard);
    ck_assert_int_eq(s->memory.low - s->memory.guard, (ptrdiff_t)((guards[_i] + page - 1) / page * page));
    ck_assert_ptr_eq(s->memory.low + s->memory.size, s->memory.map + s->memory.map_size);
    ck_assert_uint_eq(s->memory.size, sizes[_i]);
    ck_assert_uint_eq((uintptr_t)s->memory.guard % page, 0);
    ck_assert_uint_eq((uintptr_t)s->memory.low % page, 0);
    ck_assert_uint_eq((uintptr_t)s->bottom % WSFJ_DESCRIPTOR_BYTES, 0);
    ck_assert_uint_eq((uintptr_t)s % WSFJ_DESCRIPTOR_BYTES, 0);
    wsfj_stack_destroy(s);
}
END_TEST

/* Catches: a soft limit at or above the end, where a long loop runs into the guard; a limit so low that nothing
 * spawns. */
START_TEST(the_soft_limit_leaves_a_reserve)
{
    struct wsfj_stack *s = make(sizes[_i], WSFJ_MODE_NORMAL);

    ck_assert(s->memory.soft > s->bottom + 100);
    ck_assert(s->memory.soft < s->memory.last - 100);
    if (sizes[_i] >= (size_t)8 << 20) /* the default: wsfj.h promises so many pending children */
        ck_assert_int_eq(s->memory.soft - s->bottom, MOST_SOFT);
    else
        ck_assert_int_le(s->memory.soft - s->bottom, MOST_SOFT);
    ck_assert_ptr_eq(s->deque.wsfj_limit, s->memory.soft);
    wsfj_stack_destroy(s);
}
END_TEST

static int write_to(long address)
{
    signal(SIGSEGV, SIG_DFL);
    *(volatile char *)address = 1;
    return 0;
}

static int read_from(long address)
{
    signal(SIGSEGV, SIG_DFL);
    (void)*(volatile char *)address;
    return 0;
}

static bool faults(char *address)
{
    struct outcome o = in_child(write_to, (long)address);

    return died_of(&o, SIGSEGV);
}

static bool guards_all(char *address)
{
    struct outcome o = in_child(read_from, (long)address);

    return died_of(&o, SIGSEGV) && faults(address);
}

/* Catches: a guard that is missing, too short or at the wrong address, or that may be read. Odd _i: an older kernel, without
 * MADV_GUARD_INSTALL. */
START_TEST(the_guard_faults_and_its_neighbours_do_not)
{
    struct wsfj_stack *s;

    no_advice = _i % 2;
    s = make(sizes[_i / 2], WSFJ_MODE_NORMAL);
    ck_assert(guards_all(s->memory.guard));
    ck_assert(guards_all(s->memory.guard + (s->memory.low - s->memory.guard) / 2));
    ck_assert(guards_all(s->memory.low - 1));
    ck_assert(!faults(s->memory.guard - 1));
    ck_assert(!faults((char *)s->bottom));
    ck_assert(!faults((char *)s->bottom - WSFJ_DESCRIPTOR_BYTES));
    ck_assert(!faults(s->deque.wsfj_area_start));
    if (s->memory.size) {
        ck_assert(!faults(s->memory.low));
        ck_assert(!faults(s->memory.low + s->memory.size - 1));
    }
    wsfj_stack_destroy(s);
}
END_TEST

/* Catches: a first task beside the first descriptor; a private task that counts as public. */
START_TEST(a_new_deque_is_empty)
{
    struct wsfj_stack *s = make(64 * KIB, _i ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);

    ck_assert_ptr_eq(s->deque.wsfj_tail, s->bottom);
    ck_assert_ptr_eq(s->first, s->bottom);
    ck_assert_ptr_eq(s->deque.wsfj_exposed, _i ? s->memory.last : s->bottom);
    ck_assert_ptr_eq(s->deque.wsfj_limit, s->memory.soft);
    ck_assert_ptr_eq(s->deque.wsfj_area, s->deque.wsfj_area_start);
    ck_assert_ptr_eq(wsfj_stack_of(&s->deque), s);
    wsfj_stack_destroy(s);
}
END_TEST

/* Catches: a first task that is private, so that the next thief must request or force (in locked mode all tasks are
 * public and need no request); E lowered under a thief that is forcing: owner and thief would run the same task
 * (THE-6); a scope of an earlier task; a request that a recheck takes for one that stands (PARK-10). */
START_TEST(refresh_leaves_a_request_and_the_deque_alone)
{
    struct wsfj_stack *s = make(64 * KIB, _i ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    struct wsfj_descriptor *exposed = _i ? s->memory.last : s->bottom + 1;

    s->deque.wsfj_limit = _i ? NULL : s->memory.soft;
    s->deque.wsfj_exposed = exposed;
    s->scope = (ws_scope *)(uintptr_t)8;
    s->deque.wsfj_scopes = 2;
    s->answers = 7;
    wsfj_stack_renew(s);
    ck_assert_uint_eq(s->answers, _i ? 8 : 7);
    ck_assert(!s->scope && s->deque.wsfj_scopes == 0);
    ck_assert_ptr_eq(s->deque.wsfj_limit, _i ? s->memory.soft : NULL);
    ck_assert_ptr_eq(s->deque.wsfj_exposed, exposed);
    ck_assert_ptr_eq(s->deque.wsfj_tail, s->bottom);
    ck_assert_ptr_eq(s->first, s->bottom);
    wsfj_stack_destroy(s);
}
END_TEST

static size_t resident(char *from, char *to)
{
    static unsigned char pages[65536];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = (size_t)(to - from) / page, sum = 0;

    ck_assert_uint_le(n, sizeof pages);
    ck_assert_int_eq(mincore(from, n * page, pages), 0);
    for (size_t i = 0; i < n; i++)
        sum += pages[i] & 1u;
    return sum * page;
}

/* Catches: memory that an idle program keeps after one deep recursion; a few pages of each of many stacks; a trimmed
 * stack that is not marked, so that its lost context is used. */
START_TEST(trim_gives_every_page_back_and_keeps_the_stack_usable)
{
    size_t size = 1024 * KIB;
    struct wsfj_stack *s = make(size, WSFJ_MODE_NORMAL);

    memset(s->memory.low, 1, size);
    memset(s->bottom, 1, size);
    memset(s->deque.wsfj_area_start, 1, (size_t)(s->deque.wsfj_area_end - s->deque.wsfj_area_start));
    ck_assert_uint_ge(resident(s->memory.low, s->memory.low + size), size);
    wsfj_stack_trim(s);
    ck_assert_uint_le(resident(s->memory.low, s->memory.low + size), SANITIZED_THREAD ? size / 4 : 0);
    ck_assert_uint_eq(resident(s->memory.map, s->memory.guard), 0);
    ck_assert_int_eq(s->pool.trimmed, !SANITIZED_THREAD);
    ck_assert_uint_eq(s->memory.size, size);
    ck_assert_ptr_eq(s->deque.wsfj_limit, s->memory.soft);
    memset(s->memory.low, 1, size);
    memset(s->bottom, 1, (size_t)(s->memory.guard - (char *)s->bottom));
    wsfj_stack_destroy(s);
}
END_TEST

/* Catches: guards that cost two mappings each, so that vm.max_map_count (65530) ends a program with many suspended
 * joins; a failed stack that is not NULL; mappings that destroy leaves behind. */
START_TEST(stacks_are_made_until_memory_ends_and_all_unmapped)
{
    struct wsfj_stack *list = NULL, *s;
    unsigned n = 0;
    struct rlimit limit;

    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
#if !WSFJ_ASAN && !WSFJ_TSAN
    limit.rlim_cur = (rlim_t)1 << 30;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
#endif
    for (int round = 0; round < 2; round++) {
        unsigned before = n;

        for (n = 0; n < 2000 && (s = wsfj_stack_make(1024 * KIB, WSFJ_MODE_NORMAL)); n++) {
            s->pool.next = list;
            list = s;
        }
        ck_assert_uint_gt(n, 10);
        for (; (s = list);) {
            list = s->pool.next;
            wsfj_stack_destroy(s);
        }
        ck_assert(round == 0 || n == before);
    }
#if !WSFJ_ASAN && !WSFJ_TSAN
    ck_assert_uint_lt(n, 2000);
#endif
}
END_TEST

/* Catches: a stack that the kernel refuses half way, and whose memory stays. */
START_TEST(what_is_refused_leaves_nothing)
{
    wsfj_stack_destroy(make(64 * KIB, WSFJ_MODE_NORMAL)); /* what is found once has been found */
    mapped = 0;
    refuse = true;
    ck_assert_ptr_null(wsfj_stack_make(64 * KIB, WSFJ_MODE_NORMAL));
    refuse = false;
    ck_assert_ptr_null(block_held);
    ck_assert_int_eq(mapped, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("stack");

    tcase_add_loop_test(tcase, the_parts_lie_in_order_and_the_lines_end_at_the_guard, 0, SIZES);
    tcase_add_loop_test(tcase, the_soft_limit_leaves_a_reserve, 0, SIZES);
    tcase_add_loop_test(tcase, the_guard_faults_and_its_neighbours_do_not, 0, 2 * SIZES);
    tcase_add_loop_test(tcase, a_new_deque_is_empty, 0, 2);
    tcase_add_loop_test(tcase, refresh_leaves_a_request_and_the_deque_alone, 0, 2);
    tcase_add_test(tcase, trim_gives_every_page_back_and_keeps_the_stack_usable);
    tcase_add_test(tcase, what_is_refused_leaves_nothing);
    ADD_TEST_UNLESS(emulated(NO_LIMITS), tcase, stacks_are_made_until_memory_ends_and_all_unmapped);
    return run_case("stack", tcase);
}
