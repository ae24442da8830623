/* SPDX-License-Identifier: MIT */
/* How large the stack of a thread has to be. */
#ifndef WSFJ_THREAD_STACK_H
#define WSFJ_THREAD_STACK_H

#include "base/base.h"

/* What to ask for, if the thread itself needs so much. */
size_t wsfj_thread_stack(size_t needed);

#endif
