/* SPDX-License-Identifier: MIT */
/* In place of the tests that read hwloc's imagined machines, in a library without hwloc. */
#include "../support/run.h"

int main(void)
{
    return can_test("all", WITHOUT_MACHINES) ? EXIT_FAILURE : EXIT_SKIPPED;
}
