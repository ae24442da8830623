/* SPDX-License-Identifier: MIT */
/* Walking frames and naming code: lib/arch/frames.h, lib/signals/symbols.h, lib/observe/textbuf.h. A stack may hold anything. */
#include "arch/frames.h"
#include "observe/snapshot.h"
#include "observe/textbuf.h"
#include "signals/symbols.h"

#include "../support/run.h"
#include "../support/to_stderr.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined __riscv
#define OLD_FP (-2)
#define RETURN (-1)
#else
#define OLD_FP 0
#define RETURN 1
#endif

#define WORDS 512
#define PC 0x4000u /* anything */

/* Whole pages, with nothing mapped below and above: a read outside ends the test. */
static uintptr_t *words;

static void set_up(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(map != MAP_FAILED && page >= WORDS * sizeof *words);
    ck_assert_int_eq(mprotect(map + page, page, PROT_READ | PROT_WRITE), 0);
    words = (uintptr_t *)(void *)(map + page);
}

static uintptr_t at(size_t word)
{
    return (uintptr_t)(words + word);
}

static void put(size_t word, uintptr_t older, uintptr_t pc)
{
    words[(long)word + OLD_FP] = older;
    words[(long)word + RETURN] = pc;
}

static uint32_t walk(uintptr_t fp, uintptr_t sp, uintptr_t *pc)
{
    struct wsfj_registers from = {.pc = PC, .sp = sp, .fp = fp};

    return wsfj_frames_walk(from, at(0), at(WORDS), pc, 8);
}

/* Catches: an order or a number of frames that is wrong; more than there is room for. */
START_TEST(a_chain_is_followed_to_its_end)
{
    uintptr_t pc[9] = {0};

    for (size_t i = 0; i < 3; i++)
        put(10 + 10 * i, i < 2 ? at(20 + 10 * i) : 0, PC + 1 + i);
    ck_assert_uint_eq(walk(at(10), at(4), pc), 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(pc[i], PC + i);
    for (size_t i = 0; i < 20; i++)
        put(10 + 10 * i, at(20 + 10 * i), PC + 1 + i);
    ck_assert_uint_eq(walk(at(10), at(4), pc), 8);
    ck_assert_uint_eq(pc[7], PC + 7);
    ck_assert_uint_eq(pc[8], 0);
}
END_TEST

/* Catches: a chain that goes round for ever, down, or out; a read at an odd address. */
START_TEST(nonsense_ends_the_chain)
{
    const uintptr_t bad[] = {0,
                             1,
                             at(10),
                             at(9),
                             at(10) + 4,
                             at(0) - 8,
                             at(WORDS),
                             at(WORDS) - 1,
                             at(WORDS + 1),
                             ~(uintptr_t)0,
                             ~(uintptr_t)7,
                             (uintptr_t)1 << 63};
    uintptr_t pc[8];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(10, bad[i], PC + 1);
        ck_assert_msg(walk(at(10), at(4), pc) == 2, "%zu", i);
        if (bad[i] != at(10) && bad[i] != at(9)) /* as the first one those are good */
            ck_assert_msg(walk(bad[i], at(4), pc) == 1, "%zu", i);
    }
    put(10, at(20), 0);
    ck_assert_uint_eq(walk(at(10), at(4), pc), 1);
    put(10, at(20) + 4, PC + 1);
    for (size_t byte = 4; byte < 36; byte += sizeof(uintptr_t)) /* a frame, but for its address */
        memcpy((char *)(words + 18) + byte, &(uintptr_t){PC + 2}, sizeof(uintptr_t));
    ck_assert_uint_eq(walk(at(10), at(4), pc), 2);
    put(10, 0, PC);
    ck_assert_uint_eq(walk(at(10), at(11), pc), 1); /* below the stack pointer */
}
END_TEST

/* Catches: any bytes that make it read where it must not: a stack is overwritten while it is read. */
START_TEST(no_stack_can_break_it)
{
    uintptr_t pc[8];

    srand(7);
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < 64; i++)
            words[i] = rand() % 2 ? at((size_t)rand() % WORDS) + (uintptr_t)(rand() % 4 == 0) : (uintptr_t)rand();
        ck_assert_uint_le(walk(at((size_t)rand() % WORDS), at((size_t)rand() % 64), pc), 8);
    }
}
END_TEST

static __attribute__((noinline)) int nobody_exports_me(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n + 1;
}

