/* SPDX-License-Identifier: MIT */
/* A plug-in that prints a line when it is loaded. user/setuid points hwloc's variables at it: a set-user-ID program
 * must not load it. */
#include "untrusted.h"

#include <unistd.h>

__attribute__((constructor)) static void loaded(void)
{
    if (write(STDERR_FILENO, UNTRUSTED_SAYS, sizeof UNTRUSTED_SAYS - 1) < 0)
        _exit(1);
}
