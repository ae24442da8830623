/* SPDX-License-Identifier: MIT */
/* The text of an event's row (lib/task/event_rows.h) with the words of one event in it. */
#ifndef WSFJ_VIEW_SENTENCE_H
#define WSFJ_VIEW_SENTENCE_H

#include "trace.h"

#include <stdio.h>

struct view_words {
    const uint32_t *numbers; /* as the row's keys say; NULL: it has none */
    uint32_t stack, children;
    const char *task; /* what runs on the stack; NULL: not known */
    const char *name;
    const char *stolen; /* the only one of {tasks}; NULL: not known */
};

void view_sentence(FILE *out, enum view_event event, const struct view_words *words);

#endif
