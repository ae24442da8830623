# SPDX-License-Identifier: MIT
set title "Older tasks that run before a chain of 30 is done"
set xlabel "workers"
set ylabel "older tasks"
set logscale x 2
set yrange [0:*]
plot table("06-next") using "workers":(only("slot", "without", "older_before_last")) title "without the slot" lc 1, \
    table("06-next") using "workers":(only("slot", "with", "older_before_last")) title "with it" lc 2
