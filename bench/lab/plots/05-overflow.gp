# SPDX-License-Identifier: MIT
set title "Where the tasks wait that one task submits"
set xlabel "submitted"
set ylabel "tasks"
plot table("05-overflow") using "submitted":"run_queue" title "run queue" with steps lc 1, \
    table("05-overflow") using "submitted":"global_queue" title "global queue" with steps lc 2
