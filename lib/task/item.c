/* SPDX-License-Identifier: MIT */
#include "task/item.h"

#include "base/tsan.h"

/* Two tasks share a token if their functions, arguments and groups are the same, and few others do by chance. Where
 * they share one, some of their races go unreported. */
#define TOKENS_LOG 12

static const void *token(const struct wsfj_item *item)
{
    static uint64_t tokens[1 << TOKENS_LOG]; /* for their addresses only */
    uint64_t name = (uintptr_t)item->arg ^ (uint64_t)(uintptr_t)item->fn << 20 ^ (uint64_t)(uintptr_t)item->group << 40;

    return &tokens[name * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TOKENS_LOG)];
}

void wsfj_item_release(const struct wsfj_item *item)
{
    wsfj_tsan_release(token(item));
}

void wsfj_item_acquire(const struct wsfj_item *item)
{
    wsfj_tsan_acquire(token(item));
}
