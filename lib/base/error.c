/* SPDX-License-Identifier: MIT */
/* ws_strerror(): what the error numbers mean here. ws_version(). */
#include "base/base.h"

#include <errno.h>

WSFJ_EXPORT const char *ws_strerror(int error)
{
    switch (error) {
    case 0:
        return "no error";
    case EALREADY:
        return "the runtime is already running";
    case EINVAL:
        return "a setting is invalid (stderr names it)";
    case ENOMEM:
        return "no memory for even one worker or stack";
    case EAGAIN:
        return "no thread could be started";
    case EBUSY:
        return "a region is running";
    case EDEADLK:
        return "not allowed inside a task";
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
