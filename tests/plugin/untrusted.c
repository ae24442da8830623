/* SPDX-License-Identifier: MIT */
/* A plug-in for nobody: that it was loaded shows on stderr. user/setuid has hwloc's variables point at it. */
#include "untrusted.h"

#include <unistd.h>

__attribute__((constructor)) static void loaded(void)
{
    if (write(STDERR_FILENO, UNTRUSTED_SAYS, sizeof UNTRUSTED_SAYS - 1) < 0)
        _exit(1);
}
