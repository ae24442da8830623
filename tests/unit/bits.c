/* SPDX-License-Identifier: MIT */
/* Sets of numbers: lib/base/bits.h. */
#include "base/bits.h"

#include "../support/run.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 200, WORDS = MOST / WSFJ_BITS + 1 };

static bool in[MOST];
static uint64_t set[WORDS];

static void fill(unsigned every, unsigned from)
{
    memset(set, 0, sizeof set);
    for (unsigned i = 0; i < MOST; i++) {
        in[i] = i >= from && i % every == 0;
        if (in[i])
            set[i / WSFJ_BITS] |= wsfj_bit(i);
    }
}

/* Catches: a search that passes a number by at the begin or the end of a word, or does not stop before `to`. */
START_TEST(the_next_number_is_found)
{
    static const unsigned every[] = {1, 3, 63, 64, 65, 199};

    fill(every[_i], _i == 5 ? 1 : 0);
    for (unsigned from = 0; from <= MOST; from++) {
        ck_assert(from == MOST || wsfj_bits_has(set, from) == in[from]);
        for (unsigned to = 0; to <= MOST; to += 1 + to % 7) {
            unsigned expected = from;

            while (expected < to && !in[expected])
                expected++;
            if (wsfj_bits_next(set, from, to) != (from < to ? expected : to))
                ck_abort_msg("%u..%u", from, to);
        }
    }
}
END_TEST

/* Catches: a range that has one number too many or too few, or of another word. */
START_TEST(a_range_of_a_word_has_its_numbers)
{
    for (unsigned first = 0; first < MOST; first += WSFJ_BITS) {
        for (unsigned low = 0; low <= MOST; low++) {
            for (unsigned high = low; high <= MOST; high += 1 + high % 5) {
                uint64_t range = wsfj_bits_range(first, low, high);

                for (unsigned i = first; i < first + WSFJ_BITS; i++)
                    if (!(range & wsfj_bit(i)) != !(i >= low && i < high))
                        ck_abort_msg("word %u, %u..%u: %u", first, low, high, i);
            }
        }
        ck_assert_uint_eq(wsfj_bits_first(first), first);
        ck_assert_uint_eq(wsfj_bits_first(first + WSFJ_BITS - 1), first);
    }
}
END_TEST

/* Catches: a search that reads a word behind the last one of the set. */
START_TEST(nothing_behind_the_set_is_read)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint64_t *last = (const uint64_t *)(map + page) - 2;

    ck_assert_ptr_ne(map, MAP_FAILED);
    ck_assert_int_eq(mprotect(map + page, page, PROT_NONE), 0);
    for (unsigned to = 0; to <= 2 * WSFJ_BITS; to++)
        for (unsigned from = 0; from <= to; from++)
            ck_assert_uint_eq(wsfj_bits_next(last, from, to), to);
    munmap(map, 2 * page);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("bits");

    tcase_add_loop_test(tcase, the_next_number_is_found, 0, 6);
    tcase_add_test(tcase, nothing_behind_the_set_is_read);
    tcase_add_test(tcase, a_range_of_a_word_has_its_numbers);
    return run_case("bits", tcase);
}
