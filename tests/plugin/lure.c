/* SPDX-License-Identifier: MIT */
/* A plug-in for nobody: that it was loaded shows on stderr. user/setuid has hwloc's variables point at it. */
#include "lure.h"

#include <unistd.h>

__attribute__((constructor)) static void loaded(void)
{
    if (write(STDERR_FILENO, LURE_SAYS, sizeof LURE_SAYS - 1) < 0)
        _exit(1);
}
