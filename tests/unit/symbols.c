/* SPDX-License-Identifier: MIT */
/* Names for addresses of code: lib/signals/symbols.h. Neighbour: user/dump.c, which prints them. */
#include "signals/symbols.h"

#include "../support/resources.h"
#include "../support/run.h"
#include "signals/task_name.h"

#include <string.h>
#include <sys/mman.h>

/* Never called: a function of four bytes, twelve bytes that belong to none, and a function without a size. */
__asm__(".text\n"
        ".balign 16\n"
        ".type has_four_bytes, %function\n"
        ".globl has_four_bytes\n"
        "has_four_bytes: .skip 4\n"
        ".size has_four_bytes, 4\n"
        ".skip 12\n"
        ".type has_no_size, %function\n"
        ".globl has_no_size\n"
        "has_no_size: .skip 16\n");
extern char has_four_bytes[], has_no_size[];

#ifdef __x86_64__
/* As a slow-path exit of inlined code: behind its call it raises the stack pointer and jumps into its function. */
__asm__(".text\n"
        ".skip 16\n"
        ".globl is_outside\n"
        "is_outside: .byte 0x48, 0x8d, 0xa4, 0x24\n"
        ".long 128\n"
        ".byte 0xe9\n"
        ".long has_four_bytes + 2 - . - 4\n"
        ".skip 16\n");
extern char is_outside[];
#endif

static void __attribute__((noinline, used)) is_static(void)
{
    __asm__ volatile("" ::: "memory");
}

static struct wsfj_symbol symbol;

static bool find(const void *at)
{
    memset(&symbol, 'x', sizeof symbol);
    return wsfj_symbol_find((uintptr_t)at, &symbol);
}

static void expect(const char *at, const char *function, uintptr_t offset)
{
    for (int i = 0; i < 2; i++) { /* looked up, then kept */
        ck_assert(find(at));
        ck_assert_str_eq(symbol.function, function);
        if (*function)
            ck_assert_uint_eq(symbol.offset, offset);
        ck_assert_ptr_nonnull(strstr(symbol.object, "symbols"));
    }
}

/* Catches: a function that ends too early or too late, or has another one's name; one of the first table only. */
START_TEST(each_byte_has_its_function)
{
    expect((const char *)(uintptr_t)is_static, "is_static", 0);
    for (uintptr_t i = 0; i < 4; i++)
        expect(has_four_bytes + i, "has_four_bytes", i);
    expect(has_four_bytes + 4, "", 0);
    expect(has_no_size, "has_no_size", 0);
    expect(has_no_size + 1, "", 0);
#ifdef __x86_64__
    expect((const char *)((uintptr_t)is_outside - 1), "has_four_bytes", 2); /* the call's last byte */
    expect(is_outside, "", 0);
#endif
}
END_TEST

/* Catches: a function of a task that keeps its own name, or takes more or less of it, also one that C++ has mangled or gcc
 * cloned; a function of the library that is taken for one of a task. */
