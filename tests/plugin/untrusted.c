/* SPDX-License-Identifier: MIT */
/* A plug-in of hwloc that prints a line when it is loaded. The variables of user/setuid and user/libraries lead hwloc to
 * it: it must not be loaded. */
#include "untrusted.h"

#include <unistd.h>

__attribute__((constructor)) static void loaded(void)
{
    if (write(STDERR_FILENO, UNTRUSTED_SAYS, sizeof UNTRUSTED_SAYS - 1) < 0)
        _exit(1);
}
