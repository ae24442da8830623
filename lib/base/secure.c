/* SPDX-License-Identifier: MIT */
#include "base/secure.h"

#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

bool wsfj_secure_hides_hwloc(void)
{
    static const char prefix[] = "HWLOC_";

    for (char **entry = environ; getauxval(AT_SECURE) && entry && *entry; entry++)
        if (strncmp(*entry, prefix, sizeof prefix - 1) == 0)
            return true;
    return false;
}
