# SPDX-License-Identifier: MIT
set title "Where the tasks wait that one task submits"
set xlabel "tasks submitted (number)"
set ylabel "tasks waiting (number)"
set yrange [0:*]
plot table("05-overflow") using "submitted":"run_queue" title "in the run queue" with lines lt 1, \
    table("05-overflow") using "submitted":"global_queue" title "in the global queue" with lines lt 2