START_TEST(functions_of_tasks_have_the_name_of_the_task)
{
    static const struct {
        const char *function, *name;
    } known[] = {
        {"wsfj_body_fib", "fib"},
        {"wsfj_body_1_saxpy", "saxpy"},
        {"wsfj_run_0_fib.part.0", "fib"},
        {"wsfj_twin_2_fib", "fib"},
        {"wsfj_exec_0_call_run_0_x", "call_run_0_x"},
        {"wsfj_body_go_home", "go_home"},
        {"wsfj_exec_1_out_wsfj_part_x", "out_wsfj_part_x"},
        {"wsfj_exec_1_0_fib", "fib"},
        {"wsfj_go_fib.constprop.0", "fib"},
        {"wsfj_run_0_wsfj_part_sum", "sum"},
        {"wsfj_exec_wsfj_ticket_sum", "sum"},
        {"_ZL13wsfj_exec_fibP10wsfj_dequeP15wsfj_descriptorS2_Pv", "fib"},
        {"_ZN2nsL16wsfj_run_0_solveElP10wsfj_deque", "solve"},
        {"ns::wsfj_body_fib(wsfj_frame*, long)", "fib"},
        {"wsfj_leaf_fib(long)", "fib"},
        {"wsfj_run_queue_pop", NULL},
        {"wsfj_own_stack", NULL},
        {"wsfj_fork_child_stop", NULL},
        {"my_wsfj_exec_fib", NULL},
        {"_ZL9wsfj_exec_fib", NULL},
        {"_ZL99wsfj_exec_fib", NULL},
        {"wsfj_exec_", NULL},
        {"main", NULL},
        {"", NULL},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char function[80];
        bool is_task;

        strcpy(function, known[i].function);
        is_task = wsfj_task_name(function);
        ck_assert_msg(is_task == (known[i].name != NULL), "%s", known[i].function);
        ck_assert_str_eq(function, is_task ? known[i].name : known[i].function);
    }
}
END_TEST

static int a_variable = 1;

/* Catches: data or nothing that is taken for code, also the second time. */
START_TEST(only_code_has_a_name)
{
    char *pages = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(pages != MAP_FAILED && mprotect(pages + 4096, 4096, PROT_READ | PROT_EXEC) == 0);
    for (int i = 0; i < 2; i++) {
        ck_assert(!find(&a_variable));
        ck_assert(!find(NULL));
        ck_assert(!find(pages + 4095));
        ck_assert(find(pages + 4096) && !*symbol.object && !*symbol.function);
        ck_assert(find(pages + 2 * 4096 - 1));
        ck_assert(!find(pages + 2 * 4096));
    }
    ck_assert_int_eq(munmap(pages, 3 * 4096), 0);
}
END_TEST

/* Catches: a name that is kept for code that is gone; one that is looked up again and again; a lock that stays. */
START_TEST(names_are_kept_until_they_are_forgotten)
{
    void (*const forget[])(void) = {wsfj_symbols_forget, wsfj_symbols_forget_threads};
    char *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(page != MAP_FAILED && find(page));
    ck_assert_int_eq(mprotect(page, 4096, PROT_NONE), 0);
    ck_assert(find(page));
    for (int i = 0; i < 2; i++) {
        forget[_i]();
        ck_assert(!find(page));
    }
    ck_assert_int_eq(munmap(page, 4096), 0);
}
END_TEST

/* Catches: two addresses that share a place among those kept, and then a name. */
START_TEST(many_addresses_have_their_own_names)
{
    size_t size = (size_t)200 * 4096;
    char *pages = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(pages != MAP_FAILED);
    for (size_t i = 0; i < 200; i++) {
        ck_assert(find(pages + 4096 * i) && !*symbol.function);
        ck_assert(find(has_four_bytes + i % 4));
        ck_assert_uint_eq(symbol.offset, i % 4);
    }
    ck_assert_int_eq(munmap(pages, size), 0);
}
END_TEST

/* Catches: a file that stays open for each name. */
START_TEST(no_file_stays_open)
{
    int files = count_files();

    for (int i = 0; i < 4; i++) {
        wsfj_symbols_forget();
        expect(has_four_bytes + i, "has_four_bytes", (uintptr_t)i);
        ck_assert(!find(&a_variable));
    }
    ck_assert_int_eq(count_files(), files);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("symbols");

    tcase_add_test(tcase, each_byte_has_its_function);
    tcase_add_test(tcase, functions_of_tasks_have_the_name_of_the_task);
    tcase_add_test(tcase, only_code_has_a_name);
    tcase_add_loop_test(tcase, names_are_kept_until_they_are_forgotten, 0, 2);
    tcase_add_test(tcase, many_addresses_have_their_own_names);
    tcase_add_test(tcase, no_file_stays_open);
    return run_case("symbols", tcase);
}
