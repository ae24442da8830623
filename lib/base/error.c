/* SPDX-License-Identifier: MIT */
/* What the error values mean, in the words of this library; and its version. */
#include "base/base.h"

#include <errno.h>

WSFJ_EXPORT const char *ws_strerror(int error)
{
    switch (error) {
    case 0:
        return "no error";
    case EALREADY:
        return "the runtime runs already";
    case EINVAL:
        return "a setting is impossible (stderr names it)";
    case ENOMEM:
        return "no memory for even one worker or stack";
    case EAGAIN:
        return "no thread could be started";
    case EBUSY:
        return "a region is under way";
    case EDEADLK:
        return "not possible inside a task";
    default:
        return "unknown error";
    }
}

WSFJ_EXPORT unsigned ws_version(const char **text)
{
    if (text)
        *text = WSFJ_VERSION_STRING;
    return WSFJ_VERSION;
}
