/* SPDX-License-Identifier: MIT */
#include "observe/schedtrace.h"

#include "observe/snapshot.h"
#include "worker/workers.h"

#include <inttypes.h>

static void worker_line(struct wsfj_textbuf *text, unsigned id)
{
    struct wsfj_snapshot g = wsfj_snapshot(id);

    wsfj_textbuf_add(text, "  W%u: %s%s%s", id, g.state, g.guest ? " guest" : "", g.lent ? " lent" : "");
    wsfj_textbuf_add(text, " deque=%zu queue=%u next=%d dispatched=%" PRIu64 " steals=%" PRIu64, g.deque, g.queue,
                     g.next, g.dispatches, g.steals);
    if (g.stack) {
        wsfj_textbuf_add(text, " stack=%u task=", g.number);
        wsfj_snapshot_task(text, g.stack);
    }
    wsfj_textbuf_add(text, "\n");
}

void wsfj_schedtrace(struct wsfj_textbuf *text, uint64_t age)
{
    struct wsfj_snapshot_totals all = wsfj_snapshot_totals();

    wsfj_textbuf_add(text, "WSFJ %" PRIu64 "ms: workers=%u running=%u guests=%u searching=%u sleeping=%u retired=%u",
                     age / 1000000u, all.workers, all.running, all.guests, all.searching, all.sleeping, all.retired);
    wsfj_textbuf_add(text, " stacks=%u used=%u waiting=%u globalqueue=%zu fibers=%zu roots=%zu", all.made, all.used,
                     all.waiting, all.global, all.fibers, all.roots);
    wsfj_textbuf_add(text, " submitted=%" PRIu64 " finished=%" PRIu64 " steals=%" PRIu64 "\n", all.submitted,
                     all.finished, all.steals);
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        worker_line(text, i);
}
