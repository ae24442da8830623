/* SPDX-License-Identifier: MIT */
/* Nodes by their words: lib/profile/record_table.c, with few slots, so that many nodes meet. */
#include "profile/record.h"

#include "../support/run.h"

#define SLOTS_LOG 6
#define NODES 48 /* three quarters of the slots */

static struct wsfj_node_table table;

/* The n-th node: one or two words. */
static uint64_t find(uint64_t n, uint64_t number)
{
    uint64_t words[] = {n / 2 * 16, 7};

    return wsfj_node_table_find(&table, words, 1 + n % 2, number);
}

/* Catches: a node that is taken for another one in the same slot, or with the same beginning; one that is found no more; a
 * table that grows beyond its slots, or forgets what it has when it is full. */
START_TEST(each_node_is_found_until_there_is_no_room)
{
    ck_assert(wsfj_node_table_init(&table, 1000, SLOTS_LOG));
    for (uint64_t n = 0; n < NODES; n++)
        ck_assert_uint_eq(find(n, n), n);
    for (uint64_t n = NODES; n < 2 * NODES; n++)
        ck_assert_uint_eq(find(n, n), n);
    for (uint64_t n = 0; n < 2 * NODES; n++)
        ck_assert_uint_eq(find(n, 1000 + n), n < NODES ? n : 1000 + n);
    wsfj_node_table_free(&table);
}
END_TEST

/* Catches: words behind the end of the memory; no room for the last one. */
START_TEST(words_have_their_room)
{
    ck_assert(wsfj_node_table_init(&table, 1 + 3 * 2 + 2, SLOTS_LOG)); /* three nodes of one word, and two words */
    for (uint64_t n = 0; n < 6; n += 2)
        ck_assert_uint_eq(find(n, n), n);
    ck_assert_uint_eq(find(1, 1), 1); /* needs three */
    ck_assert_uint_eq(find(1, 5), 5);
    ck_assert_uint_eq(find(6, 6), 6);
    ck_assert_uint_eq(find(6, 9), 6);
    ck_assert_uint_eq(table.num_words, table.most_words);
    wsfj_node_table_free(&table);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("record_table");

    tcase_add_test(tcase, each_node_is_found_until_there_is_no_room);
    tcase_add_test(tcase, words_have_their_room);
    return run_case("record_table", tcase);
}
