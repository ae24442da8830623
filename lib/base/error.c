/* SPDX-License-Identifier: MIT */
/* What the values that public functions return mean, and the version. */
#include "base/base.h"

#include <errno.h>

/* Several functions return the same value for different reasons: the text names them all. The headers say which
 * function returns which value; tests/build/errors.sh compares. */
WSFJ_EXPORT const char *ws_strerror(int error)
{
    switch (error) {
    case 0: return "no error";
    case EALREADY: return "the runtime is already running, or the future is set";
    case EINVAL:
        return "an invalid setting (stderr names it), an argument that is NULL or too small, or no phase to end";
    case ENOMEM: return "not enough memory for a worker, a stack or a task";
    case EAGAIN:
        return "no room for another task, the runtime is being stopped, no thread can be had for a pin, "
               "or the call would have to wait";
    case EBUSY:
        return "in use: a task or call is under way, a phase has not ended, the mutex is locked, "
               "or another task waits for that direction of the descriptor";
    case EDEADLK:
        return "not possible inside a task, after a longjmp() out of one, in a task of the group to wait for, in "
               "ws_config.poll, as a thread of the runtime ends, for the mutex that the task holds, or in a serial program "
               "that would wait for a later task";
    case ERANGE: return "no such worker";
    case ETIMEDOUT: return "the deadline has passed";
    case EPIPE: return "the channel is closed";
    case EPERM: return "the task does not hold the mutex, or epoll does not take the descriptor";
    case EBADF: return "the descriptor is not open";
    case ECANCELED: return "an open scope of the caller is cancelled";
    case ENOENT: return "no such poll source";
    case ENOSYS: return "no poll sources in a serial program";
    default: return "unknown error";
    }
}

WSFJ_EXPORT unsigned ws_version(const char **text)
{
    if (text)
        *text = WSFJ_VERSION_STRING;
    return WSFJ_VERSION;
}
