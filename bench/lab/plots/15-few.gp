# SPDX-License-Identifier: MIT
set title "20 tasks of 5 ms"
set xlabel "workers"
set ylabel "ms"
set yrange [0:*]
plot table("15-few") using "workers":(only("tasks_that", "compute", "ms")) title "tasks that compute" lc 1, \
    table("15-few") using "workers":(only("tasks_that", "wait", "ms")) title "tasks that wait" lc 2, \
    100 / x title "100 ms / workers" with lines dt 2 lc rgb "#888888"
