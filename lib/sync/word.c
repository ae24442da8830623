/* SPDX-License-Identifier: MIT */
/* ws_wait_on() and ws_wake(): the wait table for objects of the program's own. */
#include "base/atomic.h"
#include "base/tsan.h"
#include "idle/resume.h"
#include "sync/waiting.h"
#include "wait/table.h"

struct word_node {
    struct wsfj_node node;
    uint32_t expected;
};

static bool is_expected(struct wsfj_node *node)
{
    return load_acquire((const uint32_t *)node->key) == WSFJ_CONTAINER(node, struct word_node, node)->expected;
}

WSFJ_EXPORT int ws_wait_on(const uint32_t *word, uint32_t expected, uint64_t until)
{
    struct word_node n = {{.key = word, .must_wait = is_expected, .number = WSFJ_WAIT_FIRST}, expected};
    int error = 0;

    if (is_expected(&n.node)) {
        error = wsfj_sync_wait_for(&n.node, WSFJ_WAIT_WORD, n.node.key, until);
        wsfj_sync_met(word);
    }
    wsfj_tsan_acquire(word); /* what the waker did */
    return error;
}

WSFJ_EXPORT void ws_wake(const uint32_t *word, size_t most)
{
    wsfj_tsan_release(word);
    wsfj_sync_set(word, false);
    wsfj_resume_all(wsfj_table_take(word, most < UINT32_MAX ? (unsigned)most : UINT32_MAX));
}
