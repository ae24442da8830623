/* SPDX-License-Identifier: MIT */
/*
 * Random programs of tests/random, searched for races: `programs FIRST N` runs those of N seeds. Status 3: a wrong result,
 * named with its seed. For ours.sh.
 */
#include "../random/compare.h"
#include "../random/ways.h"

#include <stdio.h>
#include <stdlib.h>

#define SIZE_BITS 12

int main(int n, char **arguments)
{
    unsigned first = n == 3 ? (unsigned)strtoul(arguments[1], NULL, 0) : 0;
    unsigned last = n == 3 ? first + (unsigned)strtoul(arguments[2], NULL, 0) : 0;

    if (last <= first)
        return 2;
    program_may = PROGRAM_BLOCK | PROGRAM_HOLD | PROGRAM_PIN | PROGRAM_ALONE;
    for (unsigned seed = first; seed < last; seed++) {
        const char *wrong = program_compare(seed, 1, SIZE_BITS);

        if (wrong) {
            puts(wrong);
            return 3;
        }
    }
    return 0;
}
