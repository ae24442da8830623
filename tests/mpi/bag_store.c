/* SPDX-License-Identifier: MIT */
/*
 * bag_store: a place of a bag against a plain list, over random calls.
 *
 * Catches: tasks out of order, lost bytes, a wrong count after the tasks have moved to the front or the array has grown.
 */
#include "mpi/bag_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 50000
#define REQUIRE(x) ((x) ? (void)0 : (printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #x), exit(1)))

static unsigned list[MOST], first, end; /* the numbers of the tasks; a task has number % 70 bytes of this value */

static void check_item(const struct bag_item *item, const unsigned char *bytes, unsigned number)
{
    REQUIRE(item->function == number && item->size == number % 70);
    for (unsigned i = 0; i < item->size; i++)
        REQUIRE(bytes[i] == (unsigned char)number);
}

int main(void)
{
    static _Alignas(16) char chunk[100000], bytes[100];
    struct bag_store s = {0};
    struct bag_item item;

    srand(1);
    for (unsigned number = 0; end < MOST - 1 && number < MOST - 1; number++) {
        int kind =
            (int[]){rand() % 7, rand() % 14, rand() % 5 > 1 ? 6 : 0}[number / 60 % 3]; /* mostly: push, cut, pop */

        if (kind < 6) {
            void *room = bag_store_push(&s, number, number % 70);

            REQUIRE(room && (uintptr_t)room % 16 == 0);
            memset(room, (int)number, number % 70);
            list[end++] = number;
        } else if (kind < 7) {
            bool there = bag_store_pop(&s, &item, bytes);

            REQUIRE(there == (first < end));
            if (there)
                check_item(&item, (unsigned char *)bytes, list[--end]);
        } else {
            size_t before = s.count, size = bag_store_cut(&s, (size_t)(rand() % 3), chunk, (size_t)(rand() % 2000));
            struct bag_store other = {0};
            size_t n = before - s.count;

            REQUIRE(bag_store_append(&other, chunk, size) && other.count == n);
            for (size_t i = n; i--;) {
                REQUIRE(bag_store_pop(&other, &item, bytes));
                check_item(&item, (unsigned char *)bytes, list[first + i]);
            }
            first += (unsigned)n;
            bag_store_free(&other);
        }
        REQUIRE(s.count == end - first && (bag_store_newest(&s) != NULL) == (first < end));
    }
    REQUIRE(!bag_store_append(&s, chunk, 8)); /* no chunk */
    memcpy(chunk, &(struct bag_item){.size = 40}, sizeof item);
    REQUIRE(!bag_store_append(&s, chunk, sizeof item + 32)); /* its task has more bytes than come */
    bag_store_free(&s);
    printf("%u tasks\n", end);
    return 0;
}