/* Catches: a static function without a name, an offset that is wrong, a neighbour's name; data or nothing taken for
 * code. */
START_TEST(code_has_a_name)
{
    static int data;
    struct wsfj_symbol s;

    ck_assert_int_eq(nobody_exports_me(1), 2);
    ck_assert(wsfj_symbol_find((uintptr_t)nobody_exports_me + 1, &s));
    ck_assert_str_eq(s.function, "nobody_exports_me");
    ck_assert_uint_eq(s.offset, 1);
    ck_assert_ptr_nonnull(strstr(s.object, "frames"));
    for (int i = 0; i < 2; i++) { /* the second time it is remembered */
        ck_assert(wsfj_symbol_find((uintptr_t)abort, &s));
        ck_assert_msg(strstr(s.function, "abort"), "%s %s", s.function, s.object);
        ck_assert_uint_eq(s.offset, 0);
    }
    wsfj_symbols_forget();
    ck_assert(wsfj_symbol_find((uintptr_t)wsfj_symbol_find, &s));
    ck_assert_str_eq(s.function, "wsfj_symbol_find");
    ck_assert(!wsfj_symbol_find((uintptr_t)&data, &s));
    ck_assert(!wsfj_symbol_find((uintptr_t)&s, &s));
    ck_assert(!wsfj_symbol_find(0, &s));
    ck_assert(!wsfj_symbol_find(7, &s));
    ck_assert(!wsfj_symbol_find(~(uintptr_t)0, &s));
}
END_TEST

/* Catches: a dump without frames, and without a word why, of a program that hangs because it has no descriptors left,
 * or has no /proc. */
START_TEST(code_without_a_name_is_a_number)
{
    static struct wsfj_textbuf text;
    struct rlimit limit;

    wsfj_symbols_forget();
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, limit.rlim_max}), 0);
    ck_assert(wsfj_snapshot_code(&text, "at ", 0x1234, true));
    ck_assert_uint_eq(text.used, strlen("at 0x1234"));
    ck_assert_int_eq(memcmp(text.chars, "at 0x1234", text.used), 0);
    ck_assert(!wsfj_snapshot_code(&text, "at ", 0, false));
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0); /* for checkers, at the end */
}
END_TEST

static char *read_all(FILE *file)
{
    static char all[1 << 20];

    rewind(file);
    all[fread(all, 1, sizeof all - 1, file)] = '\0';
    return all;
}

/* Catches: text that is lost, doubled or in another order where the text is full; a line that could clear the
 * terminal. */
START_TEST(a_textbuf_loses_nothing)
{
    static struct wsfj_textbuf text;
    static char expected[1 << 20];
    FILE *file = tmpfile();
    size_t length = 0;
    int before = dup(STDERR_FILENO);

    ck_assert(file && make_stderr(fileno(file)));
    for (int i = 0; i < 10000; i++) {
        wsfj_textbuf_add(&text, "%d: ", i);
        wsfj_textbuf_add(&text, "%*d\n", i % 60, i);
        length += (size_t)snprintf(expected + length, sizeof expected - length, "%d: %*d\n", i, i % 60, i);
    }
    wsfj_textbuf_add(&text, "\033[2J\r\177\n");
    wsfj_textbuf_flush(&text);
    snprintf(expected + length, sizeof expected - length, "?[2J??\n");
    ck_assert_str_eq(read_all(file), expected);
    ck_assert_int_eq(ftruncate(fileno(file), 0), 0);
    lseek(STDERR_FILENO, 0, SEEK_SET);
    for (int i = 0; i < 500; i++) /* one line that is longer than the text */
        wsfj_textbuf_add(&text, "%0100d", 0);
    wsfj_textbuf_flush(&text);
    ck_assert_uint_eq(strspn(read_all(file), "0"), 50000);
    dup2(before, STDERR_FILENO);
    close(before);
    fclose(file);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("frames");

    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, a_chain_is_followed_to_its_end);
    tcase_add_test(tcase, nonsense_ends_the_chain);
    tcase_add_test(tcase, no_stack_can_break_it);
    ADD_TEST_UNLESS(emulated("an emulator has mappings of its own"), tcase, code_has_a_name);
    tcase_add_test(tcase, code_without_a_name_is_a_number);
    tcase_add_test(tcase, a_textbuf_loses_nothing);
    return run_case("frames", tcase);
}
