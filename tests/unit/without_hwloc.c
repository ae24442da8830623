/* SPDX-License-Identifier: MIT */
/* Replaces the tests of hwloc's imagined machines where the library is built without hwloc. */
#include "../support/run.h"

int main(void)
{
    return can_test("all", WITHOUT_MACHINES) ? EXIT_FAILURE : EXIT_SKIPPED;
}
