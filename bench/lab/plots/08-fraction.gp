# SPDX-License-Identifier: MIT
set title "How much of a queue a thief takes: bursts of 250 tasks of 20 us"
set xlabel "fraction"
set ylabel "times in a burst"
set logscale y
set xtics 0.25
plot table("08-fraction") using "fraction":(only("task_us", "20", "steals")) title "steals" lc 1, \
    table("08-fraction") using "fraction":(only("task_us", "20", "moved_again")) title "tasks moved again" lc 2, \
    table("08-fraction") using "fraction":(only("task_us", "20", "items_per_steal")) title "tasks per steal" lc 3
